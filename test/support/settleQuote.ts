import { encodeFunctionData, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import type { FirmQuote } from '../../src/api/firmQuote.ts'
import { erc20Abi } from '../../src/chain/abi/contracts.ts'
import type { Receipt } from '../../src/chain/calls/getReceipt.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { type Address, nativeAddress } from '../../src/core/token.ts'
import { balanceOf } from './balanceOf.ts'
import { transact } from './transact.ts'

/** What a settlement did to the balances. Gas is taken out of a native balance. */
export type Settlement = {
  readonly receipt: Receipt
  readonly spent: bigint
  readonly received: bigint
}

/** Approves exactly the input, sends the quote's transaction as it is, and measures. */
export async function settleQuote(
  rpc: Rpc,
  {
    quote,
    privateKey,
    recipient = privateKeyToAddress(privateKey),
  }: { quote: FirmQuote; privateKey: Hex; recipient?: Address },
): Promise<Settlement> {
  const sender = privateKeyToAddress(privateKey)
  const [sold, bought] = tokensOf(quote)
  if (!quote.toWrap) {
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [quote.txRequest.target, BigInt(quote.amountIn)],
    })
    await transact(rpc, { privateKey, to: sold, data })
  }
  const before = {
    sold: await balanceOf(rpc, sold, sender),
    bought: await balanceOf(rpc, bought, recipient),
  }
  const receipt = await transact(rpc, {
    privateKey,
    to: quote.txRequest.target,
    data: quote.txRequest.calldata,
    value: BigInt(quote.txRequest.value),
  })
  const gas = receipt.gasPaid
  const after = {
    sold: await balanceOf(rpc, sold, sender),
    bought: await balanceOf(rpc, bought, recipient),
  }
  const ownGas = (token: Address, owner: Address) =>
    token === nativeAddress && owner === sender ? gas : 0n
  return {
    receipt,
    spent: before.sold - after.sold - ownGas(sold, sender),
    received: after.bought - before.bought + ownGas(bought, recipient),
  }
}

function tokensOf({ orders, toWrap, toUnwrap }: FirmQuote): readonly [Address, Address] {
  const [first, last] = [orders[0], orders.at(-1)]
  if (first === undefined || last === undefined) throw new Error('a firm quote has orders')
  return [toWrap ? nativeAddress : first.sellerToken, toUnwrap ? nativeAddress : last.buyerToken]
}
