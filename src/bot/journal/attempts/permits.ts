import type { Transaction } from 'kysely'
import { concat, numberToHex } from 'viem'
import type { Hex } from '../../../chain/calls/fields.ts'
import {
  isTransfer,
  type Permit,
  permitHash,
  type SignedPermit,
} from '../../../chain/settlement/permit.ts'
import { ballastError } from '../../../core/errors.ts'
import { guard } from '../locks/guard.ts'
import { appendEvent } from '../log/log.ts'
import type { Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { permitsOf } from '../wallet/permits.ts'

/** A clock of ours and that of a chain differ by less. */
const clockSecondsMax = 120

/**
 * Stores a signed permit, before anything but this process has seen it.
 *
 * Permits of one nonce exclude each other, so a later quote of the same swap may have its own. A token's of another nonce is
 * refused while an older one with a higher nonce can still be used, and one of a nonce that a settled swap has used up: then
 * the endpoint that said this nonce lags, or lies.
 */
export async function commitPermit(
  { db, clock, haltFile, coin }: Store,
  { swapId, permit, signed }: { swapId: string; permit: Permit; signed: SignedPermit },
): Promise<void> {
  const at = clock.now()
  const { nonce, wei, deadline } = permit
  const row = permitRow({ swapId, permit, signed, at })
  await db.transaction().execute(async (trx) => {
    await guard(trx, { act: 'sign', subject: { swapId }, at, haltFile, coin })
    // Permit2 takes its own in any order, and a swap's own nonce is no other's.
    if (!isTransfer(signed)) await assertInOrder(trx, { key: row, nonce, at })
    await trx
      .insertInto('permit')
      .values(row)
      // Another quote of the same second has the same permit. A key may sign it otherwise; the last one is what is sent.
      .onConflict((conflict) =>
        conflict.columns(['swap_id', 'digest']).doUpdateSet({ signature: row.signature }),
      )
      .execute()
    const by = isTransfer(signed)
      ? { permit2Nonce: numberToHex(nonce) }
      : { permitNonce: nonce.toString() }
    const facts = { digest: row.digest, ...by, wei: wei.toString(), deadline }
    await appendEvent(trx, { of: swapId, at, type: 'PERMITTED', facts })
  })
}

async function assertInOrder(
  trx: Transaction<Tables>,
  { key, nonce, at }: { key: Parameters<typeof permitsOf>[1]; nonce: bigint; at: number },
): Promise<void> {
  const older = await permitsOf(trx, key)
  const seconds = Math.floor(at / 1_000)
  const other = older.find(
    (one) =>
      (one.isUsed && one.nonce >= nonce) ||
      (one.nonce > nonce && one.deadline + clockSecondsMax >= seconds),
  )
  if (other === undefined) return
  throw ballastError(
    'PERMIT_UNUSABLE',
    'The token’s nonce for permits is behind the one of an earlier permit.',
    { nonce: nonce.toString(), earlier: other.nonce.toString() },
  )
}

/** A permit as the table has it, before its bytes are signed. */
function permitRow({
  swapId,
  permit,
  signed,
  at,
}: {
  swapId: string
  permit: Permit
  signed: SignedPermit
  at: number
}) {
  const { chainId, owner, token, spender, wei, nonce, deadline } = permit
  return {
    ...{ chain_id: chainId, wallet: owner.toLowerCase(), token: token.toLowerCase() },
    ...{ digest: permitHash(permit), swap_id: swapId, spender: spender.toLowerCase() },
    ...{ wei: wei.toString(), nonce: nonce.toString(), deadline, sent: 0, created_at: at },
    ...{ kind: isTransfer(signed) ? ('PERMIT2' as const) : ('TOKEN' as const) },
    signature: signatureOf(signed),
  }
}

export const signatureOf = (signed: SignedPermit): Hex =>
  isTransfer(signed)
    ? signed.signature
    : concat([signed.r, signed.s, numberToHex(signed.v, { size: 1 })])

/** Notes that the bytes of a swap bring its permit along. */
export async function sendPermit(
  trx: Transaction<Tables>,
  { swapId, deadline }: { swapId: string; deadline: number },
): Promise<void> {
  await trx
    .updateTable('permit')
    .set({ sent: 1 })
    .where('swap_id', '=', swapId)
    .where('deadline', '=', deadline)
    .execute()
}
