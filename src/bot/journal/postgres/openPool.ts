import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg, { type PoolClient } from 'pg'
import { BallastError } from '../../../core/errors.ts'
import type { Secret } from '../../../core/secret.ts'
import { connectionOf } from './connectionOf.ts'
import { busy, commitUnknown, isCutOff, isTimeout, journalUnreachable } from './failure.ts'

/** Reads go on beside the one writer; more would wait for its lock anyway. */
const connectionsMax = 4

/**
 * Connections to the server, each prepared before it is used and thrown away after the first sign that it is cut off.
 *
 * Outside a transaction nothing can be written: every write passes where a transaction begins.
 */
export function openPool(url: Secret, name: string): PostgresPool {
  const pool = new pg.Pool({ ...connectionOf(url), max: connectionsMax })
  // A connection that ends while nobody uses it is replaced; one in use says so to whoever uses it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const prepared = new WeakSet<PoolClient>()
  const prepare = async (client: PoolClient) => {
    if (prepared.has(client)) return
    try {
      await prepareSession(client, name)
    } catch (error) {
      client.release(true)
      throw error
    }
    prepared.add(client)
  }
  return {
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw journalUnreachable(name, error)
      })
      await prepare(client)
      return watched(client, name)
    },
    end: () => pool.end(),
  } as PostgresPool
}

async function prepareSession(client: PoolClient, name: string): Promise<void> {
  await client.query(`SET synchronous_commit = on; SET default_transaction_read_only = on;
    SET search_path = public; SET client_encoding = 'UTF8'`)
  const { rows } = await client.query<{ durable: string; flushed: string; encoding: string }>(
    `SELECT current_setting('synchronous_commit') AS durable, current_setting('fsync') AS flushed,
       current_setting('server_encoding') AS encoding`,
  )
  const [{ durable, flushed, encoding } = { durable: '', flushed: '', encoding: '' }] = rows
  if (durable === 'on' && flushed === 'on' && encoding === 'UTF8') return
  throw new BallastError('The server of the journal does not keep what it says it kept.', {
    code: 'JOURNAL_NOT_DURABLE',
    remedy: 'halt',
    fault: 'usage',
    facts: { journal: name, synchronous_commit: durable, fsync: flushed, encoding },
  })
}

/** A client that is not given back for use once it was cut off, and whose failures say what is lost by them. */
function watched(client: PoolClient, name: string): PostgresPoolClient {
  let cutOff = false
  return {
    async query(sql: string, parameters: readonly unknown[]) {
      try {
        return await client.query(sql, parameters.map(storable))
      } catch (error) {
        if (isTimeout(error)) throw busy(name, error)
        if (!isCutOff(error)) throw error
        cutOff = true
        throw sql === 'commit' ? commitUnknown(name, error) : journalUnreachable(name, error)
      }
    },
    release: (discard?: boolean) => client.release(cutOff || discard === true),
  } as unknown as PostgresPoolClient
}

/** PostgreSQL has no text with a zero in it, and foreign words may have one. What is hashed has it escaped already. */
const storable = (value: unknown) =>
  typeof value === 'string' ? value.replaceAll('\0', '\u{FFFD}') : value
