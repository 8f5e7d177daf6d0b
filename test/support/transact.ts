import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { getTransactionCount } from '../../src/chain/calls/account.ts'
import { getReceipt, type Receipt } from '../../src/chain/calls/getReceipt.ts'
import { sendRawTransaction } from '../../src/chain/calls/sendRawTransaction.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import type { Address } from '../../src/core/token.ts'

/** Signs a transaction with a key, sends it and waits for its receipt. Reverts are receipts too. */
export async function transact(
  rpc: Rpc,
  {
    privateKey,
    to,
    data,
    value = 0n,
    chainId = 31337,
  }: { privateKey: Hex; to: Address; data: Hex; value?: bigint; chainId?: number },
): Promise<Receipt> {
  const account = privateKeyToAccount(privateKey)
  const nonce = await rpc.request(getTransactionCount(account.address, 'pending'))
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    to,
    data,
    value,
    gas: 2_000_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  })
  const hash = await rpc.request(sendRawTransaction(raw))
  for (;;) {
    const receipt = await rpc.request(getReceipt(hash))
    if (receipt !== undefined) return receipt
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
