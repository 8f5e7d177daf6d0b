import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { ballastError } from '../../../core/errors.ts'
import {
  type Database,
  journalName,
  journalSchema,
  type Unmigrated,
  unwritable,
} from '../store/database.ts'
import { lockFile, ownsLock, readHolder } from '../store/lockFile.ts'
import { type Fence, leaseHolder } from '../store/postgres/takeLease.ts'
import type { Tables } from '../store/tables.ts'
import { actors } from './migrations/actors.ts'
import { aftermath } from './migrations/aftermath.ts'
import { alerts } from './migrations/alerts.ts'
import { bodies } from './migrations/bodies.ts'
import { deliveries } from './migrations/deliveries.ts'
import { first } from './migrations/first.ts'
import {
  indexes,
  lease,
  paper,
  reading,
  reconciled,
  strategies,
} from './migrations/leaseToReading.ts'
import {
  attempts,
  audit,
  baseline,
  locks,
  notional,
  short,
  signedAt,
} from './migrations/locksToAttempts.ts'
import { looks } from './migrations/looks.ts'
import { packedColumns } from './migrations/packedColumns.ts'
import { paramsOfStrategy } from './migrations/paramsOfStrategy.ts'
import { permitKinds } from './migrations/permitKinds.ts'
import { permits } from './migrations/permits.ts'
import { prices } from './migrations/prices.ts'
import { published } from './migrations/published.ts'
import { seededValuations } from './migrations/seededValuations.ts'
import { tips } from './migrations/tips.ts'
import { totals } from './migrations/totals.ts'
import { unsettled } from './migrations/unsettled.ts'
import { valuations } from './migrations/valuations.ts'

/** In the order they apply. A released one is never edited: add the next. */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-first': first,
  '0002-locks': locks,
  '0003-audit': audit,
  '0004-baseline': baseline,
  '0005-notional': notional,
  '0006-short': short,
  '0007-signed-at': signedAt,
  '0008-attempts': attempts,
  '0009-lease': lease,
  '0010-indexes': indexes,
  '0011-reconciled': reconciled,
  '0012-strategies': strategies,
  '0013-paper': paper,
  '0014-reading': reading,
  '0015-tips': tips,
  '0016-prices': prices,
  '0017-totals': totals,
  '0018-alerts': alerts,
  '0019-looks': looks,
  '0020-deliveries': deliveries,
  '0021-packed': packedColumns,
  '0022-bodies': bodies,
  '0023-published': published,
  '0024-aftermath': aftermath,
  '0025-permits': permits,
  '0026-permit-kinds': permitKinds,
  '0027-valuations': valuations,
  '0028-seeded-valuations': seededValuations,
  '0029-unsettled': unsettled,
  '0030-actors': actors,
  '0031-params-of-strategy': paramsOfStrategy,
}

const known = Object.keys(migrations)

/**
 * Brings the schema up to this version. Throws JOURNAL_OLDER where another process spends from an older journal: its bot
 * would go on in tables that are not its own. A second process that opens the journal meanwhile waits on a server, and is
 * told JOURNAL_BUSY of a file.
 */
export async function migrate(
  { db, inOneTransaction }: Unmigrated,
  database: Database,
  fence?: Fence,
): Promise<void> {
  const pending = await pendingOf(db, database)
  if (pending.length === 0) return
  using _kept = pending.length === known.length ? undefined : keepFileFromOthers(database)
  await inOneTransaction(async (inside) => {
    if (fence === undefined && !pending.includes('0009-lease'))
      await assertNotLeased(inside, database)
    const { error } = await migratorOf(inside, database).migrateToLatest()
    if (error !== undefined) throw error
  })
}

/** What the holder of a lock is at. */
const migrating = 'migrating'

/** Holds a journal in a file while its schema changes, unless this process does already. */
function keepFileFromOthers(database: Database): Disposable | undefined {
  if (database.dialect !== 'sqlite' || ownsLock(database.path)) return undefined
  const { path } = database
  const lock = lockFile(path, {
    holds: migrating,
    locked(cause) {
      const { pid, holds } = readHolder(path) ?? {}
      if (holds === migrating)
        return ballastError(
          'JOURNAL_BUSY',
          'Another process brings the journal up to date.',
          { journal: path, holder: `process ${pid}` },
          cause,
        )
      return spentFrom(path, `process ${pid ?? 'unknown'}`)
    },
    unwritable: (cause) => unwritable(path, cause),
  })
  return { [Symbol.dispose]: lock.release }
}

/** Inside the transaction that migrates: no lease is given away before its end. */
async function assertNotLeased(db: Kysely<Tables>, database: Database): Promise<void> {
  if (database.dialect !== 'postgres') return
  const holder = await leaseHolder(db)
  if (holder !== undefined) throw spentFrom(journalName(database), holder)
}

const spentFrom = (journal: string, holder: string) =>
  ballastError(
    'JOURNAL_OLDER',
    'The journal is of an older version, and a bot still spends from it: stop that bot first, or use its version here.',
    { journal, holder, next: 'to halt that bot at once: make the HALT file of its data folder' },
  )

/** Throws where the schema is not this version's: who only reads changes nothing. */
export async function assertCurrent(db: Kysely<Tables>, database: Database): Promise<void> {
  const pending = await pendingOf(db, database)
  if (pending.length === 0) return
  throw ballastError(
    'JOURNAL_OLDER',
    'The journal was written by an older version and is only looked at here: start the bot of this version once, and it is brought up to date.',
    { journal: journalName(database), missing: pending.join(', ') },
  )
}

const migratorOf = (db: Kysely<Tables>, database: Database) =>
  new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations }) },
    // Another journal of the same database has its own record of them.
    ...(database.dialect === 'postgres' && { migrationTableSchema: journalSchema(database) }),
  })

/** Migrations that are still to be applied. */
async function pendingOf(db: Kysely<Tables>, database: Database): Promise<readonly string[]> {
  const applied = await appliedOf(db, database)
  const newer = applied.filter((one) => !known.includes(one))
  if (newer.length > 0)
    throw ballastError(
      'JOURNAL_NEWER',
      'The journal was written by a newer version of Ballast: use that version, or a newer one.',
      { journal: journalName(database), unknown: newer.join(', ') },
    )
  return known.filter((one) => !applied.includes(one))
}

async function appliedOf(db: Kysely<Tables>, database: Database): Promise<readonly string[]> {
  const own = database.dialect === 'postgres' ? journalSchema(database) : undefined
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  const names = tables.filter(({ schema }) => schema === own)
  if (!names.some((table) => table.name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration`.execute(db)
  return rows.map((row) => row.name)
}
