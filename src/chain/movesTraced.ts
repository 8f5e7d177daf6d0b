import { type Address, isNative, sameAddress, type Token } from '../core/token.ts'
import type { Receipt } from './calls/getReceipt.ts'
import type { RpcOutcome } from './rpc/rpc.ts'

/** Wei of the chain's own currency that a call moved, gas apart; a side that is a token is left out. */
export type TracedMoves = { readonly left?: bigint; readonly came?: bigint }

type Call = {
  readonly receipt: Pick<Receipt, 'gasPaid'>
  readonly wallet: Address
  readonly recipient: Address
  readonly sell: Token
  readonly buy: Token
}

/** What left the wallet and reached the recipient by a mined call, from the answer to `traceBalances`. Empty without one. */
export function movesTraced(
  trace: RpcOutcome<ReadonlyMap<string, bigint>> | undefined,
  { receipt, wallet, recipient, sell, buy }: Call,
): TracedMoves {
  const own = trace?.ok ? trace.value.get(wallet.toLowerCase()) : undefined
  // The wallet paid its gas: a trace without it is that of nothing.
  if (!trace?.ok || own === undefined) return {}
  const kept = own + receipt.gasPaid
  const came = sameAddress(wallet, recipient)
    ? kept
    : (trace.value.get(recipient.toLowerCase()) ?? 0n)
  return { ...(isNative(sell) ? { left: -kept } : {}), ...(isNative(buy) ? { came } : {}) }
}
