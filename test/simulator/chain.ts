import { createHash } from 'node:crypto'
import { encodeAbiParameters, encodeEventTopics, parseAbi } from 'viem'
import { swapRouterAbi } from '../../contracts/abi/swapRouter.ts'
import type { Hex } from '../../src/chain/calls/fields.ts'
import { type Address, isNative } from '../../src/core/token.ts'
import { readSwapCall } from './swapCall.ts'
import { bought, router, sold, wallet } from './world.ts'

/** What the chain knows of the one wallet after a block. */
export type State = {
  readonly nonce: number
  readonly native: bigint
  readonly sold: bigint
  readonly bought: bigint
  readonly allowance: bigint
  readonly used: ReadonlySet<string>
}

export type Tx = {
  readonly hash: Hex
  readonly nonce: number
  readonly to: Address
  readonly data: Hex
  readonly value: bigint
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

export type Log = {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
}

export type Mined = {
  readonly tx: Tx
  readonly success: boolean
  readonly gasUsed: bigint
  readonly gasPrice: bigint
  readonly logs: readonly Log[]
  /** What a successful swap moved. */
  readonly moved:
    | { readonly authorization: Hex; readonly sold: bigint; readonly received: bigint }
    | undefined
}

export type Block = {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Unix seconds. */
  readonly timestamp: number
  readonly baseFee: bigint
  /** How full it was, in [0, 1]: what the next base fee depends on. */
  readonly fullness: number
  readonly mined: readonly Mined[]
  readonly state: State
}

/** A chain as one node sees it: the blocks from its first to its head. */
export type Branch = readonly Block[]

const hashOf = (text: string): Hex => `0x${createHash('sha256').update(text).digest('hex')}`

export function genesis({ timestamp, state }: { timestamp: number; state: State }): Block {
  return {
    number: 0,
    hash: hashOf(`genesis ${timestamp}`),
    parentHash: `0x${'0'.repeat(64)}`,
    timestamp,
    baseFee: 10n * gwei,
    fullness: 0.5,
    mined: [],
    state,
  }
}

const gwei = 1_000_000_000n
const baseFeeMin = gwei

/** EIP-1559: an eighth up after a full block, an eighth down after an empty one. */
function nextBaseFee({ baseFee, fullness }: Block): bigint {
  const change = (baseFee * BigInt(Math.round((fullness - 0.5) * 2_000))) / 8_000n
  const next = baseFee + change
  return next < baseFeeMin ? baseFeeMin : next
}

/** Builds a block on another from what the miner has, in the order of nonces. */
export function mine(
  parent: Block,
  {
    timestamp,
    salt,
    fullness,
    baseFee = nextBaseFee(parent),
    candidates,
    moves,
  }: {
    timestamp: number
    /** Tells the blocks of two branches apart. */
    salt: number
    fullness: number
    baseFee?: bigint
    candidates: (nonce: number) => Tx | undefined
    /** Whether the market still pays what an authorisation promised, and how much on top of its minimum. */
    moves: (authorization: Hex) => { readonly pays: boolean; readonly surplus: bigint }
  },
): Block {
  const number = parent.number + 1
  const mined: Mined[] = []
  let { state } = parent
  for (;;) {
    const tx = candidates(state.nonce)
    if (tx === undefined || tx.maxFeePerGas < baseFee) break
    const tip = least(tx.maxPriorityFeePerGas, tx.maxFeePerGas - baseFee)
    const done = execute(state, { tx, gasPrice: baseFee + tip, timestamp, moves })
    if (done === undefined) break
    mined.push(done.mined)
    state = done.state
  }
  return {
    number,
    hash: hashOf(`${parent.hash} ${timestamp} ${salt} ${mined.map(({ tx }) => tx.hash)}`),
    parentHash: parent.hash,
    timestamp,
    baseFee,
    fullness,
    mined,
    state,
  }
}

const least = (a: bigint, b: bigint) => (a < b ? a : b)

const gasOf = { swap: 180_000n, reverted: 60_000n, approve: 46_000n, transfer: 21_000n }

/** Undefined where the wallet cannot pay for the gas: such a transaction is in no block. */
function execute(
  state: State,
  {
    tx,
    gasPrice,
    timestamp,
    moves,
  }: {
    tx: Tx
    gasPrice: bigint
    timestamp: number
    moves: (authorization: Hex) => { readonly pays: boolean; readonly surplus: bigint }
  },
): { mined: Mined; state: State } | undefined {
  if (state.native < tx.value + tx.gas * tx.maxFeePerGas) return undefined
  const paid = (gasUsed: bigint): State => ({
    ...state,
    nonce: state.nonce + 1,
    native: state.native - gasUsed * gasPrice,
  })
  const plain = (gasUsed: bigint, success = true) =>
    ({ tx, success, gasUsed, gasPrice, logs: [], moved: undefined }) satisfies Mined

  const swap = tx.to === router ? readSwapCall(tx.data) : undefined
  if (swap === undefined) {
    if (tx.to !== sold.address) return { mined: plain(gasOf.transfer), state: paid(gasOf.transfer) }
    const allowance = BigInt(`0x${tx.data.slice(-64)}`)
    return { mined: plain(gasOf.approve), state: { ...paid(gasOf.approve), allowance } }
  }

  const { authorization, deadline, token, amountIn, minimum, quoteId } = swap
  const { pays, surplus } = moves(authorization)
  const held = isNative({ address: token }) ? tx.value : least(state.sold, state.allowance)
  if (!pays || timestamp > deadline || state.used.has(authorization) || held < amountIn)
    return { mined: plain(gasOf.reverted, false), state: paid(gasOf.reverted) }

  const received = minimum + surplus
  const after = paid(gasOf.swap)
  const native = isNative({ address: token })
  return {
    mined: {
      ...plain(gasOf.swap),
      logs: [swappedLog({ authorization, token, amountIn, received, quoteId })],
      moved: { authorization, sold: amountIn, received },
    },
    state: {
      ...after,
      native: after.native - (native ? amountIn : 0n),
      sold: after.sold - (native ? 0n : amountIn),
      allowance: after.allowance - (native ? 0n : amountIn),
      bought: after.bought + received,
      used: new Set([...state.used, authorization]),
    },
  }
}

const swappedTypes = parseAbi([
  'function f(address tokenIn, address tokenOut, uint256 amountIn, uint256 amountOut, bytes16 quoteId)',
])[0].inputs

function swappedLog(facts: {
  authorization: Hex
  token: Address
  amountIn: bigint
  received: bigint
  quoteId: Hex
}): Log {
  const { authorization, token, amountIn, received, quoteId } = facts
  const topics = encodeEventTopics({
    abi: swapRouterAbi,
    eventName: 'Swapped',
    args: { authorization, caller: wallet, recipient: wallet },
  })
  const values = [token, bought.address, amountIn, received, quoteId] as const
  return {
    address: router,
    topics: topics as Hex[],
    data: encodeAbiParameters(swappedTypes, values),
  }
}
