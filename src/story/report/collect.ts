import type { Dossier } from '../../bot/dossier.ts'
import type { RefusedWish } from '../../bot/journal/aftermath/aftermath.ts'
import type { JournalReader } from '../../bot/journal/readJournal.ts'
import { createExecutionTally } from '../../bot/report/createExecutionTally.ts'
import { createMakerTally } from '../../bot/report/createMakerTally.ts'
import { createOpportunityTally } from '../../bot/report/createOpportunityTally.ts'
import { createParityTally } from '../../bot/report/createParityTally.ts'
import { createQualityTally } from '../../bot/report/createQualityTally.ts'
import { createRates } from '../../bot/report/createRates.ts'
import { createScheduleTally } from '../../bot/report/createScheduleTally.ts'
import { createVenueTally } from '../../bot/report/createVenueTally.ts'
import { type Quality, qualityOf } from '../../bot/report/quality.ts'
import { type Shortfall, shortfall, type Timing, timingOf } from '../../bot/report/shortfall.ts'
import { isFinal } from '../../bot/state.ts'
import type { Config } from '../../config/config.ts'
import { sameAddress, sameToken } from '../../core/token.ts'
import { inPages } from '../inPages.ts'

/** The span of the report. Instants in milliseconds since the epoch. */
type Span = {
  readonly since: number | undefined
  readonly until: number | undefined
  readonly strategy: string | undefined
  /** The number of single swaps kept, the newest. */
  readonly swaps: number
}

/** A settled swap with its cost, and what was found out after it. */
export type Executed = {
  readonly swap: Dossier
  readonly cost: Shortfall | undefined
  readonly quality: Quality | undefined
}

/** Swaps read at a time. */
const page = 200

/** Reads the swaps of a span once, in pages, and adds up. It keeps sums, and the newest of the single swaps. */
export async function collect(
  journal: Pick<JournalReader, 'swaps' | 'aftermath' | 'decisions' | 'slots'>,
  span: Span,
  { tokens, policy, wallet }: Pick<Config, 'tokens' | 'policy' | 'wallet'>,
) {
  const { since, until, strategy, swaps: keep } = span
  const money = policy.stablecoins.map(({ token }) => token)
  const rates = createRates()
  const executions = createExecutionTally()
  const venues = createVenueTally()
  const schedules = createScheduleTally((token) => money.some((one) => sameToken(one, token)))
  const parity = createParityTally()
  const qualities = createQualityTally()
  const makers = createMakerTally()
  const opportunities = createOpportunityTally()
  const timings: Timing[] = []
  const newest: Executed[] = []
  let first: number | undefined
  let gasForNothing = 0n

  const all = inPages(page, (limit, last: Dossier | undefined) => {
    const after = last && { createdAt: last.createdAt, id: last.id }
    return journal.swaps.page({ after, limit, since, until, strategy })
  })
  for await (const swap of all) {
    // A journal may have the swaps of another wallet or another chain before this one.
    const { chainId } = swap.plan.intent.sell.token
    if (!sameAddress(swap.plan.wallet, wallet.address) || chainId !== tokens.native.chainId)
      continue
    first ??= swap.createdAt
    for (const tally of [rates, venues, schedules, parity]) tally.add(swap)
    timings.push(timingOf(swap))
    const quality = qualityOf(swap, tokens)
    makers.add(swap, quality)
    if (quality !== undefined) qualities.add(swap, quality)
    if (swap.moved === undefined) {
      noteUnfilled(opportunities, swap)
      gasForNothing += swap.gasPaidInAll ?? 0n
      continue
    }
    const cost = shortfall(swap, tokens)
    executions.add(swap, cost)
    newest.push({ swap, cost, quality })
    if (newest.length > keep) newest.shift()
  }
  const refusals = inPages(page, (limit, after: RefusedWish | undefined) =>
    journal.aftermath.refusals({ after, limit, since, until, strategy }),
  )
  for await (const wish of refusals) opportunities.add({ ...wish, decided: undefined })
  return {
    first,
    rates: rates.result(),
    executions: executions.result(),
    venues: venues.result(),
    schedules: schedules.result(),
    parity: parity.result(),
    qualities: qualities.result(),
    makers: makers.result(),
    opportunities: opportunities.result(),
    timings,
    /** Wei of the coin, for swaps that moved nothing. */
    gasForNothing,
    /** Newest last. */
    newest,
    /** Intents that never became a swap. */
    unplanned: await journal.decisions.countRefusals(span),
    slots: await slotsOf(journal, span),
  }
}

/** A swap that ended without a fill. One that is open may still have one. */
function noteUnfilled(
  tally: ReturnType<typeof createOpportunityTally>,
  { state, strategy, plan, aftermath }: Dossier,
): void {
  if (!isFinal(state) || aftermath === undefined) return
  const { sell, buy } = plan.intent
  const decided = plan.arrival?.fair.wei
  tally.add({ strategy, sell, buy, decided, found: aftermath.found })
}

/** The outcome of the calendar slots of the span, by strategy. */
async function slotsOf(journal: Pick<JournalReader, 'slots'>, { since, until, strategy }: Span) {
  const counts = new Map<string, { done: number; passed: number; missed: number; failed: number }>()
  const notDone: Awaited<ReturnType<JournalReader['slots']['page']>>[number][] = []
  type Last = { readonly strategy: string; readonly slot: number }
  const closed = inPages(page, (limit, after: Last | undefined) =>
    journal.slots.page({ after, limit, since, until, strategy }),
  )
  for await (const row of closed) {
    // Where a calendar begins: nothing was due.
    if (row.slots === 0) continue
    const own = counts.get(row.strategy) ?? { done: 0, passed: 0, missed: 0, failed: 0 }
    counts.set(row.strategy, own)
    own[row.state] += slotsWithin(row, { since, until })
    if (row.state === 'missed' || row.state === 'failed') notDone.push(row)
  }
  return {
    counts: [...counts].map(([name, own]) => ({ strategy: name, ...own })),
    /** Missed and failed, with the reasons. Newest last, of all strategies: a list that is cut drops the oldest. */
    notDone: notDone.toSorted((one, other) => one.slot - other.slot),
  }
}

/**
 * How many slots of a run that was closed at once are in a span: spread evenly from its first to its last, so that spans that
 * follow each other come to the whole run.
 */
function slotsWithin(
  { slot, upto, slots }: { readonly slot: number; readonly upto: number; readonly slots: number },
  { since, until }: Pick<Span, 'since' | 'until'>,
): number {
  const [length, steps] = [BigInt(upto - slot), BigInt(slots - 1)]
  /** Those before an instant: as many as n with n * length < steps * (instant - slot). */
  const before = (instant: number): number => {
    if (instant <= slot) return 0
    if (instant > upto || length === 0n) return slots
    return Number((steps * BigInt(instant - slot) + length - 1n) / length)
  }
  return before(until ?? Number.MAX_SAFE_INTEGER) - before(since ?? 0)
}
