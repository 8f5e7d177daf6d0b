import { type Journal, openJournal } from '../../src/bot/journal/openJournal.ts'
import { createDisk, type Disk, outside } from './disk.ts'
import { journalOptions } from './world.ts'

/** The machine that every simulation of a worker runs on, and the eyes of whoever looks at it from outside. */
export type Machine = { readonly disk: Disk; readonly journal: Journal }

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
