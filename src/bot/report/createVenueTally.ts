import { differencePpm } from '../../core/price.ts'
import type { Dossier } from '../dossier.ts'
import { arithmeticMean } from './benchmarks.ts'

/** The results of one route's quotes. Bps are means over its settled swaps, for display. */
export type VenueTotal = {
  /** The quote's own words: `maker-a`, `maker-a+uniswap-v3`. */
  readonly source: string
  /** Firm quotes that passed every check. */
  readonly accepted: number
  readonly sent: number
  readonly settled: number
  /** Sent and then reverted or expired. */
  readonly faded: number
  /** (faded + 1) / (sent + 20): a source with three swaps is not called perfect. */
  readonly fadeRate: number
  /** Firm quote against the indication, positive is better; undefined where no swap had one. */
  readonly overIndicationBps: number | undefined
  /** The received amount against the firm quote, positive is worse. */
  readonly slippageBps: number | undefined
}

type Sum = {
  accepted: number
  sent: number
  settled: number
  faded: number
  over: number[]
  slipped: number[]
}

const faded = ['REVERTED', 'EXPIRED_DEAD', 'DISPLACED']

/** Adds up swaps by their filler. A quote that names none goes under none. */
export function createVenueTally() {
  const sums = new Map<string, Sum>()
  return {
    add({ quote, plan, moved, state, attempts }: Dossier): void {
      if (quote?.source === undefined) return
      const sum = sums.get(quote.source) ?? begin()
      sums.set(quote.source, sum)
      sum.accepted += 1
      const isSent = attempts.some(
        ({ kind, sentAtBlock }) => kind === 'SWAP' && sentAtBlock !== null,
      )
      if (isSent) sum.sent += 1
      if (isSent && faded.includes(state)) sum.faded += 1
      if (moved === undefined) return
      sum.settled += 1
      const firm = { sold: plan.intent.sell, bought: quote.amountOut }
      const real = { sold: moved.sold, bought: moved.received }
      sum.slipped.push(-Number(differencePpm(real, firm)) / 100)
      if (plan.indication !== undefined && plan.indication.bought.wei > 0n)
        sum.over.push(Number(differencePpm(firm, plan.indication)) / 100)
    },
    result: (): readonly VenueTotal[] =>
      [...sums.entries()]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([source, { over, slipped, ...counts }]) => ({
          source,
          ...counts,
          fadeRate: (counts.faded + 1) / (counts.sent + 20),
          overIndicationBps: arithmeticMean(over),
          slippageBps: arithmeticMean(slipped),
        })),
  }
}

const begin = (): Sum => ({ accepted: 0, sent: 0, settled: 0, faded: 0, over: [], slipped: [] })
