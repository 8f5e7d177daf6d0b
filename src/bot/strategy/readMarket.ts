import { show } from '../../core/amount.ts'
import { showPrice } from '../../core/price.ts'
import type { Context, Watch } from './strategy.ts'
import { isApart } from './isApart.ts'
import type { Market } from './market.ts'
import { showPercent } from './showPercent.ts'

/**
 * The market of the watch in that place, or a sentence why there is none to trade on: no price, or, where a deviation is
 * given, no reference, or one that says something else.
 */
export function readMarket(
  {
    indications,
    depths,
    references,
  }: Pick<Context<unknown>, 'indications' | 'depths' | 'references'>,
  {
    watch,
    place,
    maxDeviation,
  }: { readonly watch: Watch; readonly place: number; readonly maxDeviation: number | undefined },
): Market | string {
  const [indication, levels = [], reference] = [
    indications[place],
    depths[place],
    references[place],
  ]
  const { sell, buy } = watch
  if (indication === undefined || indication.bought.wei === 0n)
    return `No price for ${show(sell)} in ${buy.symbol}.`
  if (maxDeviation === undefined) return { indication, levels, reference: undefined }
  if (reference === undefined || reference.bought.wei === 0n)
    return `No reference for ${sell.token.symbol} in ${buy.symbol}.`
  return isApart(indication, { reference, within: maxDeviation })
    ? `The service indicates ${showPrice(indication)}, the references say ${showPrice(reference)}: more than ${showPercent(BigInt(maxDeviation) * 100n)} apart.`
    : { indication, levels, reference }
}
