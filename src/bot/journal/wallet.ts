import type { Kysely } from 'kysely'
import { BallastError } from '../../core/errors.ts'
import type { Address } from '../../core/token.ts'
import type { Tables } from './tables.ts'

/**
 * Takes a wallet into the journal, or compares the chain's nonce with what the journal would give next.
 *
 * A higher nonce on chain means that somebody else used this key, or that this journal is an old copy: both end here.
 * A lower one is normal while own transactions wait to be mined, and wrong when none does.
 */
export async function adoptWallet(
  db: Kysely<Tables>,
  { chainId, wallet, nonceOfChain }: { chainId: number; wallet: Address; nonceOfChain: number },
): Promise<void> {
  const address = wallet.toLowerCase()
  const known = await db
    .selectFrom('wallet')
    .select('next_nonce')
    .where('chain_id', '=', chainId)
    .where('address', '=', address)
    .executeTakeFirst()
  if (known === undefined) {
    await db
      .insertInto('wallet')
      .values({ chain_id: chainId, address, next_nonce: nonceOfChain })
      .execute()
    return
  }
  if (nonceOfChain === known.next_nonce) return
  const ahead = nonceOfChain > known.next_nonce
  throw new BallastError(
    ahead
      ? 'The wallet sent transactions that this journal does not know.'
      : 'The chain has lost transactions that this journal knows to be mined.',
    {
      code: ahead ? 'NONCE_FOREIGN' : 'NONCE_LOST',
      remedy: 'halt',
      fault: 'locked',
      facts: { wallet, nonceOfChain, nonceOfJournal: known.next_nonce },
    },
  )
}
