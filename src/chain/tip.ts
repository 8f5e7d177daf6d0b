import { z } from 'zod'
import type { Clock } from '../core/clock.ts'
import { ballastError } from '../core/errors.ts'
import { quantity } from './calls/fields.ts'
import { type Block, getBlock, getPriorityFee } from './calls/node.ts'
import type { Rpc, RpcCall, RpcOutcome } from './rpc/rpc.ts'

/** The newest blocks that are read, and the place among the tips of each: its middle. */
const blocksRead = 20
const percentile = 50

const history = z.looseObject({
  gasUsedRatio: z.array(z.number()).max(blocksRead),
  reward: z.array(z.array(quantity).length(1)).max(blocksRead).nullish(),
})

/** `eth_feeHistory`: the middle tip of each of the newest blocks that held a transaction, wei per gas. */
const getPaidTips: RpcCall<readonly bigint[]> = {
  method: 'eth_feeHistory',
  params: [`0x${blocksRead.toString(16)}`, 'latest', [percentile]],
  parse(answer) {
    const { gasUsedRatio, reward } = history.parse(answer)
    return (reward ?? []).filter((_, index) => (gasUsedRatio[index] ?? 0) > 0).flat()
  },
}

const getGasPrice: RpcCall<bigint> = {
  method: 'eth_gasPrice',
  params: [],
  parse: (answer) => quantity.parse(answer),
}

/** The smallest tip that a mempool takes, wei per gas. */
const tipMin: bigint = 1n

/** The questions that {@link suggestedTip} reads the answers of. */
export const tipCalls = [getPaidTips, getPriorityFee, getGasPrice] as const

type Answers = readonly [
  RpcOutcome<readonly bigint[]>,
  claim: RpcOutcome<bigint>,
  price: RpcOutcome<bigint>,
]

/**
 * One endpoint's suggestion, wei per gas: the middle of the tips that the newest blocks took, or its own
 * `eth_maxPriorityFeePerGas` where that is lower. One that gives neither suggests the part of `eth_gasPrice` above the
 * base fee. Undefined where it refuses every question.
 */
export function suggestedTip([paid, claim, price]: Answers, head: Block): bigint | undefined {
  const suggested = lowest([
    paid.ok ? middle(paid.value) : undefined,
    claim.ok ? claim.value : undefined,
  ])
  if (suggested !== undefined) return suggested
  if (!price.ok) return paid.ok ? tipMin : undefined
  const above = price.value - head.baseFeePerGas
  return above > 0n ? above : tipMin
}

/**
 * The tip to offer: the lowest suggestion of the endpoints, at most `tipMax`. A tip is money for the builder of a block,
 * so no endpoint can raise it above what policy allows, and none alone where there are two.
 */
export function agreedTip(suggestions: readonly (bigint | undefined)[], tipMax: bigint): bigint {
  const suggested = lowest(suggestions)
  if (suggested !== undefined) return boundedTip(suggested, tipMax)
  throw ballastError('FEES_UNAVAILABLE', 'The chain could not be read for its fees.', {
    reason: 'the endpoint suggests no tip',
  })
}

/** No more than the limit, and never less than a mempool takes. */
export function boundedTip(tip: bigint, limit: bigint): bigint {
  const bounded = tip < limit ? tip : limit
  return bounded > tipMin ? bounded : tipMin
}

/** A second endpoint that is slower than this has no say: the quote does not wait. */
const patienceMs = 1_000

type Second = { readonly witness: { readonly rpc: Rpc } | undefined; readonly clock: Clock }

/** The suggestion of the second endpoint; undefined where there is none, or it is away. */
export async function secondTip({ witness, clock }: Second): Promise<bigint | undefined> {
  if (witness === undefined) return undefined
  const timer = new AbortController()
  const nothing = () => undefined
  try {
    return await Promise.race([
      readSuggestion(witness.rpc).catch(nothing),
      clock.sleep(patienceMs, timer.signal).then(nothing, nothing),
    ])
  } finally {
    timer.abort()
  }
}

/** {@link agreedTip} of these endpoints now. */
export async function readTip(
  { rpc, ...second }: Second & { readonly rpc: Rpc },
  tipMax: bigint,
): Promise<bigint> {
  return agreedTip(await Promise.all([readSuggestion(rpc), secondTip(second)]), tipMax)
}

async function readSuggestion(rpc: Rpc): Promise<bigint | undefined> {
  const [head, ...answers] = await rpc.batch([getBlock('latest'), ...tipCalls])
  return head.ok && head.value !== undefined ? suggestedTip(answers, head.value) : undefined
}

/** The lower one of two that are in the middle. */
function middle(tips: readonly bigint[]): bigint | undefined {
  return [...tips].sort((a, b) => (a < b ? -1 : 1))[Math.floor((tips.length - 1) / 2)]
}

function lowest(tips: readonly (bigint | undefined)[]): bigint | undefined {
  const known = tips.filter((tip) => tip !== undefined)
  return known.length === 0 ? undefined : known.reduce((a: bigint, b: bigint) => (a < b ? a : b))
}
