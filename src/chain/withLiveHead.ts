import type { Clock } from '../core/clock.ts'
import { ballastError } from '../core/errors.ts'
import { getBlock, getChainId } from './calls/node.ts'
import type { Rpc, RpcCall } from './rpc/rpc.ts'

/** A head of a chain is old after so long, and one that is newer by as much shows that the endpoint stands still. */
export type HeadLimit = {
  readonly chainId: number
  readonly clock: Pick<Clock, 'now'>
  readonly ageMsMax: number
}

/**
 * An endpoint that fails with NODE_BEHIND once its newest block stands still, so that another one is read in its place.
 *
 * An old block alone proves nothing: the chain may be quiet, or this machine's clock wrong. It is compared with the heads of
 * the others, and where none of them is newer the old block is the answer.
 */
export function withLiveHead(
  rpc: Rpc,
  others: readonly Rpc[],
  { chainId, clock, ageMsMax }: HeadLimit,
): Rpc {
  let isBehind = false
  let comparedAt = Number.NEGATIVE_INFINITY

  async function judge(timestamp: number): Promise<void> {
    const now = clock.now()
    const isOld = now - timestamp * 1_000 > ageMsMax
    // On a quiet chain each head is old: one comparison now and then is enough.
    if (isOld && !isBehind && Math.abs(now - comparedAt) < ageMsMax) return
    if (isOld) comparedAt = now
    const newest = isOld ? await newestOf(others, { chainId, latestMs: now + ageMsMax }) : undefined
    isBehind = newest !== undefined && (newest - timestamp) * 1_000 > ageMsMax
    if (isBehind) throw stands(timestamp, newest)
  }

  const stands = (headSeconds: number | undefined, otherSeconds?: number) =>
    ballastError(
      'NODE_BEHIND',
      'The newest block of the RPC endpoint stands still, and another endpoint has a newer one.',
      { endpoint: rpc.label, headSeconds, otherSeconds },
    )

  /** Once behind, no state is read before the head has moved on: a nonce or a balance shows no age. */
  async function assertLive(calls: readonly RpcCall<unknown>[]): Promise<void> {
    if (!isBehind || calls.some(asksHead)) return
    const head = await rpc.request(getBlock('latest'))
    if (head === undefined) throw stands(undefined)
    await judge(head.timestamp)
  }

  return {
    ...rpc,
    async request(call) {
      await assertLive([call])
      const answer = await rpc.request(call)
      const timestamp = asksHead(call) ? timestampOf(answer) : undefined
      if (timestamp !== undefined) await judge(timestamp)
      else if (isBehind) throw stands(undefined)
      return answer
    },
    async batch(calls) {
      await assertLive(calls)
      const outcomes = await rpc.batch(calls)
      const head = outcomes[calls.findIndex(asksHead)]
      const timestamp = head?.ok === true ? timestampOf(head.value) : undefined
      if (timestamp !== undefined) await judge(timestamp)
      // Known to be behind, it has given no newer head: its state is as old.
      else if (isBehind) throw stands(undefined)
      return outcomes
    },
  }
}

const asksHead = ({ method, params }: RpcCall<unknown>): boolean =>
  method === 'eth_getBlockByNumber' && params[0] === 'latest'

/** Of a block; some calls make another thing of it. */
const timestampOf = (answer: unknown): number | undefined =>
  typeof answer === 'object' &&
  answer !== null &&
  'timestamp' in answer &&
  typeof answer.timestamp === 'number'
    ? answer.timestamp
    : undefined

/**
 * The newest head of these. Of a block in the future nothing is known: an endpoint that makes one up takes no other's place,
 * and neither does one of another chain.
 */
async function newestOf(
  rpcs: readonly Rpc[],
  { chainId, latestMs }: { readonly chainId: number; readonly latestMs: number },
): Promise<number | undefined> {
  const headOf = async (rpc: Rpc) => {
    const [chain, head] = await rpc.batch([getChainId, getBlock('latest')])
    return chain.ok && chain.value === chainId && head.ok ? head.value : undefined
  }
  // One that gives no head has none that is newer.
  const heads = await Promise.all(rpcs.map((rpc) => headOf(rpc).catch(() => undefined)))
  const times = heads
    .flatMap((head) => head?.timestamp ?? [])
    .filter((seconds) => seconds * 1_000 <= latestMs)
  return times.length === 0 ? undefined : Math.max(...times)
}
