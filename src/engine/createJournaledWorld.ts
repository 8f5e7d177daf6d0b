import type { UnsignedJournal } from '../bot/journal/createUnsigned.ts'
import { draft, screen } from '../bot/policy/checkPlan.ts'
import { endLine, type Log } from '../bot/report/createLog.ts'
import type { Appraise, Intent, Planned, Spent } from '../bot/stages.ts'
import { isFinal, type SwapState } from '../bot/state.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { Config } from '../config/config.ts'
import { bareRefusal } from '../core/check.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { failureFacts, failureReason } from '../core/failureReason.ts'
import { hourMs } from '../core/spans.ts'
import type { createBreakers } from './createBreakers.ts'
import { calendarOf } from './createSlotBook.ts'
import { indicationFor } from './indicationFor.ts'
import type { openLook } from './look.ts'
import { planOf } from './planOf.ts'
import type { TurnBooks, World } from './turn.ts'

/** Takes swaps to their end: on the chain, or on paper. */
export type Driver = {
  drive(planned: Planned, signal: AbortSignal): Promise<unknown>
  /** Continues what is open. */
  resume(swapId: string, signal: AbortSignal): Promise<{ readonly state: SwapState }>
}

type Parts = {
  readonly config: Config
  readonly journal: UnsignedJournal
  readonly clock: Clock
  readonly driver: Driver
  /** Values an intent before it is planned. */
  readonly appraise: Appraise
  readonly look: ReturnType<typeof openLook>
  readonly breakers: ReturnType<typeof createBreakers>
  /** Swaps that are left and whose end the breakers have not judged yet: they outlive a change of the configuration. */
  readonly unjudged: Set<string>
  /** A swap of the strategy has ended: what the strategy holds back may have changed. */
  readonly forget: (strategy: string) => void
  /** Whether the configuration is still in force: under another, what is not planned yet is decided on again. */
  readonly isInForce: () => boolean
  /** Throws PRICE_UNWITNESSED where the price of an intent rests on one endpoint alone. */
  readonly assertPriced: (loaded: LoadedStrategy, intent: Intent) => void
  readonly log: Log
  /** A line for the person at the terminal. */
  readonly say: (line: string) => void
  readonly signal: AbortSignal
  /** No decision begins; one that has is carried out. */
  readonly leave?: AbortSignal | undefined
}

/** What a run knows beside its journal. By strategy: its last reason to wait, the code of its last refusal, and a wish to swap that was only counted. */
type News = {
  readonly lastReason: Map<string, string>
  readonly lastRefusal: Map<string, string>
  readonly counted: Map<string, Parameters<UnsignedJournal['decisions']['recordWhole']>[0]>
}

const configChanged = ballastError(
  'CONFIG_CHANGED',
  'The configuration changed before this swap was planned.',
)

/** A process that stood still may have taken as long. */
const decisionAgeMsMax = hourMs

/** With the swaps of the same decision before it: a dozen take as long where a chain calls a block final after half an hour. */
const basketAgeMsMax = 6 * hourMs

/** `leftAt` is when the swap before it was left: those of one decision take their time one after the other. */
function assertRecent(
  now: number,
  { decidedAt, leftAt }: { decidedAt: number; leftAt: number },
): void {
  const ages = [
    { ageMs: now - Math.max(decidedAt, leftAt), ageMsMax: decisionAgeMsMax },
    { ageMs: now - decidedAt, ageMsMax: basketAgeMsMax },
  ]
  for (const age of ages)
    if (age.ageMs > age.ageMsMax)
      throw ballastError(
        'DECISION_STALE',
        'The market was looked at so long ago that it has to be decided again.',
        age,
      )
}

/**
 * The world of a run: the market as it is now, and a journal in which each step is durable before the next. Live trading
 * and paper differ in their {@link Driver} alone.
 */
export function createJournaledWorld(parts: Parts): World<Planned> {
  const { config, journal, clock, driver, appraise, look, breakers } = parts
  const { isInForce, log, signal, leave } = parts
  const wallet = config.wallet.address
  const news: News = {
    ...{ lastReason: new Map(), lastRefusal: new Map(), counted: new Map() },
  }

  /** When a swap was left last. */
  let leftAt = 0

  return {
    isStopping: (position) => signal.aborted || (position === 0 && leave?.aborted === true),

    async look(loaded, slot) {
      const { name } = loaded
      if (await isLocked(parts, name, slot)) return undefined
      const seen = await look(loaded, slot).catch(async (error: unknown) => {
        if (error instanceof BallastError) await breakers.atRefusal(error)
        throw error
      })
      await breakers.atLook(name, seen)
      return (await isLocked(parts, name, slot)) ? undefined : seen.context
    },

    async admit({ loaded, slot, attempt, position, context, intent }) {
      if (!isInForce()) throw configChanged
      const looked = { decidedAt: context.now, leftAt }
      assertRecent(clock.now(), looked)
      parts.assertPriced(loaded, intent)
      const strategy = loaded.name
      // A slot that is begun again has another key. The journal makes sure that no earlier attempt may still sell anything.
      const key = `${strategy}:${slot}:${position}${attempt === 0 ? '' : `#${attempt}`}`
      const pair = { sell: intent.sell.token.symbol, buy: intent.buy.symbol }
      const assertFree = () => journal.locks.guard('plan', { wallet, strategy, pair })
      await assertFree()
      const { plan, rules } = await planOf(
        { config, market: { appraise } },
        { strategy, intent, indication: indicationFor(context, intent), key },
      )
      await breakers.atPlan(plan)
      await assertFree()
      const now = clock.now()
      const drafted = draft(plan, { ...rules, spent: await journal.limits.spent(plan), now })
      // No limit stops it this time: what a swap comes of is in the books whole, before the swap is.
      const counted = news.counted.get(strategy)
      if (counted !== undefined) await journal.decisions.recordWhole(counted)
      news.counted.delete(strategy)
      const fits = (spent: Spent) => {
        // Appraising took a while: what a reload has put in force since then holds.
        if (!isInForce()) throw configChanged
        // The machine may have slept meanwhile.
        assertRecent(clock.now(), looked)
        screen(plan, { ...rules, spent, now })
      }
      const fresh = await journal.swaps.reserve(drafted, fits, { slot, attempt })
      if (!fresh) {
        log.info({ strategy, key }, 'was planned before')
        return undefined
      }
      log.info({ swapId: plan.swapId, strategy, stage: 'plan' }, intent.reason)
      news.lastRefusal.delete(strategy)
      return drafted
    },

    async carryOut(planned) {
      const leave = () => {
        leftAt = clock.now()
        return judgeEnd(planned, parts)
      }
      try {
        await driver.drive(planned, signal)
      } catch (error) {
        // A journal that is away must not hide what ended the swap: that may have to end the bot.
        await leave().catch((beside: unknown) => {
          if (!(beside instanceof BallastError) || beside.fault !== 'upstream') throw beside
          log.warn({ swapId: planned.swapId, err: beside }, 'the end of a swap is judged later')
        })
        throw error
      }
      await leave()
    },

    books: journaledBooks(parts, news),
  }
}

