import type { Kysely } from 'kysely'
import type { Address } from '../../core/token.ts'
import type { Tables } from './tables.ts'

/**
 * Swaps of a wallet that changed since. Asked by itself: beside another condition it is a question that is answered by
 * reading every swap there ever was.
 */
export async function recentIds(
  db: Kysely<Tables>,
  { chainId, wallet, since }: { chainId: number; wallet: Address; since: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('swap')
    .select('id')
    .where('wallet', '=', wallet.toLowerCase())
    .where('updated_at', '>=', since)
    .where('chain_id', '=', chainId)
    .execute()
  return rows.map(({ id }) => id)
}
