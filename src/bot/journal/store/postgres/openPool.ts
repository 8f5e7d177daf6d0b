import { readFileSync } from 'node:fs'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg, { type ClientConfig, type PoolClient } from 'pg'
import { assert } from '../../../../core/assert.ts'
import { BallastError, ballastError } from '../../../../core/errors.ts'
import type { ErrorCode } from '../../../../core/errorTable.ts'
import type { Secret } from '../../../../core/secret.ts'
import { journalName, journalSchema, type ServerDatabase, unusable } from '../database.ts'

/** Reads go on beside the one writer of a journal. All journals of a server share these, in one process. */
const connectionsMax = 8

/** By address and times: a fleet has many journals on one server, which takes few connections. */
const pools = new Map<string, { readonly pool: pg.Pool; journals: number }>()

/** The pool of a server, until the last journal that uses it is closed. */
function sharePool(url: Secret, times: ServerTimes) {
  const key = `${times.statement} ${url.reveal()}`
  const known = pools.get(key)
  const shared = known ?? { pool: makePool(url, times), journals: 0 }
  shared.journals += 1
  pools.set(key, shared)
  return {
    pool: shared.pool,
    async end() {
      shared.journals -= 1
      if (shared.journals > 0) return
      pools.delete(key)
      await shared.pool.end()
    },
  }
}

function makePool(url: Secret, times: ServerTimes): pg.Pool {
  const pool = new pg.Pool({ ...connectionOf(url, times), max: connectionsMax })
  // An idle connection that ends is replaced; one in use fails the query it is used for.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** The schema that a connection of a pool looks into. */
const schemas = new WeakMap<PoolClient, string>()

/**
 * Connections to the server, each prepared before it is used and thrown away after the first sign that it is cut off.
 *
 * Outside a transaction nothing can be written: every write passes where a transaction begins.
 */
export function openPool(database: ServerDatabase, times: ServerTimes = usual): PostgresPool {
  const name = journalName(database)
  const schema = journalSchema(database)
  const { pool, end } = sharePool(database.url, times)
  const prepare = async (client: PoolClient) => {
    const known = schemas.get(client)
    if (known === schema) return
    try {
      if (known === undefined) await prepareSession(client, { name, times })
      await client.query(`SET search_path = ${schema}`)
    } catch (error) {
      client.release(true)
      throw error instanceof BallastError ? error : journalUnreachable(name, error)
    }
    schemas.set(client, schema)
  }
  return {
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw journalUnreachable(name, error)
      })
      await prepare(client)
      return watched(client, name)
    },
    end,
  } as unknown as PostgresPool
}

async function prepareSession(
  client: PoolClient,
  { name, times }: { readonly name: string; readonly times: ServerTimes },
): Promise<void> {
  await client.query(
    `${settingsOf(limitsOf(times))}; SET synchronous_commit = on; SET default_transaction_read_only = on; SET client_encoding = 'UTF8'`,
  )
  const { rows } = await client.query<{ durable: string; flushed: string; encoding: string }>(
    `SELECT current_setting('synchronous_commit') AS durable, current_setting('fsync') AS flushed,
       current_setting('server_encoding') AS encoding`,
  )
  const [{ durable, flushed, encoding } = { durable: '', flushed: '', encoding: '' }] = rows
  if (durable === 'on' && flushed === 'on' && encoding === 'UTF8') return
  throw ballastError(
    'JOURNAL_NOT_DURABLE',
    'The server of the journal does not keep what it says it kept.',
    { journal: name, synchronous_commit: durable, fsync: flushed, encoding },
  )
}

/** A client that is not given back for use once it was cut off, and whose failures state what is lost by them. */
function watched(client: PoolClient, name: string): PostgresPoolClient {
  let cutOff = false
  return {
    async query(sql: string, parameters: readonly unknown[]) {
      try {
        return await client.query(sql, parameters.map(storable))
      } catch (error) {
        if (isTimeout(error)) throw busy(name, error)
        if (!isCutOff(error) && !isStandby(sql, error)) throw error
        cutOff = true
        throw sql === 'commit' ? commitUnknown(name, error) : journalUnreachable(name, error)
      }
    },
    release: (discard?: boolean) => client.release(cutOff || discard === true),
  } as unknown as PostgresPoolClient
}

