import { pad, parseEventLogs, toEventSelector } from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import { getTransactionCount } from '../../chain/calls/account.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { getBalanceOf } from '../../chain/calls/getBalanceOf.ts'
import type { Receipt } from '../../chain/calls/getReceipt.ts'
import { getChainId } from '../../chain/calls/node.ts'
import { traceBalances } from '../../chain/calls/traces.ts'
import { movesTraced, type TracedMoves } from '../../chain/movesTraced.ts'
import { type Rpc, type RpcOutcome, RpcRefused, saysNo } from '../../chain/rpc/rpc.ts'
import { cameBy, transfersOf } from '../../chain/transfersOf.ts'
import { type Amount, show } from '../../core/amount.ts'
import { BallastError, ballastError } from '../../core/errors.ts'
import { type Rounding, roundingOf } from '../../core/rounding.ts'
import { type Address, isNative, sameAddress, type Token } from '../../core/token.ts'

/** Which swap is measured. */
type Settling = {
  readonly receipt: Receipt
  readonly router: Address
  /** Undefined for a foreign router, which names nothing in an event that we know. */
  readonly authorization: Hex | undefined
  readonly wallet: Address
  readonly recipient: Address
  readonly sell: Token
  readonly buy: Token
  /** How far transfers of a token may be off by its own rounding. */
  readonly rounding?: Rounding
}

/** One whose amounts are to be booked. */
type Measurable = Settling & {
  /** What was to be sold, in units of the token. */
  readonly planned: bigint
}

/** The actual outcome. */
export type Measured = {
  readonly sold: Amount
  readonly received: Amount
  readonly gasUsed: bigint
  /** Wei of the chain's own currency paid for gas. */
  readonly gasPaid: bigint
  /** The tip in it; undefined where it is unknown. */
  readonly tipPaid?: bigint | undefined
  /** The base fees in it; undefined likewise. */
  readonly basePaid?: bigint | undefined
  /**
   * Whether the balances moved by exactly the amounts of the router's event; if not, something else moved them.
   * Undefined where the node no longer has balances that old, or where they are the only evidence of what was bought.
   */
  readonly agrees: boolean | undefined
  /**
   * Whether less came in, or more left, than the event states. Any account can send the recipient a unit in the same
   * block, so only this direction is a loss; another recipient that sent a transaction in it may have spent what is
   * missing. Undefined as above.
   */
  readonly short: boolean | undefined
  /** Whether balances differ from the event by no loss, and a token of the swap is declared to round or to grow by itself. */
  readonly rounded?: boolean
}

/**
 * Measures a settled swap twice: by the router's `Swapped` event and by the balances before and after its block.
 *
 * The event names this exact authorisation, so its amounts are reported; the balances prove it. Where another transfer
 * in the same block moved a balance too, they differ and the report notes it. The quote is not consulted.
 *
 * A foreign router has no event that we know: the token transfers of the receipt stand in for it, and for the chain's
 * own currency, which logs nothing, a trace of the transaction. Where the node gives none, a sale is the value of the
 * call, and a purchase what the balances show, which other transactions of the block moved as well. Where those are
 * pruned nothing stands in for them: a promised or simulated amount is no measurement.
 *
 * @throws BallastError with the remedy `halt` where the moved amount is unknown, or is no swap.
 */
export async function measure(rpc: Rpc, settling: Measurable): Promise<Measured> {
  const { measured } = await weigh(rpc, settling)
  const [sold, received] = [measured.sold.wei, measured.received.wei]
  if (settling.authorization !== undefined || (sold > 0n && received > 0n)) return measured
  throw ballastError(
    'SETTLEMENT_UNEXPLAINED',
    'A mined call of a foreign router moved nothing that could be a swap.',
    { transaction: settling.receipt.hash, sold, received },
  )
}

/** The same of a call of a foreign router that took what was to be sold, and gave nothing; undefined for any other. */
export async function measureLoss(rpc: Rpc, settling: Measurable): Promise<Measured | undefined> {
  const { measured, told } = await weigh(rpc, settling)
  const isLoss = measured.sold.wei > 0n && measured.received.wei === 0n
  return isLoss && told.isSoldProven ? measured : undefined
}

