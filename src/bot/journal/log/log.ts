import { createHash } from 'node:crypto'
import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import { foreignMax } from '../../../core/display.ts'
import { packed } from '../store/packed.ts'
import { prepared } from '../store/prepared.ts'
import type { Store } from '../store/store.ts'
import type { EventTable, Tables } from '../store/tables.ts'
import { maskedJson } from '../store/text.ts'
import type { LogEvent } from './facts.ts'

/**
 * Appends to the log, chained to the entry before it. An entry is `of` a swap, by its id, or of something else by its kind
 * and name: `lock 3`, `wallet 0x…`, `strategy dca`.
 *
 * Only inside a transaction: it holds the write lock from its begin, so no other process writes between the two.
 */
export async function appendEvent(
  trx: Transaction<Tables>,
  { of, at, type, facts }: LogEvent & { readonly of: string; readonly at: number },
): Promise<void> {
  const last = await lastEntry(trx)
  const entry = {
    seq: last.seq + 1,
    swap_id: of,
    at,
    type,
    // The log is read in a terminal.
    facts: maskedJson(facts, { limit: foreignMax }),
  }
  await insertEntry(trx, {
    ...entry,
    facts: packed(entry.facts),
    prev: packed(last.hash),
    hash: packed(chainHash(last.hash, entry)),
  })
}

const insertEntry = prepared((db, row: Insertable<EventTable>) => {
  const { seq, swap_id, at, type, facts, prev, hash } = row
  return db.insertInto('event').values({ seq, swap_id, at, type, facts, prev, hash })
})

/** The hash that the first entry follows. */
export const genesis = '0'.repeat(64)

/** One entry as it is hashed. `facts` is the text of the row, so what is hashed is what is read. */
export type ChainedEntry = Pick<Selectable<EventTable>, 'swap_id' | 'at' | 'type' | 'facts'> & {
  readonly seq: number
}

/** SHA-256 of the hash before it and the entry, as 64 hex digits: an entry cannot change without every later one. */
export function chainHash(prev: string, { seq, swap_id, at, type, facts }: ChainedEntry): string {
  // Keys in alphabetical order and no spaces: one entry has one text.
  const entry = JSON.stringify({ at, facts, seq, swap_id, type })
  return createHash('sha256').update(prev).update(entry).digest('hex')
}

/** An entry of the log: its number, and the hash by which everything before it is known. */
export type LogEntry = { readonly seq: number; readonly hash: string }

/** The newest entry of the log; before the first, what that one follows. */
export async function lastEntry(db: Kysely<Tables>): Promise<LogEntry> {
  const { rows } = await selectLast(db, {})
  return rows[0] ?? { seq: 0, hash: genesis }
}

const selectLast = prepared((db) =>
  db.selectFrom('event').select(['seq', 'hash']).orderBy('seq', 'desc').limit(1),
)

/** The newest entry from before an instant; before the first, what that one follows. */
export async function lastEntryBefore(db: Kysely<Tables>, at: number): Promise<LogEntry> {
  const row = await db
    .selectFrom('event')
    .select(['seq', 'hash'])
    .where('at', '<', at)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? { seq: 0, hash: genesis }
}

/** An entry of the log about one swap. */
export type LogRecord = {
  readonly seq: number
  readonly at: number
  readonly type: string
  readonly facts: Readonly<Record<string, unknown>>
}

/** The log's entries on one swap, from its plan to its end. */
export async function recordsOfSwap(
  { db, archives }: Pick<Store, 'db' | 'archives'>,
  swapId: string,
): Promise<readonly LogRecord[]> {
  const rows = await db
    .selectFrom('event')
    .selectAll()
    .where('swap_id', '=', swapId)
    .orderBy('seq')
    .execute()
  const archived = await archives.facts(rows)
  return rows.map(({ seq, at, type, facts }) => ({
    ...{ seq, at, type },
    facts: JSON.parse(archived.get(seq) ?? facts),
  }))
}

/** An entry as a person pages through the log: what it is about, and the hash that it follows and is known by. */
export type LoggedEntry = LogEntry &
  Pick<Selectable<EventTable>, 'at' | 'type' | 'prev'> & { readonly of: string }

/** Entries of the log, newest first, a page of them. */
export async function newestEntries(
  db: Kysely<Tables>,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<readonly LoggedEntry[]> {
  let query = db.selectFrom('event').select(['seq', 'swap_id as of', 'at', 'type', 'prev', 'hash'])
  if (before !== undefined) query = query.where('seq', '<', before)
  return query.orderBy('seq', 'desc').limit(limit).execute()
}
