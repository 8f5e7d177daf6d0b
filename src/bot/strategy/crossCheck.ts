import { differencePpm, type Price } from '../../core/price.ts'
import { isApart } from './isApart.ts'
import { showPercent } from './showPercent.ts'
import { wordsFor } from './wordsFor.ts'

/**
 * Why a price is not to be believed: there is no independent reference, or the price is more than so many basis
 * points of it away, to either side. Undefined where both say the same.
 */
export function crossCheck(
  market: Price,
  { reference, within }: { readonly reference: Price | undefined; readonly within: number },
): string | undefined {
  const { verb, show } = wordsFor(market)
  const says = `The market ${verb} ${show(market)}`
  if (reference === undefined || reference.bought.wei === 0n)
    return `${says}, and no independent reference confirms it.`
  if (!isApart(market, { reference, within })) return undefined
  const apart = showPercent(differencePpm(market, reference))
  const allowed = showPercent(BigInt(within) * 100n)
  return `${says}, the reference says ${show(reference)}: ${apart} apart, ${allowed} is allowed.`
}
