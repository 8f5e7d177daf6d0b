import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { type Clock, monotonic } from '../../../../core/clock.ts'
import { BallastError, ballastError } from '../../../../core/errors.ts'
import type { Address } from '../../../../core/token.ts'
import { journalName, journalSchema, type ServerDatabase } from '../database.ts'
import type { Tables } from '../tables.ts'
import { advisoryKeys } from './advisoryKeys.ts'
import { connectionOf, journalUnreachable, limitsOf, settingsOf } from './openPool.ts'

/** Milliseconds. */
export type LeaseTimes = {
  /** How long a process that is gone keeps others out, by the server's clock. */
  readonly length: number
  readonly renewal: number
  /** Without a renewal for so long this process stops by itself: before the server gives the lease to another. */
  readonly stop: number
  /** How long a renewal waits for the server: two fit between a renewal and the stop. */
  readonly answer: number
}

const usual: LeaseTimes = { length: 15_000, renewal: 5_000, stop: 10_000, answer: 2_500 }

type Wanted = {
  readonly database: ServerDatabase
  readonly chainId: number
  readonly wallet: Address
  readonly clock: Clock
  readonly times?: LeaseTimes | undefined
  /** The time of this process alone, as {@link monotonic} tells it. */
  readonly elapsed?: () => number
}

/**
 * Lets one process at a time spend from a journal on a server, wherever the processes run. Throws JOURNAL_LOCKED where
 * another one does.
 *
 * A process that stands still loses the lease and does not notice: so every transaction that writes checks it inside,
 * and its number rises whenever it is given away. The holder of an old number writes nothing.
 */
export async function takeLease({
  database,
  chainId,
  wallet,
  clock,
  times = usual,
  elapsed = monotonic,
}: Wanted) {
  const name = journalName(database)
  const mine = `chain_id = ${chainId} AND address = '${wallet.toLowerCase()}'`
  let client = await connect(database, times).catch((error: unknown) => {
    throw journalUnreachable(name, error)
  })
  let renewedAt = elapsed()
  const epoch = await acquire(client, { database, mine, chainId, wallet, times }).catch(
    async (error: unknown) => {
      await client.end().catch(() => {})
      throw error instanceof BallastError ? error : journalUnreachable(name, error)
    },
  )
  const since = clock.now()
  /** Not before it is taken: who is refused is no holder. Without a name the lease is held all the same. */
  const named = async (own: pg.Client) => {
    const name = leaseName(database, since)
    await own.query(`SELECT set_config('application_name', $1, false)`, [name]).catch(() => {})
    return own
  }
  await named(client)
  let isLost = false
  const lost = (): never => {
    isLost = true
    throw ballastError('LEASE_LOST', 'This process may not spend from the journal any more.', {
      journal: name,
      wallet,
      next: 'see what held it up, then start it again',
    })
  }
  const held = `${mine} AND epoch = ${epoch} AND expires_at > ${serverNow}`
  const fence: Fence = {
    assertHeld() {
      if (isLost || elapsed() - renewedAt > times.stop) lost()
    },
    sql: `SELECT 1 AS held FROM wallet_lease WHERE ${held}`,
    lost,
  }

  const renew = async () => {
    const askedAt = elapsed()
    const { rowCount } = await client.query(
      `UPDATE wallet_lease SET expires_at = ${serverNow} + ${times.length} WHERE ${held}`,
    )
    if (rowCount === 1) renewedAt = askedAt
    else isLost = true
  }
  const released = new AbortController()
  const renewing = (async () => {
    let pause = times.renewal
    while (!isLost) {
      await clock.sleep(pause, released.signal)
      pause = times.renewal
      // Without a connection the next renewal has a new one, and comes soon, until the time without any has passed.
      await renew().catch(async () => {
        await client.end().catch(() => {})
        client = await connect(database, times).then(named, () => client)
        pause = Math.ceil(times.renewal / 10)
      })
    }
  })().catch(() => {
    // Released while it slept.
  })
  return {
    fence,
    async release() {
      released.abort()
      await renewing
      // Where it cannot be given back it runs out. Given back it is over whatever is done to the server's clock.
      await client.query(`UPDATE wallet_lease SET expires_at = 0 WHERE ${held}`).catch(() => {})
      await client.end().catch(() => {})
    },
  }
}

