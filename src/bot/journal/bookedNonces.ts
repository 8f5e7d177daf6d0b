import type { Kysely } from 'kysely'
import type { BooksScope } from '../books.ts'
import type { Tables } from './tables.ts'

/** Nonces of a range that the wallet has signed bytes for, whichever swap they are of and however old that is. */
export async function bookedNonces(
  db: Kysely<Tables>,
  { chainId, wallet, from, to }: BooksScope & { from: number; to: number },
): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('attempt')
    .select('nonce')
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .where('nonce', '>=', from)
    .where('nonce', '<', to)
    .execute()
  return new Set(rows.map(({ nonce }) => nonce))
}
