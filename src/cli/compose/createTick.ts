import type { UnsignedJournal } from '../../bot/journal/createUnsigned.ts'
import type { SlotTry } from '../../bot/journal/swaps/reserve.ts'
import { draft } from '../../bot/policy/draft.ts'
import { screen } from '../../bot/policy/screen.ts'
import type { Log } from '../../bot/report/createLog.ts'
import { endLine } from '../../bot/report/endLine.ts'
import { slotTriesMax } from '../../bot/schedule/slotTriesMax.ts'
import type { Appraise, Context, Intent, Planned, Spent } from '../../bot/stages.ts'
import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import { BallastError } from '../../core/errors.ts'
import { calendarOf } from './calendarOf.ts'
import type { createBreakers } from './createBreakers.ts'
import { type Driver, finishOpen } from './finishOpen.ts'
import { indicationFor, type openLook } from './openObserver.ts'
import { planOf } from './planOf.ts'

type Ticking = {
  readonly config: Config
  readonly journal: UnsignedJournal
  readonly clock: Clock
  readonly driver: Driver
  /** Values an intent before it is planned. */
  readonly appraise: Appraise
  readonly look: ReturnType<typeof openLook>
  readonly breakers: ReturnType<typeof createBreakers>
  /** Told that a swap of the strategy has ended: what it keeps for itself may be another amount now. */
  readonly forget: (strategy: string) => void
  /** Whether the configuration is still the one in force: what is not planned yet is decided on anew under another. */
  readonly isInForce: () => boolean
  readonly log: Log
  /** A line for the person at the terminal. */
  readonly say: (line: string) => void
  readonly signal: AbortSignal
}

const changed = {
  code: 'CONFIG_CHANGED',
  reason: 'The configuration changed before this swap was planned.',
}

/**
 * One question to one strategy, and whatever follows from its answer. Says whether the slot is over: a calendar asks
 * again about one that is not.
 */
