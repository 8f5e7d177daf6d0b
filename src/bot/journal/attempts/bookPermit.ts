import type { Transaction } from 'kysely'
import type { Hex } from '../../../chain/calls/fields.ts'
import { isTransfer, type SignedPermit } from '../../../chain/settlement/permit.ts'
import type { Tables } from '../store/tables.ts'
import { sendPermit, signatureOf } from './permits.ts'

/** The nonce of a token's permit is in no calldata. Below the first it forbids none, and takes none from what others may have left. */
const nonceUnknown = '-1'

/**
 * Writes down that mined bytes brought a permit along: it took the place of what stood before it, and its swap used it up.
 * The permit itself is signed terms that were lost with the journal, so the hash of the bytes stands for its digest.
 */
export async function bookPermit(
  trx: Transaction<Tables>,
  {
    swapId,
    permit,
    bytes: { hash, minedAt },
  }: { swapId: string; permit: SignedPermit; bytes: { hash: Hex; minedAt: number } },
): Promise<void> {
  const deadline = Number(permit.deadline)
  const known = await trx
    .selectFrom('permit')
    .select('digest')
    .where('swap_id', '=', swapId)
    .where('deadline', '=', deadline)
    .executeTakeFirst()
  if (known !== undefined) return sendPermit(trx, { swapId, deadline })
  const swap = await trx
    .selectFrom('swap')
    .innerJoin('quote', 'quote.swap_id', 'swap.id')
    .select(['swap.chain_id', 'swap.wallet', 'swap.sell_token', 'swap.amount_in', 'quote.router'])
    .where('swap.id', '=', swapId)
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('permit')
    .values({
      ...{ digest: hash, swap_id: swapId, chain_id: swap.chain_id, wallet: swap.wallet },
      ...{ token: swap.sell_token, spender: swap.router, wei: swap.amount_in },
      ...(isTransfer(permit)
        ? { kind: 'PERMIT2' as const, nonce: permit.nonce.toString() }
        : { kind: 'TOKEN' as const, nonce: nonceUnknown }),
      ...{ deadline, sent: 1, created_at: minedAt, signature: signatureOf(permit) },
    })
    .execute()
}