async function weigh(
  rpc: Rpc,
  settling: Measurable,
): Promise<{ readonly measured: Measured; readonly told: Told }> {
  const { receipt, sell, buy } = settling
  const block = await balanceMoves(rpc, settling)
  const { left, came, isSpent } = block
  const told = toldBy(settling, { block, traced: await tracedMoves(rpc, settling) })
  const known = left !== undefined && came !== undefined
  const [sellSlack, buySlack] = [sell, buy].map((one) => roundingOf(settling.rounding, one)) as [
    bigint,
    bigint,
  ]
  const agrees = known && told.isProven ? left === told.sold && came === told.received : undefined
  const lacks = known && came < told.least - buySlack
  const short = known ? left > told.most + sellSlack || (lacks && !isSpent) : undefined
  const rounded = agrees === false && short === false && sellSlack + buySlack > 0n
  const measured = {
    sold: { token: sell, wei: told.sold },
    received: { token: buy, wei: told.received },
    gasUsed: receipt.gasUsed,
    gasPaid: receipt.gasPaid,
    tipPaid: receipt.tipPaid,
    basePaid: receipt.basePaid,
    ...{ agrees, short },
    ...(rounded ? { rounded } : {}),
  }
  return { measured, told }
}

/**
 * Everything a node shows to have moved by a mined call, a clause each: transfers in its receipt that name the wallet or
 * the recipient, and balances that changed by more than gas: by the call where the node traces it, else by its block.
 * Where the node has pruned the balances, the value that the call carried is taken as gone; empty is no proof then.
 */
export async function shownMoves(
  rpc: Rpc,
  settling: Settling & { readonly value: bigint },
): Promise<readonly string[]> {
  const { receipt, wallet, recipient, sell, buy } = settling
  const block = await balanceMoves(rpc, settling)
  const traced = await tracedMoves(rpc, settling)
  const { left = block.left, came = block.came } = traced
  // A payment to the wallet in the same block hides a value that left with the call.
  const isHidden = traced.left === undefined && left !== settling.value && settling.value > 0n
  const owners = [wallet, recipient].map((owner) => pad(owner, { size: 32 }).toLowerCase())
  const logged = receipt.logs.filter(
    ({ topics: [kind, ...parties] }) =>
      kind === transferTopic && parties.some((one) => owners.includes(one.toLowerCase())),
  )
  return [
    ...logged.map(({ address }) => `a transfer of the token ${address}`),
    ...(isHidden ? [`${show({ token: sell, wei: settling.value })} left with the call`] : []),
    ...(left === undefined || left === 0n ? [] : [`${show({ token: sell, wei: left })} left`]),
    ...(came === undefined || came === 0n ? [] : [`${show({ token: buy, wei: came })} came in`]),
  ]
}

const transferTopic = toEventSelector('Transfer(address,address,uint256)')

/**
 * What left the wallet and came in by the balances around the block, gas apart; undefined where they are pruned. `isSpent`
 * where the recipient is another account that sent a transaction in the block.
 *
 * Some nodes answer for a pruned state with that of their head, as if it were the old one (Erigon 3.0.14 does). The wallet
 * sent a transaction in the block: a node that does not count it there does not have that state.
 */
async function balanceMoves(rpc: Rpc, { receipt, wallet, recipient, sell, buy }: Settling) {
  const at = receipt.blockNumber
  const [sentBefore, sentAfter, ...outcomes] = await rpc.batch([
    getTransactionCount(wallet, at - 1),
    getTransactionCount(wallet, at),
    getBalanceOf(sell, wallet, at - 1),
    getBalanceOf(sell, wallet, at),
    getBalanceOf(buy, recipient, at - 1),
    getBalanceOf(buy, recipient, at),
  ])
  if (!rises(read(sentBefore), read(sentAfter)))
    return { left: undefined, came: undefined, isSpent: false }
  const counts = sameAddress(wallet, recipient)
    ? []
    : await rpc.batch([getTransactionCount(recipient, at - 1), getTransactionCount(recipient, at)])
  const [countBefore, countAfter] = counts.map((one) => read<number>(one))
  const gasIn = (token: Token, owner: Address) =>
    isNative(token) && sameAddress(owner, wallet) ? receipt.gasPaid : 0n
  const [soldBefore, soldAfter, boughtBefore, boughtAfter] = outcomes.map((one) => read(one))
  return {
    left: difference(soldAfter, soldBefore, -gasIn(sell, wallet)),
    came: difference(boughtBefore, boughtAfter, gasIn(buy, recipient)),
    isSpent: rises(countBefore, countAfter),
  }
}

