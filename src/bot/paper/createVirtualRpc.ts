import { encodeFunctionData, numberToHex } from 'viem'
import { erc20Abi } from '../../chain/abi/contracts.ts'
import type { Rpc, RpcCall } from '../../chain/rpc/rpc.ts'
import { ballastError } from '../../core/errors.ts'
import { type Address, nativeAddress, sameAddress } from '../../core/token.ts'
import { overrideCall, overridesOf, type VirtualMoney, type WalletSlots } from './overrideCall.ts'

/** Only reads go to the chain of a run on paper: every method that sends is refused here, for every caller. */
const sending = /^eth_send|^eth_sign|^personal_|^wallet_/

/**
 * A chain on which the wallet has its virtual money and everything else is as it is. Balances of the wallet are those
 * on paper; calls, simulations and traces run with them. So the stages that read a live swap read one on paper as well.
 */
export function createVirtualRpc({
  rpc,
  wallet,
  router,
  slots,
  money,
}: {
  rpc: Rpc
  wallet: Address
  router: Address
  slots: WalletSlots
  /** The money there is now. */
  money: () => Promise<VirtualMoney>
}): Rpc {
  function bent<result>(call: RpcCall<result>, now: VirtualMoney): RpcCall<result> {
    if (sending.test(call.method)) throw forbidden(call.method)
    const held = heldBy(call, { wallet, balances: now.balances })
    if (held === undefined) return overrideCall(call, overridesOf(now, { wallet, router, slots }))
    const parse = (answer: unknown) => {
      // Checks that the node has that block, or throws: only its holdings differ.
      call.parse(answer)
      return call.parse(held)
    }
    return { ...call, parse }
  }
  return {
    label: rpc.label,
    close: rpc.close,
    isOneExchange: rpc.isOneExchange,
    request: async (call) => rpc.request(bent(call, await money())),
    async batch<const calls extends readonly RpcCall<unknown>[]>(calls: calls) {
      const now = await money()
      return rpc.batch(calls.map((call) => bent(call, now)) as unknown as calls)
    },
  }
}

/** The answer to a question about a balance of the wallet; undefined for every other question. */
function heldBy(
  { method, params }: RpcCall<unknown>,
  { wallet, balances }: { wallet: Address; balances: VirtualMoney['balances'] },
): string | undefined {
  if (method === 'eth_getBalance') {
    const wei = balances.get(nativeAddress.toLowerCase())
    return sameAddress(String(params[0]), wallet) && wei !== undefined
      ? numberToHex(wei)
      : undefined
  }
  if (method !== 'eth_call') return undefined
  const { to, data } = params[0] as { to?: string; data?: string }
  const wei = balances.get(to?.toLowerCase() ?? '')
  if (wei === undefined || data?.toLowerCase() !== balanceOf(wallet)) return undefined
  return numberToHex(wei, { size: 32 })
}

const balanceOf = (owner: Address) =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }).toLowerCase()

const forbidden = (method: string) =>
  ballastError('PAPER_SENDS_NOTHING', 'A run on paper sends nothing and signs nothing.', { method })
