import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** Number of the newest entry of the log; 0 before the first. */
export async function lastEntry(db: Kysely<Tables>): Promise<number> {
  const row = await db
    .selectFrom('event')
    .select(({ fn }) => fn.max('seq').as('seq'))
    .executeTakeFirst()
  return row?.seq ?? 0
}
