import { drive, resume } from '../../bot/drive.ts'
import type { Drivetrain } from '../../bot/drivetrain.ts'
import { draft } from '../../bot/policy/draft.ts'
import { screen } from '../../bot/policy/screen.ts'
import type { Log } from '../../bot/report/createLog.ts'
import { endLine } from '../../bot/report/endLine.ts'
import type { Appraise, Context, Intent } from '../../bot/stages.ts'
import { isFinal } from '../../bot/state.ts'
import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { Config } from '../../config/config.ts'
import { BallastError } from '../../core/errors.ts'
import type { createBreakers } from './createBreakers.ts'
import { indicationFor, type openLook } from './openObserver.ts'
import { planOf } from './planOf.ts'

type Ticking = {
  readonly config: Config
  readonly train: Drivetrain
  /** Values an intent before it is planned. */
  readonly appraise: Appraise
  readonly look: ReturnType<typeof openLook>
  readonly breakers: ReturnType<typeof createBreakers>
  readonly log: Log
  /** A line for the person at the terminal. */
  readonly say: (line: string) => void
  readonly signal: AbortSignal
}

/** One question to one strategy, and whatever follows from its answer. */
export function createTick({ config, train, appraise, look, breakers, log, say, signal }: Ticking) {
  const { journal, clock } = train
  const lastReason = new Map<string, string>()

  async function execute(
    loaded: LoadedStrategy,
    context: Context<unknown>,
    job: { intent: Intent; key: string },
  ) {
    const { intent, key } = job
    const indication = indicationFor(context, intent)
    const pair = { sell: intent.sell.token.symbol, buy: intent.buy.symbol }
    await journal.guard('plan', { wallet: config.wallet.address, strategy: loaded.name, pair })
    const { plan, rules } = await planOf(
      { config, market: { appraise } },
      { strategy: loaded.name, intent, indication, key },
    )
    const now = clock.now()
    const planned = draft(plan, { ...rules, spent: await journal.spent(plan), now })
    const fresh = await journal.reserve(planned, (spent) => screen(plan, { ...rules, spent, now }))
    if (!fresh) {
      log.info({ strategy: loaded.name, key }, 'was planned before')
      return
    }
    log.info({ swapId: plan.swapId, strategy: loaded.name, stage: 'plan' }, intent.reason)
    try {
      await drive(planned, train, signal)
    } finally {
      await breakers.atEnd(plan.swapId)
      const record = await journal.record(plan.swapId)
      if (record !== undefined) say(endLine(record, config.tokens.native.symbol))
      const auditHead = await journal.auditHead()
      log.info({ swapId: plan.swapId, state: record?.state, auditHead }, 'the swap is left')
    }
  }

  /** Signed bytes that an error left behind are followed to their end before anything new is looked at. */
  async function finishOpen(): Promise<void> {
    for (const swapId of await journal.openSwaps()) {
      const { state } = await resume(swapId, train, signal)
      if (!isFinal(state)) return
      await breakers.atEnd(swapId)
    }
  }

  /** Whether a lock holds under which the strategy is not asked at all. */
  async function isLocked(strategy: string, slot: number): Promise<boolean> {
    try {
      await journal.guard('plan', { wallet: config.wallet.address, strategy })
      return false
    } catch (error) {
      if (!(error instanceof BallastError) || error.code !== 'LOCKED') throw error
      log.debug({ strategy, slot, lock: error.facts }, 'locked: not asked')
      return true
    }
  }

  return async function tick(loaded: LoadedStrategy, slot: number): Promise<void> {
    if (signal.aborted) return
    const { name } = loaded
    await finishOpen()
    if (await isLocked(name, slot)) return
    const seen = await look(loaded, slot)
    await breakers.atLook(name, seen)
    if (await isLocked(name, slot)) return
    const { context } = seen
    const decision = loaded.strategy.decide(context)
    await journal.recordDecision({ strategy: name, slot, at: clock.now(), context, decision })
    if (decision.kind !== 'swap') {
      log.debug({ strategy: name, slot }, decision.reason)
      // The terminal hears of a strategy's waiting once, and again when it has acted in between.
      if (!lastReason.has(name)) say(`WAIT    ${name}: ${decision.reason}`)
      lastReason.set(name, decision.reason)
      return
    }
    lastReason.delete(name)
    for (const [index, intent] of decision.intents.entries()) {
      if (signal.aborted) return
      try {
        await execute(loaded, context, { intent, key: `${name}:${slot}:${index}` })
      } catch (error) {
        if (!isOrdinary(error)) throw error
        log.warn({ strategy: name, code: error.code }, error.summary)
      }
    }
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
