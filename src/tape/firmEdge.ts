import type { Token } from '../core/token.ts'
import { sameAddress } from '../core/token.ts'
import type { TapeMarket } from './createTapeMarket.ts'
import type { SwapTiming } from './timings.ts'

/** Fewer quotes say little of how far they are from the book. */
const quotesMin = 3

/** A book older than this when a quote came is not what it was made from. */
const ageMsMax = 30_000

/**
 * How much more the service's firm quotes pay than the walk of its book, in millionths: the middle of those of the journal
 * that were made while the tape was recorded. A short expiry and pools beside the book make them better. Nothing where
 * there are too few of them.
 */
export function firmEdgePpm(
  market: Pick<TapeMarket, 'lookAt' | 'sell'>,
  {
    timings,
    tokens,
  }: { readonly timings: readonly SwapTiming[]; readonly tokens: readonly Token[] },
): bigint {
  const tokenOf = (address: string) =>
    tokens.find((one) => sameAddress(one.address, address as Token['address']))
  const edges = timings.flatMap(({ at, quoteMs, quoted }) => {
    const look = market.lookAt(at + quoteMs)
    const [sell, buy] = [quoted && tokenOf(quoted.sell), quoted && tokenOf(quoted.buy)]
    if (quoted === undefined || sell === undefined || buy === undefined) return []
    if (look?.book === undefined || at + quoteMs - look.at > ageMsMax) return []
    const walked = market.sell(look.book, { sell: { token: sell, wei: BigInt(quoted.sold) }, buy })
    return walked === undefined
      ? []
      : [((BigInt(quoted.received) - walked.wei) * 1_000_000n) / walked.wei]
  })
  const sorted = edges.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return edges.length < quotesMin ? 0n : (sorted[Math.floor(edges.length / 2)] ?? 0n)
}
