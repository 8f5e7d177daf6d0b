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

type Row = Omit<Entry, 'heads'> & {
  readonly heads: string
  readonly prev: string
  readonly hash: string
}

/** Notes that are read at once: one has the heads of every wallet. */
const page = 500

/** Beside the queue of the fleet: no wallet's writer waits for it. */
const place = (database: ServerDatabase): ServerDatabase => ({
  ...database,
  schema: 'ballast_queue',
})

/** SHA-256 of the hash before it and the entry. */
const hashOf = (prev: string, { seq, at, heads }: Entry): string =>
  createHash('sha256').update(prev).update(compactJson({ at, heads, seq })).digest('hex')

/** The entry of a note, its hash, and the schemas of the logs that are not the ones of the note before. */
type Note = {
  readonly seq: number
  readonly hash: string
  readonly contradicted: readonly string[]
}

/**
 * Notes the heads of all logs in one chain that all wallets share: each wallet has a log of its own, and one that was
 * written anew, or cut off, is not the one that the others were noted beside. Of such a one the head before is noted
 * again: a new one would make it the right one. Where no log has grown nothing is written.
 */
export async function noteHeads(database: ServerDatabase, at: number): Promise<Note> {
  const { db } = openPostgres(place(database))
  try {
    return await db.transaction().execute(async (trx) => {
      await sql`CREATE TABLE IF NOT EXISTS common_log
        (seq bigint PRIMARY KEY, at bigint NOT NULL, heads text NOT NULL, prev text NOT NULL, hash text NOT NULL)`.execute(
        trx,
      )
      const { rows } = await sql<{ seq: number; hash: string; heads: string }>`
        SELECT seq, hash, heads FROM common_log ORDER BY seq DESC LIMIT 1`.execute(trx)
      const last = rows[0] ?? { seq: 0, hash: genesis, heads: '{}' }
      const before = JSON.parse(last.heads) as Heads
      const now = await headsOf(trx)
      const contradicted = await contradictedBy(trx, { before, now })
      // Of one that is gone too: what comes in its place is held to it.
      const kept = Object.entries(before).filter(
        ([schema]) => now[schema] === undefined || contradicted.includes(schema),
      )
      const entry = { seq: last.seq + 1, at, heads: { ...now, ...Object.fromEntries(kept) } }
      if (compactJson(entry.heads) === last.heads)
        return { seq: last.seq, hash: last.hash, contradicted }
      const hash = hashOf(last.hash, entry)
      await sql`INSERT INTO common_log
        VALUES (${entry.seq}, ${at}, ${compactJson(entry.heads)}, ${last.hash}, ${hash})`.execute(
        trx,
      )
      return { seq: entry.seq, hash, contradicted }
    })
  } finally {
    await db.destroy()
  }
}

/** The logs that have no such entry any more as was noted of them. A wallet whose log is gone as a whole is not one. */
async function contradictedBy(
  trx: Kysely<Tables>,
  { before, now }: { readonly before: Heads; readonly now: Heads },
): Promise<readonly string[]> {
  const schemas: string[] = []
  for (const [schema, noted] of Object.entries(before)) {
    if (now[schema] === undefined) continue
    const { rows } = await sql<{ hash: Uint8Array | string }>`
      SELECT hash FROM ${sql.table(`${schema}.event`)} WHERE seq = ${noted.seq}`.execute(trx)
    const [found] = rows
    if (found === undefined || textOf(found.hash) !== noted.hash) schemas.push(schema)
  }
  return schemas
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
    let [prev, own, count] = [genesis, undefined as string | undefined, 0]
    for (;;) {
      const { rows } = await sql<Row>`SELECT seq, at, heads, prev, hash FROM common_log
        WHERE seq > ${count} ORDER BY seq LIMIT ${page}`.execute(db)
      for (const { seq, at, hash, ...row } of rows) {
        const heads = JSON.parse(row.heads) as Heads
        count += 1
        const follows =
          seq === count && row.prev === prev && hash === hashOf(prev, { seq, at, heads })
        if (!follows)
          throw ballastError(
            'COMMON_LOG_BROKEN',
            'The notes of all logs do not follow each other: somebody changed them.',
            { journal: journalName(place(database)), entry: seq },
          )
        prev = hash
        own = heads[journalSchema(database)]?.hash ?? own
      }
      if (rows.length < page) return own
    }
  } finally {
    await db.destroy()
  }
}