/** The connection that took the lease has a name in the server's list of them, of 63 bytes: since when, and of what. */
const leaseName = (database: Pick<ServerDatabase, 'schema'>, since: number): string =>
  `ballast lease ${since} ${journalSchema(database)}`.slice(0, 63)

/** Since when the lease of a journal is held, in milliseconds since the epoch, by the names of all connections. */
export function heldSinceOf(database: Pick<ServerDatabase, 'schema'>, names: readonly string[]) {
  const known = names.flatMap((name) => {
    const since = Number(/^ballast lease (\d+) /.exec(name)?.[1])
    return name === leaseName(database, since) ? [since] : []
  })
  // One that was left behind may still be in the list.
  return known.length === 0 ? undefined : Math.max(...known)
}

async function connect(database: ServerDatabase, { answer }: LeaseTimes): Promise<pg.Client> {
  const client = new pg.Client({
    ...connectionOf(database.url),
    query_timeout: answer,
    connectionTimeoutMillis: answer,
  })
  // An error that ends the connection fails the next query.
  client.on('error', () => {})
  await client.connect()
  const limits = settingsOf({ ...limitsOf(), statement_timeout: answer })
  await client.query(`${limits}; SET search_path = ${journalSchema(database)}`)
  return client
}

async function acquire(
  client: pg.Client,
  {
    database,
    mine,
    chainId,
    wallet,
    times,
  }: Omit<Wanted, 'clock' | 'times'> & { mine: string; times: LeaseTimes },
): Promise<number> {
  // The present holder ends its transaction before the lease is given away.
  await client.query(beginWriting(database))
  // Of any wallet: a process follows whatever swap the journal has open.
  const { rows } = await client.query<{ holder: string; left: number }>(
    `SELECT holder, expires_at - ${serverNow} AS left FROM wallet_lease WHERE expires_at > ${serverNow}`,
  )
  const [other] = rows
  if (other !== undefined) {
    await client.query('ROLLBACK')
    throw ballastError('JOURNAL_LOCKED', 'Another process is already spending from this journal.', {
      journal: journalName(database),
      holder: other.holder,
      next: `if it is gone, wait ${Math.ceil(other.left / 1_000)} seconds`,
    })
  }
  const taken = await client.query<{ epoch: number }>(
    `INSERT INTO wallet_lease (chain_id, address, holder, epoch, expires_at)
     VALUES ($1, $2, $3, 1, ${serverNow} + $4)
     ON CONFLICT (chain_id, address) DO UPDATE
     SET holder = excluded.holder, epoch = wallet_lease.epoch + 1, expires_at = excluded.expires_at
     RETURNING epoch`,
    [chainId, wallet.toLowerCase(), `${hostname()}:${process.pid}`, times.length],
  )
  await client.query('COMMIT')
  const [row] = taken.rows
  if (row === undefined) throw new Error(`the lease of ${mine} was written`)
  return row.epoch
}

/** Checks, inside a transaction, whether this process may still write. */
export type Fence = {
  /** Throws LEASE_LOST where it must not: by this process's own clock, without a query. */
  assertHeld(): void
  /** Answers with a row where the lease holds in the database's own words, and with none where it does not. */
  readonly sql: string
  /** Throws what is to be thrown when it does not. Nothing is written by this process afterwards. */
  lost(): never
}

/** Who holds the lease of a journal now, as host and number of its process; undefined where none does. */
export async function leaseHolder(db: Kysely<Tables>): Promise<string | undefined> {
  const row = await db
    .selectFrom('wallet_lease')
    .select('holder')
    .where('expires_at', '>', sql.raw<number>(serverNow))
    .executeTakeFirst()
  return row?.holder
}

/** The server's time in milliseconds, as an expression of SQL. No clock of this machine is compared with it. */
export const serverNow = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Journals of one database have a key each: their writers do not wait for each other. */
function keyOf(schema: string): bigint {
  if (schema === 'public') return advisoryKeys.journal
  const hash = createHash('sha256').update(schema).digest()
  return BigInt.asIntN(64, advisoryKeys.journal ^ hash.readBigUInt64BE())
}

/**
 * How a transaction that writes begins, in one message. Read committed, because the look at the lock is a statement
 * of its own: with any other level what is read would be from before it was granted.
 */
export const beginWriting = (database: Pick<ServerDatabase, 'schema'>): string =>
  `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL synchronous_commit = on; SELECT pg_advisory_xact_lock(${keyOf(journalSchema(database))})`
