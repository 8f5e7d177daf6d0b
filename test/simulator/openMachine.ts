import { type Journal, openJournal } from '../../src/bot/journal/openJournal.ts'
import type { Clock } from '../../src/core/clock.ts'
import { createDisk, type Disk, outside } from './disk.ts'
import type { Life } from './life.ts'
import { journalOptions } from './world.ts'

/** The machine that every simulation of a worker runs on, and the eyes of whoever looks at it from outside. */
export type Machine = { readonly disk: Disk; readonly journal: Journal }

/** The journal of the one process of a machine. */
export const openInFile = (life: Life, clock: Clock): Promise<Journal> =>
  life.guard(openJournal({ ...journalOptions, clock }))

/** A machine, its disk migrated once. */
export async function openMachine(): Promise<Machine> {
  const disk = createDisk()
  const journal = await openJournal({
    ...journalOptions,
    database: { dialect: 'sqlite', path: `${journalOptions.database.path}${outside}` },
    clock: { now: () => 0, sleep: async () => {} },
  })
  disk.wipe()
  return { disk, journal }
}
