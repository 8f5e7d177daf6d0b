import type { Kysely } from 'kysely'
import type { BooksScope, CleanMark } from '../books.ts'
import type { Tables } from './tables.ts'

/** How far a wallet's books were found to be in order; undefined before the first time. */
export async function cleanMark(
  db: Kysely<Tables>,
  { chainId, wallet }: BooksScope,
): Promise<CleanMark | undefined> {
  return db
    .selectFrom('reconciled')
    .select(['block', 'seq', 'hash', 'at', 'limits'])
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .executeTakeFirst()
}

/** Sets it. Only what was compared whole, and found whole, is marked. */
export async function markClean(
  db: Kysely<Tables>,
  { chainId, wallet, mark }: BooksScope & { mark: CleanMark },
): Promise<void> {
  const { block, seq, hash, at, limits } = mark
  const values = { block, seq, hash, at, limits }
  await db.transaction().execute((trx) =>
    trx
      .insertInto('reconciled')
      .values({ chain_id: chainId, wallet: wallet.toLowerCase(), ...values })
      .onConflict((conflict) => conflict.columns(['chain_id', 'wallet']).doUpdateSet(values))
      .execute(),
  )
}
