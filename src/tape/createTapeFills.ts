import type { Intent } from '../bot/stages.ts'
import type { Amount } from '../core/amount.ts'
import { bpsOfUp } from '../core/bps.ts'
import { type BallastError, ballastError } from '../core/errors.ts'
import type { Assumptions, createChance, Setting } from './assumptions.ts'
import type { TapeBook } from './createBookReader.ts'
import { createTaken, createTapeCourse, type Draw } from './createTapeCourse.ts'
import type { TapeMarket } from './createTapeMarket.ts'
import { firmEdgePpm } from './firmEdge.ts'

type Parts = {
  readonly setting: Setting
  readonly market: TapeMarket
  readonly assumptions: Assumptions
  readonly chance: ReturnType<typeof createChance>
}

/** A firm quote and the book that priced it, or why none was good enough to send. `at` is what time it is then. */
type TapeQuote =
  | { readonly at: number; readonly book: TapeBook; readonly received: Amount }
  | { readonly at: number; readonly unsent: BallastError; readonly isAnswer: boolean }

const unanswered = (at: number, reason: string) => ({
  ...{ at, unsent: ballastError('REPLAY_UNSENT', reason), isAnswer: false },
})

const gap = () => ballastError('REPLAY_GAP', 'no book to quote from before the quote had expired')

const belowFloor = () =>
  ballastError('REPLAY_UNSENT', 'expired unsent: the quote was below the floor')

/** A chance is never a certainty, however far the market moves. */
const fadeMax = 0.95

/** How a service fails, each as likely. */
const failures = ['429', '503', 'no answer'] as const

/** How a recorded market fills an order: the quote, the block that includes it, and whether the maker declines. */
export function createTapeFills({ setting, market, assumptions, chance }: Parts) {
  const { chain, quote, tokens } = setting
  const expiryMs = quote.expirySeconds * 1_000
  const { askedAt, courseFrom } = createTapeCourse({
    ...{ market, assumptions, chance },
    blockTimeMs: chain.blockTimeMs,
  })
  const { take, missingAt } = createTaken(assumptions, tokens)
  const edgePpm = firmEdgePpm(market, {
    timings: assumptions.timings,
    tokens: [...tokens.bySymbol.values()],
  })
  return {
    /** The gas cost of one swap in the blocks of that instant. */
    gasAt(at: number): Amount {
      const { gas, tip, baseFee } = assumptions
      const perGas = (market.headAt(at)?.baseFeePerGas ?? baseFee) + tip
      return Object.freeze({ token: tokens.native, wei: gas * perGas })
    },

    /** Priced by the first book that came at least the latency after `at`, and held to the floor of the order. */
    quote(intent: Intent, { at, draw }: { at: number; draw: Draw }): TapeQuote {
      const requestedAt = askedAt(intent, { at, draw })
      if (chance('quote', draw) < assumptions.fail) {
        const how = failures[Math.floor(chance('which', draw) * failures.length)] ?? failures[0]
        return unanswered(requestedAt, `firm quote failed: ${how}, by injection`)
      }
      const look = market.firstFrom(requestedAt)
      if (look === undefined || look.at > requestedAt + expiryMs)
        return { at: requestedAt, unsent: gap(), isAnswer: false }
      const { book, at: quotedAt } = look
      const answered = (unsent: BallastError) => ({ at: quotedAt, unsent, isAnswer: true })
      if (book === undefined)
        return unanswered(quotedAt, `firm quote failed: the service ${look.why}, says the tape`)
      const walked = market.sell(book, { ...intent, missing: missingAt(intent, quotedAt) })
      if (walked === undefined) return answered(ballastError('NO_LIQUIDITY', 'no liquidity'))
      const wei = (walked.wei * (1_000_000n + edgePpm)) / 1_000_000n
      const received = { token: walked.token, wei }
      const minimum = bpsOfUp(received.wei, 10_000 - quote.slippageBps)
      if (minimum < intent.floor.wei) return answered(belowFloor())
      return { at: quotedAt, book, received }
    },

    courseFrom,
    take,

    /** The maker buys what is sold: the further the price falls until it is included, the likelier the maker declines. */
    fades(
      { sell, buy }: Intent,
      { quoted, includedAt, draw }: { quoted: TapeBook; includedAt: number; draw: Draw },
    ): boolean {
      const look = market.firstFrom(includedAt)
      // A tape with holes has no blocks inside of them.
      const later = look !== undefined && look.at <= includedAt + expiryMs ? look.book : undefined
      const pair = market.pairOf(sell.token, buy)
      if (assumptions.fadePerBps === 0 || later === undefined || pair === undefined) return false
      const [then, thereafter] = [market.rateAt(quoted, pair), market.rateAt(later, pair)]
      if (then === undefined || thereafter === undefined) return false
      const moved = pair.side === 'sell' ? 1 - thereafter / then : thereafter / then - 1
      const likely = Math.min(fadeMax, Math.max(0, moved * 1e4) * assumptions.fadePerBps)
      return chance('fade', draw) < likely
    },
  }
}
