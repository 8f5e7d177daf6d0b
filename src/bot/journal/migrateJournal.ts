import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../../core/clock.ts'
import type { Address } from '../../core/token.ts'
import type { Lock } from '../lock.ts'
import { copyTables, type OnPage } from './copyTables.ts'
import { holdJournal } from './holdJournal.ts'
import { lockedError } from './locks/guard.ts'
import { liveLocks, openLock } from './locks/locks.ts'
import { makeJournal } from './makeJournal.ts'
import { type MigrationProof, proveCopy } from './proveCopy.ts'
import { openDatabase } from './schema/openDatabase.ts'
import { type Database, journalName } from './store/database.ts'
import { allowIdle } from './store/postgres/openPostgres.ts'
import type { Tables } from './store/tables.ts'

/** What is done with a table, and how many of its rows are. */
export type MigrationProgress = {
  readonly doing: 'copied' | 'read here' | 'read there'
  readonly table: string
  readonly rows: number
}

type Migration = {
  readonly from: Database
  readonly to: Database
  readonly chainId: number
  readonly wallet: Address
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Is called at each page. */
  readonly tell: (progress: MigrationProgress) => void
}

const code = 'JOURNAL_MIGRATED'

/** Whether a lock says that its journal was moved away: its books go on elsewhere. */
export const isMigrated = (lock: Pick<Lock, 'code'>): boolean => lock.code === code

/**
 * Moves a journal into another database, proves that it is the same there, and halts the old one. From the first row read
 * to the halt nothing else is written to it. The halt is on disk before the new journal appears: a kill between the two
 * leaves a halt too many, and never two journals to spend from.
 *
 * Throws MIGRATION_DIFFERS where anything is not the same; nothing is left of the new journal then.
 */
export async function migrateJournal({ from, to, ...how }: Migration): Promise<MigrationProof> {
  const { chainId, wallet, clock } = how
  await using opened = new AsyncDisposableStack()
  const { fence } = opened.adopt(
    await holdJournal({ database: from, chainId, wallet, stateFolder: undefined, clock }),
    (hold) => hold.release(),
  )
  const source = opened.adopt(await openDatabase(from, { fence }), (db) => db.destroy())
  return await makeJournal(to, (target) =>
    source.transaction().execute(async (trx) => {
      if (from.dialect === 'postgres') await allowIdle(trx)
      await assertNotMigrated(trx, clock)
      return copyAndHalt({ source: trx, target, to, ...how })
    }),
  )
}

type Copying = Pick<Migration, 'to' | 'clock' | 'signal' | 'tell'> & {
  readonly source: Transaction<Tables>
  readonly target: Kysely<Tables>
}

async function copyAndHalt({ source, target, to, clock, signal, tell }: Copying) {
  const onPageOf =
    (doing: MigrationProgress['doing']): OnPage =>
    async (table, rows) => {
      tell({ doing, table, rows })
      // A file answers without a pause: a stop request has its turn here.
      await clock.sleep(0, signal)
    }
  await copyTables({ from: source, to: target, onPage: onPageOf('copied') })
  const proof = await proveCopy({ source, target, clock, onPageOf })
  await openLock(source, {
    lock: {
      kind: 'halt',
      scope: 'all',
      code,
      reason: `moved to ${journalName(to)}: resume only where that journal was never made`,
      expiresAt: undefined,
    },
    at: clock.now(),
  })
  return proof
}

/** A second copy of a journal that has moved would be of books that are behind. */
async function assertNotMigrated(source: Kysely<Tables>, clock: Clock): Promise<void> {
  const moved = (await liveLocks(source, { at: clock.now() })).find(isMigrated)
  if (moved !== undefined) throw lockedError(moved)
}
