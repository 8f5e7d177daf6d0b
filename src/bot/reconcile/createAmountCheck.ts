import { parseEventLogs } from 'viem'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import { getTransactionCount } from '../../chain/calls/account.ts'
import { getBalanceOf } from '../../chain/calls/getBalanceOf.ts'
import type { Receipt } from '../../chain/calls/getReceipt.ts'
import { traceBalances } from '../../chain/calls/traces.ts'
import { movesTraced, type TracedMoves } from '../../chain/movesTraced.ts'
import { type RpcCall, type RpcOutcome, RpcRefused, saysNo } from '../../chain/rpc/rpc.ts'
import { type Transfers, transfersOf } from '../../chain/transfersOf.ts'
import { show } from '../../core/amount.ts'
import { type Address, isNative, sameAddress, type Token } from '../../core/token.ts'
import type { BookedSwap } from '../books.ts'
import type { AskChain, BreakTally } from './createTally.ts'
import type { ReconcileView } from './sight.ts'

type Settled = { readonly swap: BookedSwap; readonly receipt: Receipt }

/** The result of an independent reading of one settled swap. Undefined where there is no evidence. */
type Told = { readonly sold: bigint | undefined; readonly received: bigint | undefined }

/**
 * I5: the amounts in the books are those of the router's event, and those of the balances at that block where the node
 * still has them. Read from scratch: nothing that booked it has a part in this. Gas is compared for every end.
 */
export function createAmountCheck({
  ask,
  askTraces,
  wallet,
  coin,
  tally,
}: {
  ask: AskChain
  /** A node that traces nothing in time answers all else. */
  askTraces: AskChain
  wallet: Address
  /** The chain's own currency, for gas. */
  coin: Token
  tally: BreakTally
}) {
  let [events, balances, gas] = [0, 0, 0]
  return {
    async add(settled: readonly BookedSwap[], sight: ReconcileView): Promise<void> {
      const found = settled.flatMap((swap): Settled[] => {
        const one = swap.included && sight.transaction(swap.included.transaction)
        return one?.is === 'mined' ? [{ swap, receipt: one.receipt }] : []
      })
      const counts = await ask(found.flatMap((one) => countCalls(one, wallet)))
      const outcomes = await ask(found.flatMap((one) => balanceCalls(one, wallet)))
      const doubted = found.filter(({ swap }) => isDoubted(swap))
      const traces = await askTraces(doubted.map(({ receipt }) => traceBalances(receipt.hash)))
      for (const [index, one] of found.entries()) {
        const delta = deltaOf(one, wallet, {
          counts: counts.slice(2 * index, 2 * index + 2),
          outcomes: outcomes.slice(4 * index, 4 * index + 4),
        })
        if (delta === 'silent') {
          tally.unknown(`swap ${one.swap.swapId}: the balances of its block were not answered`)
          continue
        }
        const trace = traces[doubted.indexOf(one)]
        const told =
          one.swap.authorization === undefined
            ? movedOf(one, wallet, { delta, traced: tracedOf(one, wallet, trace) })
            : eventOf(one)
        if (told === undefined) {
          // A person's word stands where no node can measure.
          if (one.swap.isWrittenOff) continue
          tally.pruned(`swap ${one.swap.swapId}: the node has no balances of its block any more`)
          continue
        }
        events += 1
        if (delta !== undefined) balances += 1
        compare(one, { told, delta }, tally)
      }
    },
    /** The gas paid, for a swap or for an approval. */
    gas(swap: BookedSwap, sight: ReconcileView): void {
      const booked = [
        ...(swap.included === undefined || swap.gasPaid === undefined
          ? []
          : [{ hash: swap.included.transaction, paid: swap.gasPaid }]),
        ...swap.attempts.flatMap(({ hash, gasPaid: paid }) =>
          paid === undefined ? [] : [{ hash, paid }],
        ),
      ]
      for (const { hash, paid } of booked) {
        const found = sight.transaction(hash)
        if (found.is !== 'mined') continue
        gas += 1
        if (found.receipt.gasPaid !== paid)
          differs(tally, swap, {
            ...{ what: 'gas paid', booked: paid, onChain: found.receipt.gasPaid },
            ...{ transaction: hash, token: coin },
          })
      }
    },
    evidence: () =>
      `${events} settled swaps as their events say, ${balances} of them by balances too; ${gas} gas bills`,
  }
}

