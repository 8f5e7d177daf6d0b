import { medianAmount } from '../../core/amount.ts'
import { type Coin, isNative, sameAddress, type Token } from '../../core/token.ts'
import type { Leg, LegFill, Neighbours, PoolsAlone } from '../aftermath.ts'
import type { Dossier } from '../dossier.ts'

/** A figure that is there or says why not. `worth` is what was sold, at that middle. */
type Marked = {
  readonly afterMs: number
  readonly block: number | undefined
  /** What was received less what it was worth then: above zero the swap was a good one, and whoever filled it lost. */
  readonly gain: bigint | undefined
  readonly worth: bigint | undefined
  readonly missing: string | undefined
}

/** A leg beside what else its share of the sold amount could have brought. */
export type LegQuality = Leg & {
  /** Undefined where the logs do not tell. */
  readonly fill: LegFill | undefined
  /** Above the middle before the firm quote; undefined where the leg is not of the swap's own pair, or nothing is known. */
  readonly overMiddle: bigint | undefined
  /** Above what the best single pool alone paid for its share, at the block before the swap's. */
  readonly overPools: bigint | undefined
}

/** What was found out about a settled swap after it. Amounts in the smallest unit of the bought token. */
export type Quality = {
  /** At the block of the swap, and after it, as far as it was read. */
  readonly marks: readonly Marked[]
  /** What the pools alone would have paid, and how much more came. */
  readonly pools: readonly (PoolsAlone & { readonly gain: bigint | undefined })[]
  readonly legs: readonly LegQuality[]
  readonly neighbours: Neighbours | undefined
}

/** Judges a settled swap by its aftermath; undefined where nothing settled. */
export function qualityOf(swap: Dossier, coin: Coin): Quality | undefined {
  const { plan, moved, aftermath, quote } = swap
  if (moved === undefined) return undefined
  const { sell } = plan.intent
  const share = (fair: bigint, sold: bigint) => (fair * sold) / sell.wei
  const gainOver = (fair: bigint | undefined) =>
    fair === undefined ? undefined : moved.received.wei - share(fair, moved.sold.wei)
  const found = aftermath?.found
  return {
    marks: (found?.marks ?? []).map(({ afterMs, block, fair, missing }) => ({
      ...{ afterMs, block, missing, gain: gainOver(fair) },
      worth: fair === undefined ? undefined : share(fair, moved.sold.wei),
    })),
    pools: (found?.pools ?? []).map((one) => ({ ...one, gain: gainOver(one.bought) })),
    legs: legsOf(swap, coin),
    neighbours: quote === undefined ? undefined : found?.neighbours,
  }
}

function legsOf({ plan, quote, aftermath }: Dossier, { wrapped }: Coin): readonly LegQuality[] {
  const { sell, buy } = plan.intent
  const said = quote?.appraisal?.references.filter(({ independent }) => independent) ?? []
  const middle = medianAmount(said.map(({ fair }) => fair)) ?? plan.arrival?.fair
  const pools = aftermath?.found.pools?.find(({ when }) => when === 'inclusion')?.bought
  const legs = quote?.legs ?? []
  const fills = aftermath?.found.fills ?? []
  const isPair = (leg: Leg) =>
    sameAddress(leg.sell, assetOf(sell.token, wrapped)) &&
    sameAddress(leg.buy, assetOf(buy, wrapped))
  return legs.map((leg, index) => {
    // Each leg leaves one trace, in their order; any other number is some token's own doing.
    const fill = fills.length === legs.length ? fills[index] : undefined
    const over = (whole: bigint | undefined) =>
      whole === undefined || !isPair(leg)
        ? undefined
        : (fill?.bought ?? leg.bought) - (whole * leg.sold) / sell.wei
    return { ...leg, fill, overMiddle: over(middle?.wei), overPools: over(pools) }
  })
}

const assetOf = (token: Token, wrapped: Token) =>
  isNative(token) ? wrapped.address : token.address
