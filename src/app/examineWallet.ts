import { getCode, getTransactionCount } from '../chain/calls/account.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import { ballastError } from '../core/errors.ts'
import type { Address } from '../core/token.ts'

/**
 * Looks for signs that somebody else acts for the wallet, once all of its own is decided. Throws NONCE_PENDING where a
 * transaction of it waits that is not ours: another installation, or another person, signs with the same key.
 *
 * `nextNonce` is what the journal would give next; undefined for a wallet it does not know. What a pool holds is a node's word and no proof: where it does not say, nothing is concluded.
 *
 * @returns what a person should know, a sentence each.
 */
export async function examineWallet(
  rpc: Rpc,
  { wallet, nextNonce = 0 }: { wallet: Address; nextNonce: number | undefined },
): Promise<readonly string[]> {
  const [mined, pending, code] = await rpc.batch([
    getTransactionCount(wallet),
    getTransactionCount(wallet, 'pending'),
    getCode(wallet),
  ])
  // Below what the journal gives next waits what is ours: a node that lags has not seen it mined.
  if (mined.ok && pending.ok && pending.value > Math.max(mined.value, nextNonce))
    throw ballastError(
      'NONCE_PENDING',
      'A transaction of the wallet waits to be mined that is not ours.',
      {
        wallet,
        nonceOfChain: mined.value,
        nonceOfPool: pending.value,
        next: 'find out who signs with this key; start again once it is mined, and release what that start says',
      },
    )
  return code.ok && code.value !== '0x'
    ? [`the wallet has code (EIP-7702): whoever wrote it may move what it holds`]
    : []
}
