import type { Intent } from '../bot/stages.ts'
import { divideUp } from '../core/decimal.ts'
import { assetOf, isNative, sameToken, type Token } from '../core/token.ts'
import type { Assumptions, createChance } from './assumptions.ts'
import { blockTimes } from './blockTimes.ts'
import type { TapeMarket } from './createTapeMarket.ts'
import { createTimingPicker } from './timings.ts'

/** Separates the draws of one order from those of any other. */
export type Draw = { readonly strategy: number; readonly slot: number; readonly attempt: number }

type Parts = {
  readonly market: Pick<TapeMarket, 'heads'>
  readonly blockTimeMs: number
  readonly assumptions: Assumptions
  readonly chance: ReturnType<typeof createChance>
}

/** How long an order takes on a tape: as one of the journal's swaps, or by latency, approval and blocks. */
export function createTapeCourse({ market, blockTimeMs, assumptions, chance }: Parts) {
  const { timings, latencyMs, confirmations, delayBlocksMax } = assumptions
  const { approvals, standing } = assumptions
  const isApproved = (token: Token) =>
    !approvals || isNative(token) || standing.some((one) => sameToken(one, token))
  const blocks = blockTimes(market.heads, blockTimeMs)
  /** The same for all that comes of one order; undefined where none is known. */
  const pick = createTimingPicker(timings)
  const timingOf = (at: number, draw: Draw) => pick(at, () => chance('time', draw))
  const delayOf = (draw: Draw) => 1 + Math.floor(chance('delay', draw) * delayBlocksMax)
  return {
    /** When an order asks for its quote: its token is approved before. */
    askedAt({ sell }: Intent, { at, draw }: { at: number; draw: Draw }): number {
      const timing = timingOf(at, draw)
      if (timing !== undefined) return at + timing.quoteMs
      if (isApproved(sell.token)) return at + latencyMs
      return blocks.after(at + latencyMs, delayOf(draw) + confirmations) + latencyMs
    },
    /** When what was quoted is signed, included and settled. */
    courseFrom({ at, quotedAt, draw }: { at: number; quotedAt: number; draw: Draw }) {
      const timing = timingOf(at, draw)
      if (timing === undefined) {
        const includedAt = blocks.after(quotedAt, delayOf(draw))
        const settledAt = confirmations === 0 ? includedAt : blocks.after(includedAt, confirmations)
        return { signedAt: quotedAt, includedAt, settledAt }
      }
      const signedAt = quotedAt + timing.signMs
      const settledAt = signedAt + timing.settleMs
      return { signedAt, includedAt: Math.min(blocks.after(signedAt, 1), settledAt), settledAt }
    },
  }
}

/** What own sales took out of the book: it comes back evenly over some time. */
export function createTaken(
  { refillMs }: Pick<Assumptions, 'refillMs'>,
  coin: { readonly wrapped: Token },
) {
  let taken: { readonly pair: string; readonly wei: bigint; readonly at: number }[] = []
  // The coin and its wrapped form are sold into one book.
  const pairOf = ({ sell, buy }: Intent) =>
    `${assetOf(sell.token, coin).address} ${assetOf(buy, coin).address}`
  return {
    /** From the quote on: the maker holds its money for it. */
    take(intent: Intent, at: number): void {
      taken = taken.filter((one) => at - one.at < refillMs)
      if (refillMs > 0) taken.push({ pair: pairOf(intent), wei: intent.sell.wei, at })
    },
    /** What nobody has offered for again. Rounds up. */
    missingAt(intent: Intent, at: number): bigint {
      return taken
        .filter((one) => one.pair === pairOf(intent) && at - one.at < refillMs)
        .map(({ wei, at: since }) =>
          divideUp(wei * BigInt(refillMs - (at - since)), BigInt(refillMs)),
        )
        .reduce((sum, wei) => sum + wei, 0n)
    },
  }
}
