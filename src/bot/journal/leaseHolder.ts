import { type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'
import { serverNow } from './postgres/serverNow.ts'
import type { Tables } from './tables.ts'

/** The process that spends from a journal on a server, as host and number; undefined where none does. */
export async function leaseHolder(
  db: Kysely<Tables>,
  { dialect }: Database,
): Promise<string | undefined> {
  if (dialect === 'sqlite') return undefined
  const row = await db
    .selectFrom('wallet_lease')
    .select('holder')
    .where('expires_at', '>', sql.raw<number>(serverNow))
    .executeTakeFirst()
  return row?.holder
}
