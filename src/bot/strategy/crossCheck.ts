import { comparePrices, differencePpm, type Price } from '../../core/price.ts'
import { shiftPrice } from './shiftPrice.ts'
import { showPercent } from './showPercent.ts'
import { wordsFor } from './wordsFor.ts'

/**
 * Why a price is not to be believed: there is no independent reference, or it is more than so many basis points of
 * the price away, to either side. Undefined where both say the same.
 */
export function crossCheck(
  market: Price,
  { reference, within }: { readonly reference: Price | undefined; readonly within: number },
): string | undefined {
  const { verb, show } = wordsFor(market)
  const says = `The market ${verb} ${show(market)}`
  if (reference === undefined) return `${says}, and no independent reference confirms it.`
  const far =
    comparePrices(reference, shiftPrice(market, within)) > 0 ||
    comparePrices(reference, shiftPrice(market, -within)) < 0
  if (!far) return undefined
  const apart = showPercent(differencePpm(reference, market))
  const allowed = showPercent(BigInt(within) * 100n)
  return `${says}, the reference says ${show(reference)}: ${apart} apart, ${allowed} is allowed.`
}
