import type { Kysely } from 'kysely'
import type { BooksScope } from '../../books.ts'
import type { Tables } from '../store/tables.ts'

/** Bids for the last nonces: more than one swap with its approval ever has. */
const nonceBidsMax = 40

/** Height of the newest block that the books rest on; 0 where they rest on none. Nonces and blocks rise together. */
export async function newestBlock(
  db: Kysely<Tables>,
  { chainId, wallet }: Omit<BooksScope, 'since'>,
): Promise<number> {
  const rows = await db
    .selectFrom('attempt')
    .innerJoin('swap', 'swap.id', 'attempt.swap_id')
    .select(['attempt.closed_at_block', 'swap.included_block'])
    .where('attempt.chain_id', '=', chainId)
    .where('attempt.wallet', '=', wallet.toLowerCase())
    .orderBy('attempt.nonce', 'desc')
    .limit(nonceBidsMax)
    .execute()
  return Math.max(
    0,
    ...rows.map((row) => Math.max(row.closed_at_block ?? 0, row.included_block ?? 0)),
  )
}
