import type { UnsignedJournal } from '../../bot/journal/createUnsigned.ts'
import type { AttentionFacts } from '../../bot/report/attention.ts'
import type { LoadedStrategy } from '../../bot/strategy/load.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../core/clock.ts'
import type { Health } from '../../dashboard/views.ts'
import type { OpenMarket } from '../../engine/market.ts'

/** A running bot, as its pages see it. */
export type Served = {
  readonly mode: Health['mode']
  readonly config: Config
  readonly market: OpenMarket
  readonly journal: UnsignedJournal
  /** The strategies that run now. */
  readonly strategies: () => readonly LoadedStrategy[]
  /** Why the last look of a strategy failed. */
  readonly troubleOf: (strategy: string) => string | undefined
  /** Why the file is not in force as it stands. */
  readonly refused: () => AttentionFacts['refused']
  /** The limits that are in force now: both may change while the bot runs. */
  readonly rules: () => Pick<Config, 'policy' | 'breakers'>
  readonly clock: Clock
  /** Since when it could look, where that is earlier than this opening; in milliseconds since the epoch. */
  readonly runningSince?: number | undefined
}
