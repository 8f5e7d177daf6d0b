import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { ballastError } from '../../../core/errors.ts'
import { compactJson } from '../../../core/json.ts'
import { walletSchemaPattern } from '../../../core/walletSchema.ts'
import { genesis } from '../log/log.ts'
import { journalName, journalSchema, type ServerDatabase } from '../store/database.ts'
import { unpacked } from '../store/packed.ts'
import { openPostgres, openPostgresToRead } from '../store/postgres/openPostgres.ts'
import type { Tables } from '../store/tables.ts'

/** The log of every journal of a database as it was at one moment: its number of entries, and the hash of the last. */
type Heads = Readonly<Record<string, { readonly seq: number; readonly hash: string }>>

type Entry = { readonly seq: number; readonly at: number; readonly heads: Heads }

/** Beside the queue of the fleet: no wallet's writer waits for it. */
const place = (database: ServerDatabase): ServerDatabase => ({
  ...database,
  schema: 'ballast_queue',
})

/** SHA-256 of the hash before it and the entry. */
const hashOf = (prev: string, { seq, at, heads }: Entry): string =>
  createHash('sha256').update(prev).update(compactJson({ at, heads, seq })).digest('hex')

/**
 * Notes the heads of all logs in one chain that all wallets share: each wallet has a log of its own, and one that was
 * written anew, or cut off, is not the one that the others were noted beside. Returns the entry's number and hash.
 */
export async function noteHeads(
  database: ServerDatabase,
  at: number,
): Promise<{ readonly seq: number; readonly hash: string }> {
  const { db } = openPostgres(place(database))
  try {
    return await db.transaction().execute(async (trx) => {
      await sql`CREATE TABLE IF NOT EXISTS common_log
        (seq bigint PRIMARY KEY, at bigint NOT NULL, heads text NOT NULL, prev text NOT NULL, hash text NOT NULL)`.execute(
        trx,
      )
      const { rows } = await sql<{ seq: number; hash: string }>`
        SELECT seq, hash FROM common_log ORDER BY seq DESC LIMIT 1`.execute(trx)
      const last = rows[0] ?? { seq: 0, hash: genesis }
      const entry = { seq: last.seq + 1, at, heads: await headsOf(trx) }
      const hash = hashOf(last.hash, entry)
      await sql`INSERT INTO common_log
        VALUES (${entry.seq}, ${at}, ${compactJson(entry.heads)}, ${last.hash}, ${hash})`.execute(
        trx,
      )
      return { seq: entry.seq, hash }
    })
  } finally {
    await db.destroy()
  }
}

async function headsOf(trx: Kysely<Tables>): Promise<Heads> {
  const { rows } = await sql<{ schema: string }>`
    SELECT nspname AS schema FROM pg_namespace
    WHERE nspname ~ ${sql.lit(walletSchemaPattern)} AND to_regclass(nspname || '.event') IS NOT NULL
    ORDER BY nspname`.execute(trx)
  const heads: Record<string, { seq: number; hash: string }> = {}
  for (const { schema } of rows) {
    const { rows: found } = await sql<{ seq: number; hash: Uint8Array | string }>`
      SELECT seq, hash FROM ${sql.table(`${schema}.event`)} ORDER BY seq DESC LIMIT 1`.execute(trx)
    const [last] = found
    if (last !== undefined) heads[schema] = { seq: last.seq, hash: textOf(last.hash) }
  }
  return heads
}

const textOf = (hash: Uint8Array | string) => (typeof hash === 'string' ? hash : unpacked(hash))

/**
 * The hash of a wallet's log as the others last noted it, which must be in its chain; undefined before the first note.
 * Throws COMMON_LOG_BROKEN where the notes do not follow each other.
 */
export async function notedHead(database: ServerDatabase): Promise<string | undefined> {
  const db = openPostgresToRead(place(database))
  try {
    const { rows: tables } = await sql<{ found: string | null }>`
      SELECT to_regclass('common_log')::text AS found`.execute(db)
    if ((tables[0]?.found ?? null) === null) return undefined
    const { rows } = await sql<{
      seq: number
      at: number
      heads: string
      prev: string
      hash: string
    }>`SELECT seq, at, heads, prev, hash FROM common_log ORDER BY seq`.execute(db)
    let prev = genesis
    let own: string | undefined
    for (const [index, row] of rows.entries()) {
      const heads = JSON.parse(row.heads) as Heads
      const { seq, at } = row
      const follows =
        seq === index + 1 && row.prev === prev && row.hash === hashOf(prev, { seq, at, heads })
      if (!follows)
        throw ballastError(
          'COMMON_LOG_BROKEN',
          'The notes of all logs do not follow each other: somebody changed them.',
          { journal: journalName(place(database)), entry: seq },
        )
      prev = row.hash
      own = heads[journalSchema(database)]?.hash ?? own
    }
    return own
  } finally {
    await db.destroy()
  }
}
