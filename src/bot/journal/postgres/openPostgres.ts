import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresDialect,
} from 'kysely'
import type { Secret } from '../../../core/secret.ts'
import { journalName } from '../nameOf.ts'
import type { Unmigrated } from '../opened.ts'
import type { Tables } from '../tables.ts'
import { postgresDdl } from './ddl.ts'
import type { Fence } from './fence.ts'
import { openPool } from './openPool.ts'
import { retrySerialization } from './retrySerialization.ts'
import { writeLock } from './writeLock.ts'

/** What a transaction begins with and what ends it. */
type Bounds = {
  begin(connection: DatabaseConnection): Promise<void>
  readonly name: string
}

/**
 * The journal in a database of PostgreSQL, to be written.
 *
 * A transaction takes one lock when it begins and reads what is committed by then, statement by statement. So it
 * holds what SQLite's BEGIN IMMEDIATE holds: one writer at a time, and nothing changes between what it reads and writes.
 */
export function openPostgres(url: Secret, fence?: Fence): Unmigrated {
  const name = journalName({ dialect: 'postgres', url })
  const db = databaseOf(url, {
    name,
    async begin(connection) {
      fence?.assertHeld()
      await ask(connection, writeLock.begin)
      if (fence === undefined) return
      const { rows } = await ask(connection, fence.sql)
      if (rows.length !== 1) fence.lost()
    },
  })
  retrySerialization(db)
  return {
    db,
    inOneTransaction: (work) =>
      db.transaction().execute((trx) => work(trx.withPlugin(postgresDdl))),
  }
}

/** The same to be read only. A transaction sees one moment of the journal, and keeps nobody from writing. */
export function openPostgresToRead(url: Secret): Kysely<Tables> {
  const name = journalName({ dialect: 'postgres', url })
  return databaseOf(url, {
    name,
    async begin(connection) {
      await ask(connection, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    },
  })
}

const unlocked = { acquireMigrationLock: async () => {}, releaseMigrationLock: async () => {} }

const ask = (connection: DatabaseConnection, sql: string) =>
  connection.executeQuery(CompiledQuery.raw(sql))

function databaseOf(url: Secret, bounds: Bounds): Kysely<Tables> {
  const dialect = new PostgresDialect({ pool: openPool(url, bounds.name) })
  return new Kysely<Tables>({
    dialect: {
      // Migrations run inside a transaction that holds the right to write: they need no lock of their own.
      createAdapter: () => Object.assign(dialect.createAdapter(), unlocked),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => bounded(dialect.createDriver(), bounds),
    },
  })
}

/** The driver with our own begin; a rollback never hides what made it necessary. */
function bounded(driver: Driver, { begin }: Bounds): Driver {
  const rollback = (connection: DatabaseConnection) =>
    // A connection that is cut off has nothing to roll back: the server did, and it is thrown away when released.
    driver.rollbackTransaction(connection).catch(() => {})
  return {
    init: (options) => driver.init(options),
    acquireConnection: (options) => driver.acquireConnection(options),
    async beginTransaction(connection) {
      try {
        await begin(connection)
      } catch (error) {
        await rollback(connection)
        throw error
      }
    },
    commitTransaction: (connection) => driver.commitTransaction(connection),
    rollbackTransaction: rollback,
    releaseConnection: (connection) => driver.releaseConnection(connection),
    destroy: (options) => driver.destroy(options),
  }
}