function compare(
  { swap, receipt }: Settled,
  { told, delta }: { told: Told; delta: Told | undefined },
  tally: BreakTally,
): void {
  const { agrees, isWrittenOff } = swap
  const moved = isWrittenOff ? { sold: 0n, received: 0n } : swap.moved
  const transaction = receipt.hash
  const sides = [
    { what: 'sold', booked: moved?.sold, onChain: told.sold, token: swap.sell.token },
    { what: 'received', booked: moved?.received, onChain: told.received, token: swap.buy },
  ]
  for (const side of sides)
    if (side.onChain !== side.booked) differs(tally, swap, { ...side, transaction })
  if (delta === undefined || agrees === undefined) return
  // Any account can move a balance in the same block: the books hold that it agreed, or that it did not.
  const now = delta.sold === told.sold && delta.received === told.received
  if (now !== agrees)
    differs(tally, swap, { what: 'balances agree', booked: agrees, onChain: now, transaction })
}

function differs(
  tally: BreakTally,
  { swapId }: BookedSwap,
  {
    token,
    ...facts
  }: {
    /** Of an amount. */
    readonly token?: Token
    readonly what: string
    readonly booked: bigint | boolean | undefined
    readonly onChain: bigint | boolean | undefined
    readonly transaction: string
  },
): void {
  tally.broke({
    key: `I5 ${swapId} ${facts.what}`,
    code: 'LEDGER_DIFFERS',
    facts: { swapId, ...facts },
    ...(token === undefined ? {} : { shown: shownIn(token, facts) }),
    next: `ballast history ${swapId}; ballast audit verify --head <hash of your log>`,
    lock: 'LEDGER_BROKEN',
  })
}

/** The amounts among facts in units of their token. */
const shownIn = (token: Token, { booked, onChain }: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries({ booked, onChain }).flatMap(([name, wei]) =>
      typeof wei === 'bigint' ? [[name, show({ token, wei })]] : [],
    ),
  )

/** The router's own report on this exact authorisation; nothing at all where it has none. */
function eventOf({ swap, receipt }: Settled): Told {
  const events = parseEventLogs({
    abi: swapRouterAbi,
    eventName: 'Swapped',
    logs: receipt.logs
      .filter(({ address }) => sameAddress(address, swap.router ?? '0x'))
      .map(({ topics, data, address }) => ({ address, data, topics: [...topics] })) as never,
  })
  const event = events.find(({ args }) => args.authorization === swap.authorization)
  return { sold: event?.args.amountIn, received: event?.args.amountOut }
}

/**
 * Whether other transactions of its block moved the chain's own currency too, or may have: the call is traced for it. Of a
 * router that names nothing.
 */
const isDoubted = ({ authorization, agrees, sell, buy }: BookedSwap) =>
  authorization === undefined && agrees !== true && (isNative(sell.token) || isNative(buy))

const tracedOf = (
  { swap, receipt }: Settled,
  wallet: Address,
  trace: RpcOutcome<ReadonlyMap<string, bigint>> | undefined,
) =>
  movesTraced(trace, {
    ...{ receipt, wallet, recipient: swap.recipient },
    ...{ sell: swap.sell.token, buy: swap.buy },
  })

type Readings = { readonly delta: Told | undefined; readonly traced: TracedMoves }

/** Of a router that names nothing: the tokens' own logs, and {@link coinsOf} the chain's currency. */
function movedOf(
  { swap, receipt }: Settled,
  wallet: Address,
  { delta, traced }: Readings,
): Told | undefined {
  const { sell, buy, recipient, moved } = swap
  const out = transfersOf(receipt, sell.token, wallet)
  const sold = isNative(sell.token)
    ? coinsOf(swap, 'sold', { trace: traced.left, balance: delta?.sold })
    : minus(readingOf(out, { balance: minus(delta?.sold), booked: minus(moved?.sold) }))
  const into = transfersOf(receipt, buy, recipient)
  const received = isNative(buy)
    ? coinsOf(swap, 'received', { trace: traced.came, balance: delta?.received })
    : readingOf(into, { balance: delta?.received, booked: moved?.received })
  return sold === undefined || received === undefined ? undefined : { sold, received }
}

