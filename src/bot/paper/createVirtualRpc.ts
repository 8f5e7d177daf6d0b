import { numberToHex } from 'viem'
import type { Rpc, RpcCall } from '../../chain/rpc/rpc.ts'
import { ballastError } from '../../core/errors.ts'
import { sumWei } from '../../core/holdings.ts'
import { type Address, nativeAddress, sameAddress } from '../../core/token.ts'
import type { AccountBalance } from '../strategy/index.ts'
import { overrideCall, overridesOf, type VirtualMoney, type WalletSlots } from './overrideCall.ts'

/** Only reads go to the chain of a run on paper: every method that sends is refused here, for every caller. */
const sending = /^eth_send|^eth_sign|^personal_|^wallet_/

/**
 * A chain on which the wallet has its virtual money, other accounts what its swaps brought them on top of their own, and
 * everything else is as it is. Balances of the wallet are those on paper; calls, simulations and traces run with them. So the stages that read a live swap read one on paper as well.
 */
export function createVirtualRpc({
  rpc,
  wallet,
  router,
  slots,
  money,
  sentOn,
}: {
  rpc: Rpc
  wallet: Address
  router: Address
  slots: WalletSlots
  /** The money there is now. */
  money: () => Promise<VirtualMoney>
  /** What swaps on paper brought other accounts. */
  sentOn: () => Promise<readonly AccountBalance[]>
}): Rpc {
  async function stateFor(calls: readonly RpcCall<unknown>[]): Promise<State> {
    const isOther = (call: RpcCall<unknown>) =>
      !sameAddress(balanceAskedBy(call)?.account ?? wallet, wallet)
    return { now: await money(), sent: calls.some(isOther) ? await sentOn() : [] }
  }
  function bent<result>(call: RpcCall<result>, { now, sent }: State): RpcCall<result> {
    if (sending.test(call.method)) throw forbidden(call.method)
    const bend = bendBalance(call, { wallet, balances: now.balances, sent })
    if (bend === undefined) return overrideCall(call, overridesOf(now, { wallet, router, slots }))
    const parse = (answer: unknown) => {
      // Checks that the node has that block, or throws: only its holdings differ.
      call.parse(answer)
      return call.parse(bend(answer))
    }
    return { ...call, parse }
  }
  return {
    label: rpc.label,
    close: rpc.close,
    isOneExchange: rpc.isOneExchange,
    request: async (call) => rpc.request(bent(call, await stateFor([call]))),
    async batch<const calls extends readonly RpcCall<unknown>[]>(calls: calls) {
      const state = await stateFor(calls)
      return rpc.batch(calls.map((call) => bent(call, state)) as unknown as calls)
    },
  }
}

type State = { readonly now: VirtualMoney; readonly sent: readonly AccountBalance[] }

/** What the answer to a question about a balance becomes on paper; undefined where it stays as it is. */
function bendBalance(
  call: RpcCall<unknown>,
  {
    wallet,
    balances,
    sent,
  }: {
    wallet: Address
    balances: VirtualMoney['balances']
    sent: readonly AccountBalance[]
  },
): ((answer: unknown) => string) | undefined {
  const asked = balanceAskedBy(call)
  if (asked === undefined) return undefined
  const { account, token } = asked
  const hex = (wei: bigint) =>
    call.method === 'eth_call' ? numberToHex(wei, { size: 32 }) : numberToHex(wei)
  if (sameAddress(account, wallet)) {
    const wei = balances.get(token.toLowerCase())
    return wei === undefined ? undefined : () => hex(wei)
  }
  const brought = sumWei(
    sent
      .filter((one) => sameAddress(one.account, account))
      .map(({ held }) => held)
      .filter((held) => sameAddress(held.token.address, token)),
  )
  return brought === 0n ? undefined : (answer) => hex(BigInt(String(answer)) + brought)
}

/** Whose balance of which token a call asks for; undefined of any other question. */
function balanceAskedBy({ method, params }: RpcCall<unknown>) {
  if (method === 'eth_getBalance') return { account: String(params[0]), token: nativeAddress }
  if (method !== 'eth_call') return undefined
  const { to, data } = params[0] as { to?: string; data?: string }
  const owner = /^0x70a08231(?:0{24})([0-9a-f]{40})$/i.exec(data ?? '')?.[1]
  return to === undefined || owner === undefined ? undefined : { account: `0x${owner}`, token: to }
}

const forbidden = (method: string) =>
  ballastError('PAPER_SENDS_NOTHING', 'A run on paper sends nothing and signs nothing.', { method })
