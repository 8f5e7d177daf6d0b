import { parseEventLogs } from 'viem'
import { erc20Abi } from '../../chain/abi/erc20.ts'
import { swapRouterAbi } from '../../chain/abi/swapRouter.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { getBalance } from '../../chain/calls/getBalance.ts'
import type { Receipt } from '../../chain/calls/getReceipt.ts'
import { readContract } from '../../chain/calls/readContract.ts'
import { RpcRefused } from '../../chain/rpc/errors.ts'
import type { Rpc, RpcCall, RpcOutcome } from '../../chain/rpc/rpc.ts'
import type { Amount } from '../../core/amount.ts'
import { BallastError } from '../../core/errors.ts'
import { type Address, isNative, sameAddress, type Token } from '../../core/token.ts'

/** Which swap is measured. */
type Settling = {
  readonly receipt: Receipt
  readonly router: Address
  readonly authorization: Hex
  readonly wallet: Address
  readonly recipient: Address
  readonly sell: Token
  readonly buy: Token
}

/** What really happened. */
export type Measured = {
  readonly sold: Amount
  readonly received: Amount
  readonly gasUsed: bigint
  /** Wei of the chain's own currency paid for gas. */
  readonly gasPaid: bigint
  /**
   * Whether the balances moved by exactly what the router's event says; something else moved them otherwise.
   * Undefined where the node no longer has balances that old.
   */
  readonly agrees: boolean | undefined
}

/**
 * Measures a settled swap twice: by the router's `Swapped` event and by the balances before and after its block.
 *
 * The event names this very authorisation, so it is what is reported; the balances prove it. Where another transfer
 * in the same block moved a balance too, they differ and the report says so. The quote is not consulted.
 */
export async function measure(rpc: Rpc, settling: Settling): Promise<Measured> {
  const { receipt, wallet, recipient, sell, buy } = settling
  const at = receipt.blockNumber
  const outcomes = await rpc.batch([
    balance(sell, wallet, at - 1),
    balance(sell, wallet, at),
    balance(buy, recipient, at - 1),
    balance(buy, recipient, at),
  ])
  const told = swappedOf(settling)
  const gasPaid = receipt.gasUsed * receipt.effectiveGasPrice
  const gasIn = (token: Token, owner: Address) =>
    isNative(token) && sameAddress(owner, wallet) ? gasPaid : 0n
  const [soldBefore, soldAfter, boughtBefore, boughtAfter] = outcomes.map(read)
  const agrees =
    soldBefore === undefined ||
    soldAfter === undefined ||
    boughtBefore === undefined ||
    boughtAfter === undefined
      ? undefined
      : soldBefore - soldAfter - gasIn(sell, wallet) === told.sold &&
        boughtAfter - boughtBefore + gasIn(buy, recipient) === told.received
  return {
    sold: { token: sell, wei: told.sold },
    received: { token: buy, wei: told.received },
    gasUsed: receipt.gasUsed,
    gasPaid,
    agrees,
  }
}

function swappedOf({ receipt, router, authorization }: Settling) {
  const logs = receipt.logs
    .filter(({ address }) => sameAddress(address, router))
    .map(({ address, topics, data }) => ({ address, topics: [...topics], data }))
  const events = parseEventLogs({
    abi: swapRouterAbi,
    eventName: 'Swapped',
    logs: logs as never,
  })
  const event = events.find(({ args }) => args.authorization === authorization)
  if (event === undefined)
    throw new BallastError('A mined swap has no Swapped event of its authorisation.', {
      code: 'SETTLEMENT_UNEXPLAINED',
      remedy: 'halt',
      fault: 'unsettled',
      facts: { transaction: receipt.hash, authorization },
    })
  return { sold: event.args.amountIn, received: event.args.amountOut }
}

function balance(token: Token, owner: Address, block: number): RpcCall<bigint> {
  return isNative(token)
    ? getBalance(owner, block)
    : readContract({
        address: token.address,
        abi: erc20Abi,
        functionName: 'balanceOf',
        args: [owner],
        block,
      })
}

/** A node that answers "no" has pruned that state: the proof is gone, the event stays. A silent one is asked again. */
function read(outcome: RpcOutcome<bigint>): bigint | undefined {
  if (outcome.ok) return outcome.value
  if (outcome.error instanceof RpcRefused) return undefined
  throw outcome.error
}
