import type { Clock } from '../../core/clock.ts'
import { BallastError } from '../../core/errors.ts'

/** From the first refusal on, doubling; a service that says how long is taken at its word, up to the longest. */
const waitMsMin = 1_000
const waitMsMax = 60_000

/**
 * Keeps everybody's questions from a service that is overloaded or away. Whoever asks meanwhile hears at once what the
 * last one heard; when the wait is over, the next question goes through and decides.
 */
export function createGate({ clock }: { readonly clock: Clock }) {
  let shut:
    | { readonly since: number; readonly waitMs: number; readonly why: BallastError }
    | undefined

  const isShut = (now: number) =>
    shut !== undefined && now >= shut.since && now - shut.since < shut.waitMs

  return async function through<value>(ask: () => Promise<value>): Promise<value> {
    if (shut !== undefined && isShut(clock.now())) throw shut.why
    const before = shut
    try {
      const value = await ask()
      if (shut === before) shut = undefined
      return value
    } catch (error) {
      // Several that were under way together are one refusal.
      if (error instanceof BallastError && isOverload(error) && shut === before) {
        const said = error.facts.retryAfterMs
        const doubled = before === undefined ? waitMsMin : before.waitMs * 2
        const waitMs = Math.min(Math.max(doubled, typeof said === 'number' ? said : 0), waitMsMax)
        shut = { since: clock.now(), waitMs, why: error }
      }
      throw error
    }
  }
}

/** It would answer later; what it refuses for another reason it refuses one question for. */
const isOverload = ({ remedy, fault }: BallastError) => remedy === 'retry' && fault === 'upstream'