async function judgeEnd(
  { swapId, strategy }: Planned,
  { config, journal, breakers, unjudged, forget, log, say }: Parts,
): Promise<void> {
  forget(strategy)
  unjudged.add(swapId)
  await breakers.atEnd(swapId)
  unjudged.delete(swapId)
  const record = await journal.swaps.record(swapId)
  if (record !== undefined) say(endLine(record, config.tokens.native.symbol))
  const auditHead = await journal.log.head()
  log.info({ swapId, state: record?.state, auditHead }, 'the swap is left')
}

/** Whether a lock holds that keeps the strategy from deciding at all. */
async function isLocked(
  { config, journal, log }: Parts,
  strategy: string,
  slot: number,
): Promise<boolean> {
  try {
    await journal.locks.guard('plan', { wallet: config.wallet.address, strategy })
    return false
  } catch (error) {
    if (!(error instanceof BallastError) || error.code !== 'LOCKED') throw error
    log.debug({ strategy, slot, lock: error.facts }, 'locked: no decision')
    return true
  }
}

/** The books of a run: the journal, and a line for the person at the terminal where there is news. */
const journaledBooks = (
  { journal, clock, driver, breakers, unjudged, forget, log, say, signal }: Parts,
  { lastReason, lastRefusal, counted }: News,
): TurnBooks => ({
  /** Signed bytes that an error left behind are followed to their end before anything new is looked at. */
  async finishOpen() {
    // A journal that was away at the end of a swap: the lock that follows must not be lost.
    for (const swapId of unjudged) {
      await breakers.atEnd(swapId)
      unjudged.delete(swapId)
    }
    for (const swapId of await journal.swaps.open()) {
      const { state } = await driver.resume(swapId, signal)
      const record = await journal.swaps.record(swapId)
      if (record !== undefined) forget(record.strategy)
      if (!isFinal(state)) return
      unjudged.add(swapId)
      await breakers.atEnd(swapId)
      unjudged.delete(swapId)
    }
  },

  progress: (strategy, slot) => journal.slots.progress({ strategy, slot }),

  async decided({ loaded, slot, context, decision }) {
    const strategy = loaded.name
    const written = { strategy, slot, at: clock.now(), context, decision }
    const { id: number, counted: isCounted } = await journal.decisions.record(written)
    counted.delete(strategy)
    // One without a memory ends the one before.
    forget(strategy)
    if (decision.kind === 'swap') {
      if (isCounted) counted.set(strategy, written)
      lastReason.delete(strategy)
      return number
    }
    log.debug({ strategy, slot }, decision.reason)
    // The terminal shows a strategy's waiting once, and again when it has acted in between.
    if (!lastReason.has(strategy)) say(`WAIT    ${strategy}: ${decision.reason}`)
    lastReason.set(strategy, decision.reason)
    return number
  },

  async broke({ name }, error) {
    log.error({ strategy: name, err: error }, error.summary)
    await breakers.atBroken(name, error)
    say(`BROKEN  ${name}: ${error.summary} The others go on.`)
  },

  async refused({ decision, intent, loaded: { name: strategy } }, { error, isPlanned }) {
    const { code } = error
    const reason = failureReason(error)
    const facts = failureFacts(error)
    log.warn({ strategy, code, ...(facts === null ? {} : { facts }) }, reason)
    // A planned swap has the reason of its end in its own record.
    if (isPlanned) return
    await breakers.atRefusal(error)
    await journal.decisions.noteRefusal({ decision, strategy, code, reason, intent })
    // Once for each rule, or a bound that is hit every second would fill the terminal.
    if (error !== configChanged && lastRefusal.get(strategy) !== code)
      say(`REFUSED ${strategy}: ${bareRefusal(reason)} (${code})`)
    lastRefusal.set(strategy, code)
  },

  async closeSlot({ name: strategy, schedule }, slot, end) {
    if (schedule.kind !== 'cron') return
    const calendar = calendarOf(schedule)
    await journal.slots.close({ strategy, slot, upto: slot, slots: 1, calendar, ...end })
  },
})
