import type { Journal } from '../../src/bot/journal/openJournal.ts'
import type { Signed } from '../../src/bot/stages.ts'
import type { Clock } from '../../src/core/clock.ts'
import type { Disk } from './disk.ts'
import type { Life } from './life.ts'
import type { Faults } from './matrix.ts'
import type { Node } from './node.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'
import type { createService } from './service.ts'

/** What a process is started with. All of it outlives the process. */
export type Setup = {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly faults: Faults
  readonly disk: Disk
  /** Opens the journal as a process that spends from it does. */
  readonly openJournal: (life: Life, clock: Clock) => Promise<Journal>
  readonly endpoint: Node
  readonly witness: Node | undefined
  readonly service: ReturnType<typeof createService>
  readonly confirmations: number
  readonly blockMs: number
  readonly pollMs: number
  /** How far the machine's clock is from the true time, milliseconds. */
  readonly skewMs: () => number
  readonly onPort: (life: Life, what: string, moment: 'before' | 'after') => void
  readonly onTrouble: (code: string) => void
  readonly onSign: (kind: Signed['kind']) => void
}