export function createTick(ticking: Ticking) {
  const { config, journal, clock, driver, appraise, look, breakers, forget } = ticking
  const { isInForce, log, say, signal } = ticking
  const lastReason = new Map<string, string>()
  const lastRefusal = new Map<string, string>()

  /** Values an intent, holds it to the rules, and puts it in the journal; undefined where it was there before. */
  async function planned(
    loaded: LoadedStrategy,
    context: Context<unknown>,
    job: { intent: Intent; key: string; slot: SlotTry },
  ): Promise<Planned | undefined> {
    const { intent, key, slot } = job
    const indication = indicationFor(context, intent)
    const pair = { sell: intent.sell.token.symbol, buy: intent.buy.symbol }
    await journal.locks.guard('plan', {
      wallet: config.wallet.address,
      strategy: loaded.name,
      pair,
    })
    const { plan, rules } = await planOf(
      { config, market: { appraise } },
      { strategy: loaded.name, intent, indication, key },
    )
    const now = clock.now()
    const drafted = draft(plan, { ...rules, spent: await journal.limits.spent(plan), now })
    const fits = (spent: Spent) => screen(plan, { ...rules, spent, now })
    const fresh = await journal.swaps.reserve(drafted, fits, slot)
    if (fresh)
      log.info({ swapId: plan.swapId, strategy: loaded.name, stage: 'plan' }, intent.reason)
    else log.info({ strategy: loaded.name, key }, 'was planned before')
    return fresh ? drafted : undefined
  }

  async function execute(plan: Planned): Promise<void> {
    const { swapId, strategy } = plan
    try {
      await driver.drive(plan, signal)
    } finally {
      forget(strategy)
      await breakers.atEnd(swapId)
      const record = await journal.swaps.record(swapId)
      if (record !== undefined) say(endLine(record, config.tokens.native.symbol))
      const auditHead = await journal.log.head()
      log.info({ swapId, state: record?.state, auditHead }, 'the swap is left')
    }
  }

  /** Whether a lock holds under which the strategy is not asked at all. */
  async function isLocked(strategy: string, slot: number): Promise<boolean> {
    try {
      await journal.locks.guard('plan', { wallet: config.wallet.address, strategy })
      return false
    } catch (error) {
      if (!(error instanceof BallastError) || error.code !== 'LOCKED') throw error
      log.debug({ strategy, slot, lock: error.facts }, 'locked: not asked')
      return true
    }
  }

  /** Closes a calendar slot that has had its execution, or its last attempt; says whether it is closed. */
  async function isOver(
    { name, schedule }: LoadedStrategy,
    slot: number,
    wanted = 0,
  ): Promise<boolean> {
    if (schedule.kind !== 'cron') return false
    const { settled, open, tries } = await journal.slots.progress({ strategy: name, slot })
    if (open || (settled === 0 && tries < slotTriesMax)) return false
    const [state, reason] =
      settled > 0
        ? (['done', `${settled}${settled < wanted ? ` of ${wanted}` : ''} swaps settled.`] as const)
        : (['failed', `Begun ${tries} times, and nothing settled.`] as const)
    const calendar = calendarOf(schedule)
    await journal.slots.close({
      strategy: name,
      slot,
      upto: slot,
      slots: 1,
      calendar,
      state,
      reason,
    })
    return true
  }

  async function pass({ name, schedule }: LoadedStrategy, slot: number, reason: string) {
    if (schedule.kind !== 'cron') return
    const calendar = calendarOf(schedule)
    const closed = { strategy: name, slot, upto: slot, slots: 1, calendar, reason }
    await journal.slots.close({ ...closed, state: 'passed' })
  }

  return async function tick(loaded: LoadedStrategy, slot: number): Promise<'closed' | 'open'> {
    if (signal.aborted) return 'open'
    const { name } = loaded
    await finishOpen(ticking)
    if (await isOver(loaded, slot)) return 'closed'
    if (await isLocked(name, slot)) return 'open'
    const seen = await look(loaded, slot)
    await breakers.atLook(name, seen)
    if (await isLocked(name, slot)) return 'open'
    const { context } = seen
    const decision = loaded.strategy.decide(context)
    const number = await journal.decisions.record({
      strategy: name,
      slot,
      at: clock.now(),
      context,
      decision,
    })
    if (decision.kind !== 'swap') {
      log.debug({ strategy: name, slot }, decision.reason)
      // The terminal hears of a strategy's waiting once, and again when it has acted in between.
      if (!lastReason.has(name)) say(`WAIT    ${name}: ${decision.reason}`)
      lastReason.set(name, decision.reason)
      if (decision.kind === 'postpone') return 'open'
      await pass(loaded, slot, decision.reason)
      return 'closed'
    }
    lastReason.delete(name)
    const { tries } = await journal.slots.progress({ strategy: name, slot })
    for (const [index, intent] of decision.intents.entries()) {
      if (signal.aborted) return 'open'
      if (!isInForce()) {
        await journal.decisions.noteRefusal({ decision: number, strategy: name, ...changed })
        continue
      }
      // What was begun again has another key; the journal sees to it that no earlier attempt may still sell anything.
      const key = `${name}:${slot}:${index}${tries === 0 ? '' : `#${tries}`}`
      let plan: Planned | undefined
      try {
        plan = await planned(loaded, context, { intent, key, slot: { slot, attempt: tries } })
        if (plan === undefined) continue
        lastRefusal.delete(name)
        await execute(plan)
      } catch (error) {
        if (!isOrdinary(error)) throw error
        log.warn({ strategy: name, code: error.code }, error.summary)
        // A swap says in the journal itself why it ended.
        const { code, summary: reason } = error
        if (plan !== undefined) continue
        await journal.decisions.noteRefusal({ decision: number, strategy: name, code, reason })
        // Once for each rule, or a bound that is hit every second would fill the terminal.
        if (lastRefusal.get(name) !== code) say(`REFUSED ${name}: ${reason} (${code})`)
        lastRefusal.set(name, code)
      }
    }
    return (await isOver(loaded, slot, decision.intents.length)) ? 'closed' : 'open'
  }
}

/** A refusal, a market that is away, a lock short of a halt, or a process that is to stop: the next slot, or the next start, asks again. */
function isOrdinary(error: unknown): error is BallastError {
  return (
    error instanceof BallastError &&
    error.remedy !== 'halt' &&
    (error.fault === 'refused' ||
      error.fault === 'upstream' ||
      error.code === 'INTERRUPTED' ||
      error.code === 'LOCKED')
  )
}