/**
 * What was moved of the chain's own currency. Where balances were found to agree they tell it. Where they were not, another
 * node may have booked it by another reading: what is booked stands where it is one of them, or where a payment to the
 * wallet in the same block explains the difference to the balances and no trace is given.
 */
function coinsOf(
  { agrees, isWrittenOff, moved, sell }: BookedSwap,
  side: 'sold' | 'received',
  { trace, balance }: { readonly trace: bigint | undefined; readonly balance: bigint | undefined },
): bigint | undefined {
  const booked = isWrittenOff ? 0n : moved?.[side]
  if (agrees === true || booked === undefined) return balance
  const readings = [trace, balance, ...(side === 'sold' ? [sell.wei] : [])]
  if (readings.includes(booked)) return booked
  const isMore = (one: bigint, other: bigint) => (side === 'sold' ? one < other : one > other)
  // It was booked by balances that are pruned since, with what somebody paid beside it.
  if (balance === undefined)
    return agrees === undefined && trace !== undefined && isMore(booked, trace) ? undefined : trace
  if (trace !== undefined) return trace
  return isMore(balance, booked) ? booked : balance
}

/**
 * What came by the logs of a token. Where it was minted or burned, balances or logs may have told it when it was booked, as
 * the node had them: what is booked stands where it is a sum of the logs. Otherwise balances decide, and without them
 * nothing does.
 */
function readingOf(
  { net, minted, burned }: Transfers,
  {
    balance,
    booked,
  }: { readonly balance: bigint | undefined; readonly booked: bigint | undefined },
): bigint | undefined {
  if (minted === 0n && burned === 0n) return net
  const isReading = booked !== undefined && [net, net + minted - burned].includes(booked)
  return isReading ? booked : balance
}

const minus = (wei: bigint | undefined) => (wei === undefined ? undefined : -wei)

/** Balances before and after the block, in the order in which {@link deltaOf} reads them. */
function balanceCalls({ swap, receipt }: Settled, wallet: Address): readonly RpcCall<bigint>[] {
  const at = receipt.blockNumber
  return [
    getBalanceOf(swap.sell.token, wallet, at - 1),
    getBalanceOf(swap.sell.token, wallet, at),
    getBalanceOf(swap.buy, swap.recipient, at - 1),
    getBalanceOf(swap.buy, swap.recipient, at),
  ]
}

/** The transactions of the wallet before and after the block: it sent one in it. */
function countCalls({ receipt }: Settled, wallet: Address): readonly RpcCall<number>[] {
  const at = receipt.blockNumber
  return [getTransactionCount(wallet, at - 1), getTransactionCount(wallet, at)]
}

/**
 * The changes of the balances; undefined where the node refused, so has pruned them, or answers with its head's state as
 * if it were the old one: then it does not count the transaction that it shows in the block.
 */
function deltaOf(
  { swap, receipt }: Settled,
  wallet: Address,
  {
    counts,
    outcomes,
  }: {
    readonly counts: readonly RpcOutcome<number>[]
    readonly outcomes: readonly RpcOutcome<bigint>[]
  },
): Told | 'silent' | undefined {
  const [before, after] = counts.flatMap((one) => (one.ok ? [one.value] : []))
  if (before !== undefined && after !== undefined && before >= after) return undefined
  const values = outcomes.flatMap((one) => (one.ok ? [one.value] : []))
  const [soldBefore, soldAfter, boughtBefore, boughtAfter] = values
  if (
    soldBefore === undefined ||
    soldAfter === undefined ||
    boughtBefore === undefined ||
    boughtAfter === undefined
  )
    return outcomes.every((one) => one.ok || (one.error instanceof RpcRefused && saysNo(one.error)))
      ? undefined
      : 'silent'
  const gas = (token: Token, owner: Address) =>
    isNative(token) && sameAddress(owner, wallet) ? receipt.gasPaid : 0n
  return {
    sold: soldBefore - soldAfter - gas(swap.sell.token, wallet),
    received: boughtAfter - boughtBefore + gas(swap.buy, swap.recipient),
  }
}
