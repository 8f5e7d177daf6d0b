import type { Token } from '../core/token.ts'
import { sameAddress } from '../core/token.ts'
import type { TapeMarket } from './createTapeMarket.ts'
import type { SwapTiming } from './timings.ts'

/** Fewer quotes say little of how far they are from the book. */
const quotesMin = 3

/** A book older than this when a quote came is not what it was made from. */
const ageMsMax = 30_000

/** How much more firm quotes pay than the walk of the book, in millionths. */
export type FirmEdges = {
  /** Of all of them. */
  readonly middle: bigint
  /** Of those in one direction: the pools beside a book, and what its maker has too much of, make one better. */
  of(sell: Token, buy: Token): bigint
}

/**
 * The middle edges of the journal's firm quotes that were made while the tape was recorded. A short expiry and pools beside
 * the book make them better. Nothing where there are too few of them.
 */
export function firmEdges(
  market: Pick<TapeMarket, 'lookAt' | 'sell'>,
  {
    timings,
    tokens,
  }: { readonly timings: readonly SwapTiming[]; readonly tokens: readonly Token[] },
): FirmEdges {
  const tokenOf = (address: string) =>
    tokens.find((one) => sameAddress(one.address, address as Token['address']))
  const edges = timings.flatMap(({ at, quoteMs, quoted }) => {
    const look = market.lookAt(at + quoteMs)
    const [sell, buy] = [quoted && tokenOf(quoted.sell), quoted && tokenOf(quoted.buy)]
    if (quoted === undefined || sell === undefined || buy === undefined) return []
    if (look?.book === undefined || at + quoteMs - look.at > ageMsMax) return []
    const walked = market.sell(look.book, { sell: { token: sell, wei: BigInt(quoted.sold) }, buy })
    if (walked === undefined) return []
    const ppm = ((BigInt(quoted.received) - walked.wei) * 1_000_000n) / walked.wei
    return [{ direction: directionOf(sell, buy), ppm }]
  })
  const middle = edges.length < quotesMin ? 0n : middleOf(edges)
  const middles = new Map(
    [...Map.groupBy(edges, ({ direction }) => direction)]
      .filter(([, same]) => same.length >= quotesMin)
      .map(([direction, same]) => [direction, middleOf(same)]),
  )
  return { middle, of: (sell, buy) => middles.get(directionOf(sell, buy)) ?? middle }
}

const directionOf = (sell: Token, buy: Token) => `${sell.address}>${buy.address}`.toLowerCase()

function middleOf(edges: readonly { readonly ppm: bigint }[]): bigint {
  const sorted = edges.map(({ ppm }) => ppm).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[Math.floor(sorted.length / 2)] ?? 0n
}
