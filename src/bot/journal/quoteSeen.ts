import type { Kysely } from 'kysely'
import type { Address } from '../../core/token.ts'
import type { Tables } from './tables.ts'

/** Whether a quote with this id was taken before. The database's unique index says it again when the quote is stored. */
export async function quoteSeen(
  db: Kysely<Tables>,
  {
    chainId,
    router,
    quoteId,
    swapId,
  }: { chainId: number; router: Address; quoteId: string; swapId: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('quote')
    .select('swap_id')
    .where('chain_id', '=', chainId)
    .where('router', '=', router.toLowerCase())
    .where('quote_id', '=', quoteId)
    .where('swap_id', '!=', swapId)
    .executeTakeFirst()
  return row !== undefined
}
