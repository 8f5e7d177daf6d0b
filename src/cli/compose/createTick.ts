import { drive } from '../../bot/drive.ts'
import type { Drivetrain } from '../../bot/drivetrain.ts'
import { draft } from '../../bot/policy/draft.ts'
import { screen } from '../../bot/policy/screen.ts'
import type { Log } from '../../bot/report/createLog.ts'
import { endLine } from '../../bot/report/endLine.ts'
import type { Appraise, Context, Intent } from '../../bot/stages.ts'
import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { Config } from '../../config/config.ts'
import { BallastError } from '../../core/errors.ts'
import { indicationFor, type openObserver } from './openObserver.ts'
import { planOf } from './planOf.ts'

type Ticking = {
  readonly config: Config
  readonly train: Drivetrain
  /** Values an intent before it is planned. */
  readonly appraise: Appraise
  readonly observe: ReturnType<typeof openObserver>
  readonly log: Log
  /** A line for the person at the terminal. */
  readonly say: (line: string) => void
  readonly signal: AbortSignal
}

/** One question to one strategy, and whatever follows from its answer. */
export function createTick({ config, train, appraise, observe, log, say, signal }: Ticking) {
  const { journal, clock } = train
  const { policy } = config
  const lastReason = new Map<string, string>()

  async function execute(
    loaded: LoadedStrategy,
    context: Context<unknown>,
    job: { intent: Intent; key: string },
  ) {
    const { intent, key } = job
    const indication = indicationFor(context, intent)
    const { notional } = await appraise(intent)
    const plan = planOf(config, { strategy: loaded.name, intent, indication, notional, key })
    const planned = draft(plan, {
      policy,
      spent: await journal.spent(plan),
      now: clock.now(),
    })
    const fresh = await journal.reserve(planned, (spent) =>
      screen(plan, { policy, spent, now: clock.now() }),
    )
    if (!fresh) {
      log.info({ strategy: loaded.name, key }, 'was planned before')
      return
    }
    log.info({ swapId: plan.swapId, strategy: loaded.name, stage: 'plan' }, intent.reason)
    try {
      await drive(planned, train, signal)
    } finally {
      const record = await journal.record(plan.swapId)
      if (record !== undefined) say(endLine(record, config.tokens.native.symbol))
    }
  }

  return async function tick(loaded: LoadedStrategy, slot: number): Promise<void> {
    if (signal.aborted) return
    const context = await observe(loaded, slot)
    const decision = loaded.strategy.decide(context)
    const { name } = loaded
    await journal.recordDecision({ strategy: name, slot, at: clock.now(), context, decision })
    if (decision.kind === 'wait') {
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

/** A refusal, a market that is away, or a process that is to stop: the next slot, or the next start, asks again. */
function isOrdinary(error: unknown): error is BallastError {
  return (
    error instanceof BallastError &&
    error.remedy !== 'halt' &&
    (error.fault === 'refused' || error.fault === 'upstream' || error.code === 'INTERRUPTED')
  )
}
