import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'

/** One thing that was looked at. */
export type Finding = {
  readonly name: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly expected?: string
  readonly actual: string
  /** Whose turn it is when it failed: the operator's, that of what did not answer, or of who looks into a lock. */
  readonly fault?: 'usage' | 'upstream' | 'locked'
}

/** Everything an examination may look at. */
export type Scene = {
  readonly config: Config
  readonly clock: Clock
  readonly signal: AbortSignal
}
