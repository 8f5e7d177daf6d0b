import type { WrittenDecision } from '../../bot/journal/decisions/decisions.ts'
import { masked } from '../../bot/journal/store/text.ts'
import type { Context, Decision } from '../../bot/stages.ts'
import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import { canonicalJson } from '../../core/json.ts'

/** Whether the strategy's code of today makes the same of the same context. */
export type Recheck =
  | { readonly verdict: 'same'; readonly paramsChanged: boolean }
  | {
      readonly verdict: 'differs'
      readonly paramsChanged: boolean
      /** What it decides today; or that it fails on it, with the error's words. */
      readonly today: { readonly kind: string; readonly reason: string }
    }
  | { readonly verdict: 'not-asked'; readonly why: string }

/** The strategies of the configuration as it is now; or why they cannot be loaded. */
export type Current = {
  readonly strategies: readonly LoadedStrategy[]
  readonly trouble: string | undefined
}

/** Gives the journaled context, with the parameters it had, to the strategy of that name as it is now. */
export function recheck(
  written: WrittenDecision,
  context: Context<unknown>,
  { strategies, trouble }: Current,
): Recheck {
  if (trouble !== undefined) return { verdict: 'not-asked', why: trouble }
  const loaded = strategies.find(({ name }) => name === written.strategy)
  if (loaded === undefined)
    return {
      verdict: 'not-asked',
      why: `'${written.strategy}' is not in the configuration any more`,
    }
  const before = JSON.stringify((JSON.parse(written.context) as { params?: unknown }).params)
  const paramsChanged = before !== canonicalJson(loaded.params, masked)
  let today: Decision
  try {
    today = loaded.strategy.decide(context)
  } catch (error) {
    // Code that fails on what it once could read is code that changed: that is the answer.
    const reason = error instanceof Error ? error.message : String(error)
    return { verdict: 'differs', paramsChanged, today: { kind: 'failed', reason } }
  }
  if (canonicalJson(today, masked) === written.decision) return { verdict: 'same', paramsChanged }
  const reason =
    today.kind === 'swap' ? today.intents.map((one) => one.reason).join('; ') : today.reason
  return { verdict: 'differs', paramsChanged, today: { kind: today.kind, reason } }
}