/**
 * What left the wallet and came in by the mined transaction alone, where one side is the chain's own currency: any account
 * can pay the wallet in the same block. Empty where the node gives no trace: that keeps no swap open.
 */
async function tracedMoves(rpc: Rpc, settling: Settling): Promise<TracedMoves> {
  if (settling.authorization !== undefined) return {}
  const { receipt, wallet, recipient, sell, buy } = settling
  if (!isNative(sell) && !isNative(buy)) return {}
  const [trace] = await rpc.batch([traceBalances(receipt.hash)]).catch(async (error: unknown) => {
    if (!(error instanceof BallastError) || error.fault !== 'upstream') throw error
    // A node that is away is read again later. One that answers, and is too slow to trace, keeps no swap open.
    await rpc.request(getChainId)
    return []
  })
  return movesTraced(trace, { receipt, wallet, recipient, sell, buy })
}

const rises = (before: number | undefined, after: number | undefined) =>
  before !== undefined && after !== undefined && before < after

const difference = (from: bigint | undefined, to: bigint | undefined, gas: bigint) =>
  from === undefined || to === undefined ? undefined : to - from + gas

type Told = {
  readonly sold: bigint
  readonly received: bigint
  /** What may have left at most, and must have come in at least: less than that is a loss. */
  readonly most: bigint
  readonly least: bigint
  /** Whether anything but the balances of the block says so. */
  readonly isProven: boolean
  /** Whether what was sold is more than the value of a call that may have been paid back. */
  readonly isSoldProven: boolean
}

type Moves = {
  readonly block: Awaited<ReturnType<typeof balanceMoves>>
  readonly traced: TracedMoves
}

function toldBy(settling: Measurable, moves: Moves): Told {
  if (settling.authorization !== undefined) {
    const { sold, received } = swappedOf(settling)
    return { sold, received, most: sold, least: received, isProven: true, isSoldProven: true }
  }
  return movedBy(settling, moves)
}

/** What a call of a foreign router moved, whether that is a swap or not. */
function movedBy(settling: Measurable, { block, traced }: Moves): Told {
  const { receipt, wallet, recipient, sell, buy, planned } = settling
  const { left, came, isSpent } = block
  const [out, into] = [transfersOf(receipt, sell, wallet), transfersOf(receipt, buy, recipient)]
  const paid = traced.left ?? left
  const sold = isNative(sell)
    ? (traced.left ?? (left === undefined ? undefined : planned))
    : -cameBy(out, left === undefined ? undefined : -left)
  // What another account spent in the block is no part of the swap.
  const received = isNative(buy) ? (traced.came ?? came) : cameBy(into, isSpent ? undefined : came)
  if (sold === undefined || received === undefined)
    throw ballastError(
      'SETTLEMENT_UNMEASURED',
      'What a swap moved in the chain’s own currency cannot be known: the node has no balances of its block.',
      {
        transaction: receipt.hash,
        block: receipt.blockNumber,
        next: 'start once with chain.rpcUrl at a node that has the balances of that block (an archive node)',
      },
    )
  return {
    ...{ sold, received },
    // What is logged as burned may lack what had accrued, and what is logged as minted may be nothing else.
    most: isNative(sell)
      ? (paid ?? sold)
      : out.burned > 0n && planned > -out.net
        ? planned
        : -out.net,
    // What a contract that receives it does with it in the same block is no part of the swap.
    least: !isNative(buy)
      ? into.net
      : sameAddress(wallet, recipient)
        ? received
        : (came ?? received),
    isProven: !isNative(buy) || traced.came !== undefined,
    isSoldProven: !isNative(sell) || traced.left !== undefined || left === planned,
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
    throw ballastError(
      'SETTLEMENT_UNEXPLAINED',
      'A mined swap has no Swapped event of its authorisation.',
      { transaction: receipt.hash, authorization },
    )
  return { sold: event.args.amountIn, received: event.args.amountOut }
}

/**
 * A node that answers "no" has pruned that state: the proof is gone, the event stays. A silent one is retried, and so is
 * one that limits calls or failed by itself.
 */
function read<value>(outcome: RpcOutcome<value>): value | undefined {
  if (outcome.ok) return outcome.value
  if (outcome.error instanceof RpcRefused && saysNo(outcome.error)) return undefined
  throw outcome.error
}
