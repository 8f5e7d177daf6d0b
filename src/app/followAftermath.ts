import { lookAfter } from '../bot/after/lookAfter.ts'
import type { UnsignedJournal } from '../bot/journal/createUnsigned.ts'
import type { Log } from '../bot/report/createLog.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import type { OpenMarket } from '../engine/market.ts'

type Following = {
  readonly config: Pick<Config, 'policy' | 'tokens' | 'service'>
  readonly market: Pick<OpenMarket, 'rpc' | 'appraise'>
  readonly journal: Pick<UnsignedJournal, 'aftermath'>
  readonly clock: Clock
  readonly log: Log
}

/** Marks are of a second at the finest, and the chain's sources are read at their own block however late. */
const pollMs = 1_000

/** Looks of one round: whatever is due, a swap's own calls never wait behind more than these. */
const looksMax = 8

/**
 * Looks at what swaps and refusals left to read, beside the turns, until the signal. What was due while no process ran is
 * read at the next start. A journal or node that is away stops nothing: it is tried again.
 */
export async function followAftermath(
  { config, market, journal, clock, log }: Following,
  signal: AbortSignal,
): Promise<void> {
  const { policy, tokens, service } = config
  const looking = {
    ...{ rpc: market.rpc, appraise: market.appraise, clock },
    ...{ wrapped: tokens.wrapped, router: service.router },
    pools: policy.references.filter((one) => one.kind === 'pool'),
    hasOrderBook: policy.references.some((one) => one.kind === 'order-book'),
  }
  let isTold = false
  while (!signal.aborted) {
    try {
      for (const awaited of await journal.aftermath.due({ limit: looksMax, at: clock.now() })) {
        if (signal.aborted) return
        await journal.aftermath.note(awaited, await lookAfter(looking, awaited))
      }
      isTold = false
    } catch (error) {
      if (!isTold) log.warn({ err: error }, 'what came after swaps could not be looked at')
      isTold = true
    }
    await clock.sleep(pollMs, signal).catch(() => undefined)
  }
}
