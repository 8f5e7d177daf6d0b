import type { Clock } from '../../core/clock.ts'
import type { Address } from '../../core/token.ts'
import type { Database } from './database.ts'
import { lockJournal } from './lockJournal.ts'
import { openDatabase } from './openDatabase.ts'
import type { Fence } from './postgres/fence.ts'
import { type LeaseTimes, takeLease } from './postgres/takeLease.ts'

/** The right to spend from a journal. `fence` goes to whoever writes; a file needs none, the system guards it. */
export type Hold = { readonly fence: Fence | undefined; release(): Promise<void> }

/** Lets one process at a time spend from a journal; others may read, and lock. Throws JOURNAL_LOCKED where one does. */
export async function holdJournal({
  database,
  chainId,
  wallet,
  clock,
  times,
}: {
  database: Database
  chainId: number
  wallet: Address
  clock: Clock
  times?: LeaseTimes
}): Promise<Hold> {
  if (database.dialect === 'sqlite') {
    const lock = lockJournal(database.path)
    return { fence: undefined, release: async () => lock.release() }
  }
  // The lease is a row of the journal: there is one before anybody holds it.
  await (await openDatabase(database)).destroy()
  return takeLease({ url: database.url, chainId, wallet, clock, times })
}
