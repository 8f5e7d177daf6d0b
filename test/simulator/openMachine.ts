import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { createDisk, type Disk } from './disk.ts'
import { journalOptions } from './world.ts'

/** The machine every simulation of this worker runs on, its disk migrated once. */
export async function openMachine(): Promise<Disk> {
  const disk = createDisk()
  const clock = { now: () => 0, sleep: async () => {} }
  const journal = await openJournal({ ...journalOptions, clock })
  await journal.shut()
  disk.wipe()
  return disk
}
