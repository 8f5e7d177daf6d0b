import { sql } from 'kysely'
import { ballastError } from '../../core/errors.ts'
import type { Address } from '../../core/token.ts'
import { journalExists } from './schema/openDatabase.ts'
import { type Database, journalName } from './store/database.ts'
import { openPostgresToRead } from './store/postgres/openPostgres.ts'

/**
 * Throws WALLET_HAS_JOURNAL where a wallet would begin a second journal in its database: it has none in a schema of its
 * own, and one in `public` that was not moved. Limits and slots would begin anew, and a bot that is still there would trade
 * beside this one.
 */
export async function assertMoved({
  database,
  chain: { chainId },
  wallet: { address },
}: {
  readonly database: Database
  readonly chain: { readonly chainId: number }
  readonly wallet: { readonly address: Address }
}): Promise<void> {
  if (database.dialect !== 'postgres' || database.schema === undefined) return
  const former: Database = { dialect: 'postgres', url: database.url }
  if ((await journalExists(database)) || !(await journalExists(former))) return
  const db = openPostgresToRead(former)
  try {
    const { rows } = await sql`
      SELECT 1 FROM wallet WHERE chain_id = ${chainId} AND address = ${address.toLowerCase()}
        AND NOT EXISTS (SELECT 1 FROM lock WHERE code = 'JOURNAL_MIGRATED' AND released_at IS NULL)`.execute(
      db,
    )
    if (rows.length === 0) return
    throw ballastError(
      'WALLET_HAS_JOURNAL',
      'This wallet has a journal in the database already, of a bot with one wallet.',
      {
        journal: journalName(former),
        next: 'stop that bot, then move it: ballast migrate --fleet, with the configuration of one wallet',
      },
    )
  } finally {
    await db.destroy()
  }
}
