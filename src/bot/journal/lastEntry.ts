import type { Kysely } from 'kysely'
import { genesis } from './chain.ts'
import type { Tables } from './tables.ts'

/** An entry of the log: its number, and the hash by which everything before it is known. */
export type LogEntry = { readonly seq: number; readonly hash: string }

/** The newest entry of the log; before the first, what that one follows. */
export async function lastEntry(db: Kysely<Tables>): Promise<LogEntry> {
  const row = await db
    .selectFrom('event')
    .select(['seq', 'hash'])
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ?? { seq: 0, hash: genesis }
}

/** Hash of the newest entry: whoever knows it sees later whether the end of the log was cut off. */
export async function logHead(db: Kysely<Tables>): Promise<string> {
  const row = await db
    .selectFrom('event')
    .select('hash')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.hash ?? genesis
}