/** PostgreSQL has no text with a zero in it, and foreign words may have one. Hashed text has it escaped already. */
const storable = (value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\0', '\u{FFFD}') : value

/** Type of count, max and of every integer here. */
const int8 = 20

/**
 * How the server of an address is reached. Everything is from the address and nothing from the environment, where
 * the driver would look for what is left out. A server elsewhere is spoken to over TLS and must show its certificate.
 */
export function connectionOf(url: Secret, times: ServerTimes = usual): ClientConfig {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url.reveal())
  const authority = searchParams.get('sslrootcert')
  return {
    host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ''),
    port: Number(port || 5_432),
    user: decodeURIComponent(username),
    password: () => decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    ssl: isPlain(hostname, searchParams.get('sslmode'))
      ? false
      : { ...(authority === null ? {} : { ca: readFileSync(authority, 'utf8') }) },
    application_name: 'ballast',
    connectionTimeoutMillis: times.connect,
    query_timeout: times.answer,
    keepAlive: true,
    types: { getTypeParser: parserOf },
  }
}

/** What the server itself ends after some time, by its own names of these settings. Milliseconds. */
export const limitsOf = (times: ServerTimes = usual) => ({
  statement_timeout: times.statement,
  lock_timeout: times.lock,
  idle_in_transaction_session_timeout: times.idleInTransaction,
})

/** Sets them in a session: a pooler in between (PgBouncer) takes no connection that states them at its start. */
export const settingsOf = (limits: ReturnType<typeof limitsOf>): string =>
  Object.entries(limits)
    .map(([name, milliseconds]) => `SET ${name} = ${milliseconds}`)
    .join('; ')

/** The loopback of a machine cannot be overheard; to any other host only `sslmode=disable` leaves TLS out. */
const isPlain = (hostname: string, mode: string | null) =>
  mode === 'disable' ||
  (mode === null && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))

/** Integers are heights, times and counts, and fit a number; anything else is read as the driver reads it. */
const parserOf = ((oid: number, format: 'text') =>
  oid === int8 ? readInteger : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser

function readInteger(text: string): number {
  const value = Number(text)
  assert(Number.isSafeInteger(value), 'an integer of the journal fits a number')
  return value
}

/** How long PostgreSQL, and this process, wait for what. Milliseconds. */
export type ServerTimes = {
  /** For a connection: also for one of the pool to be free. */
  readonly connect: number
  /** For another writer, as long as for the file of SQLite. */
  readonly lock: number
  /** For one statement; a walk through the whole log reads it in pages. */
  readonly statement: number
  /** The server ends a transaction whose process stands still, so that a stopped one does not stop all others. */
  readonly idleInTransaction: number
  /** A server that is gone answers nothing: longer than every limit of its own, it is not waited for. */
  readonly answer: number
}

const usual: ServerTimes = {
  connect: 10_000,
  lock: 5_000,
  statement: 30_000,
  idleInTransaction: 10_000,
  answer: 35_000,
}

/** A statement that changes the schema rewrites tables of years. */
export const whileMigrating: ServerTimes = { ...usual, statement: 7_200_000, answer: 7_205_000 }

/** The server's code for an error; undefined where the error is not the server's. */
export function stateOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** Classes and codes with which the server ends a connection, or will not have one: 08, 53, 57P and time in a transaction. */
const ending = /^(?:08|53|57P|25P0[34])/

/** Whether this connection takes no more queries, so that the last one may or may not have been done. */
function isCutOff(error: unknown): boolean {
  const state = stateOf(error)
  return state === undefined || ending.test(state)
}

/** A server that was the first one until another took over lets nobody begin to write. */
const isStandby = (sql: string, error: unknown): boolean =>
  stateOf(error) === '0A000' && sql.startsWith('BEGIN')

/** Another writer, or the statement itself, did not finish in the time that is waited for it: nothing of it was kept. */
const isTimeout = (error: unknown) => ['55P03', '57014'].includes(stateOf(error) ?? '')

const busy = (name: string, cause: unknown) =>
  failed('The journal was busy for too long.', { code: 'JOURNAL_BUSY', name, cause })

/** Codes with which the server answers, and will not have this account or database: that does not pass by itself. */
const refusing = /^(?:28|3D|42501)/

/** The server is away, or refuses. Nothing is signed without it; what is signed is followed when it is back. */
export const journalUnreachable = (name: string, cause: unknown) =>
  refusing.test(stateOf(cause) ?? '')
    ? unusable(name, cause)
    : failed('The journal could not be reached.', { code: 'JOURNAL_UNREACHABLE', name, cause })

/** The connection ended between COMMIT and its answer: what was to be written is there, or is not. */
const commitUnknown = (name: string, cause: unknown) =>
  failed('The journal did not say whether it kept what was written.', {
    code: 'COMMIT_UNKNOWN',
    name,
    cause,
  })

function failed(
  sentence: string,
  { code, name, cause }: { code: ErrorCode; name: string; cause: unknown },
): BallastError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return ballastError(code, sentence, { journal: name, reason }, cause)
}
