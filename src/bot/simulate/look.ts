import { getBalance, getCode, getTransactionCount } from '../../chain/calls/account.ts'
import { type Hex, pinned } from '../../chain/calls/fields.ts'
import { type Block, getBlock, getChainId } from '../../chain/calls/node.ts'
import type { Base, Played, SimulationResult } from '../../chain/calls/simulate.ts'
import { keccakAtHand } from '../../chain/crypto/recoverSigner.ts'
import { type BytesCost, costCalls } from '../../chain/rollup/bytesCost.ts'
import type { Outcomes, RpcCall, RpcOutcome } from '../../chain/rpc/rpc.ts'
import { suggestedTip, tipCalls } from '../../chain/tip.ts'
import { assert } from '../../core/assert.ts'
import { display } from '../../core/display.ts'
import { type BallastError, ballastError } from '../../core/errors.ts'
import type { Permitted } from '../stages.ts'
import type { SimulationEndpoint } from './bounds.ts'
import type { Scenes } from './scenes.ts'

/** One endpoint's report on the swap. */
export type SimulationLook<extra = unknown> = {
  readonly chainId: number
  readonly head: Block
  readonly routerCodeHash: Hex
  readonly nonce: number
  /** The tip it suggests, wei per gas; undefined where it refuses to. */
  readonly tip: bigint | undefined
  /** What the chain takes for the swap's bytes, rather too much: their last fields are not known yet. */
  readonly bytes: BytesCost
  /** Of the chain's own currency. */
  readonly native: bigint
  /** The blocks the three scenes were played on top of. */
  readonly bases: readonly Base[]
  readonly now: {
    /** In the order of the questions. */
    readonly answers: readonly SimulationResult[]
    /** In the order of the probes. */
    readonly before: readonly SimulationResult[]
    readonly approved: readonly SimulationResult[]
    readonly swapped: SimulationResult
    readonly after: readonly SimulationResult[]
    /** What its spender may still take; undefined where it needs no allowance. */
    readonly allowance: SimulationResult | undefined
    /** The nonce of the wallet's permits afterwards, of Permit2 the word that it is a bit of; undefined where the call brings none. */
    readonly permitNonce?: SimulationResult | undefined
  }
  readonly last: {
    readonly before: SimulationResult
    readonly swapped: SimulationResult
    readonly after: SimulationResult
  }
  readonly late: SimulationResult
  readonly extra: readonly extra[]
}

/**
 * Reads everything there is to know before a signature from one endpoint, in one JSON-RPC batch and of one block.
 *
 * An endpoint that is many nodes, or takes no such batch, answers of several blocks: then all of it is read again by the
 * hash of one. The block before it is the last resort: nodes that are one block apart all have that.
 *
 * Throws SIMULATION_UNAVAILABLE when one answer is missing: an unseen fact was not checked.
 */
export async function look<extra>(
  endpoint: SimulationEndpoint,
  permitted: Permitted,
  { scenes, extra, chainId }: { scenes: Scenes; extra: readonly RpcCall<extra>[]; chainId: number },
): Promise<SimulationLook<extra>> {
  const { rpc } = endpoint
  const { wallet, call } = permitted
  const ask = { play: endpoint.play, wallet, call: { ...call, chainId }, scenes, extra }
  const calls = callsOf(ask)
  if (rpc.isOneExchange(calls)) {
    const sight = read<extra>(await rpc.batch(calls), scenes)
    if (sight.bases.every((base) => isOn(base, sight.head))) return sight
  }
  const head = await rpc.request(getBlock('latest'))
  if (head === undefined) throw missingAnswer(new Error('the endpoint has no such block'))
  const at = async (blockHash: Hex) => read<extra>(await rpc.batch(callsOf(ask, blockHash)), scenes)
  return at(head.hash).catch(() => at(head.parentHash))
}

/** Whether it was played on a block: by number always, by hash where the node gives one. */
export const isOn = (base: Base, head: Block): boolean =>
  base.number === head.number &&
  (base.hash ?? head.hash) === head.hash &&
  (base.parentHash ?? head.parentHash) === head.parentHash

/** The questions, of the latest block or of the one with a hash. */
function callsOf<extra>(
  {
    play,
    wallet,
    call,
    scenes,
    extra,
  }: Pick<SimulationEndpoint, 'play'> &
    Pick<Permitted, 'wallet'> & {
      call: Permitted['call'] & { chainId: number }
      scenes: Scenes
      extra: readonly RpcCall<extra>[]
    },
  blockHash?: Hex,
) {
  const at = <result>(one: RpcCall<result>): RpcCall<result> =>
    blockHash === undefined ? one : pinned(one, blockHash)
  const [fee, gas] = costCalls(call)
  return [
    getChainId,
    at(getCode(call.to)),
    at(getTransactionCount(wallet)),
    at(getBalance(wallet)),
    getBlock(blockHash === undefined ? 'latest' : { blockHash }),
    at(play(scenes.now)),
    at(play(scenes.last)),
    at(play(scenes.late)),
    ...tipCalls,
    at(fee),
    at(gas),
    ...extra.map(at),
  ] as const
}

type Answers<extra> = Outcomes<ReturnType<typeof callsOf<extra>>>

function read<extra>(
  [
    chainId,
    code,
    nonce,
    native,
    head,
    now,
    last,
    late,
    paid,
    claim,
    price,
    fee,
    gas,
    ...more
  ]: Answers<extra>,
  scenes: Scenes,
): SimulationLook<extra> {
  const block = seen(head)
  if (block === undefined) throw missingAnswer(new Error('the endpoint has no such block'))
  const played = [now, last, late].map(seen) as [Played, Played, Played]
  return {
    chainId: seen(chainId),
    head: block,
    routerCodeHash: keccakAtHand(Buffer.from(seen(code).slice(2), 'hex')),
    nonce: seen(nonce),
    tip: suggestedTip([paid, claim, price], block),
    bytes: { fee: seen(fee), gas: seen(gas) },
    native: seen(native),
    bases: played.map(({ base }) => base),
    now: partsOf(played[0], scenes),
    last: { before: at(played[1], 0), swapped: at(played[1], -2), after: at(played[1], -1) },
    late: at(played[2], -1),
    extra: more.map((outcome) => seen(outcome as RpcOutcome<extra>)),
  }
}

function partsOf(played: Played, { questions, probes, approvals }: Scenes): SimulationLook['now'] {
  const { results } = played
  const beforeSteps = questions.length + probes.length
  const swap = beforeSteps + approvals
  return {
    answers: results.slice(0, questions.length),
    before: results.slice(questions.length, beforeSteps),
    approved: results.slice(beforeSteps, swap),
    swapped: at(played, swap),
    after: results.slice(swap + 1, swap + 1 + probes.length),
    allowance: results[swap + 1 + probes.length],
    permitNonce: results[swap + 2 + probes.length],
  }
}

/** Every answer was held to the length of its question, so the requested item is there. */
function at({ results }: Played, index: number): SimulationResult {
  const result = results.at(index)
  assert(result !== undefined, 'a scene is answered whole')
  return result
}

function seen<value>(outcome: RpcOutcome<value>): value {
  if (outcome.ok) return outcome.value
  throw missingAnswer(outcome.error)
}

/** Why nothing is signed on a look that lacks an answer. */
export function missingAnswer(cause: Error): BallastError {
  return ballastError(
    'SIMULATION_UNAVAILABLE',
    'The chain could not be read for the simulation.',
    { reason: display(cause.message.split('\n').join(';'), 300) },
    cause,
  )
}
