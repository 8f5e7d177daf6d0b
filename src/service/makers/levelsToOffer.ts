import type { Token } from '../../core/token.ts'
import type { Levels } from './book.ts'
import { costOf, trimAsks, trimBids, trimToCost } from './trimLevels.ts'

/** What a maker can pay with, not promised to anybody. */
type Free = { readonly base: bigint; readonly quote: bigint }

/**
 * A book cut to what the maker can pay.
 *
 * How much can be sold into a side does not depend on the expiry: it is what the maker could take at its best prices,
 * those of no time at all. Otherwise a shorter expiry, whose better prices use up the inventory sooner, would be refused
 * a size that a longer one is given.
 */
export function levelsToOffer(
  { base, quote }: { base: Token; quote: Token },
  { levels, timeless, free }: { levels: Levels; timeless: Levels; free: Free },
): Levels {
  const pair = { base, quote }
  const bid = trimBids(pair, timeless.bid, free.quote)
  const ask = trimAsks(timeless.ask, free.base)
  // A book that does not charge for time is its own.
  if (levels === timeless) return { bid, ask }
  const depth = bid.reduce((sum, { amount }) => sum + amount, 0n)
  return {
    bid: trimBids(pair, trimAsks(levels.bid, depth), free.quote),
    ask: trimToCost(trimAsks(levels.ask, free.base), costOf(ask)),
  }
}
