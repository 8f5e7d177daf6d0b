import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { getCode } from '../chain/calls/account.ts'
import { aggregateCalls, multicall3Address } from '../chain/calls/aggregateCalls.ts'
import type { BlockId } from '../chain/calls/fields.ts'
import { type Block, getBlock, isSyncing } from '../chain/calls/node.ts'
import { mayPass, type Rpc, type RpcCall, type RpcOutcome, saysNo } from '../chain/rpc/rpc.ts'
import type { Unfinished } from '../chain/uniswapV3/readPool.ts'
import type { Clock } from '../core/clock.ts'
import { repeatUntil } from '../core/repeat.ts'
import { QuoteRefused } from './refusal/errors.ts'
import type { Venue, VenueState } from './venues/venue.ts'

/** Every venue at one block, every read pinned to that block's hash: after a reorganisation nothing of it is left. */
export type Snapshot = { readonly block: Block; readonly states: readonly VenueState[] }

export type Snapshots = {
  /** The newest one; refuses when the chain has stood still for too long. */
  latest(): Promise<Snapshot>
  /** The same one, after something was awaited; refuses where it has become too old. */
  fresh(snapshot: Snapshot): Snapshot
  close(): Promise<void>
}

/** Heads whose age is remembered. */
const rememberedMax = 64

/** A chain is followed this often without any request, so that its age is known when one comes. */
const followMs = 500

/**
 * Follows the head of a chain.
 *
 * A head's age counts from when it was first seen here: block times belong to the chain, and a fork's clock may be off.
 * Where its own time is old as well, a node that says it is syncing is not followed.
 */
export function createSnapshots({
  rpc,
  venues,
  blockTimeSeconds,
  clock,
  log,
}: {
  rpc: Rpc
  venues: readonly Venue[]
  blockTimeSeconds: number
  clock: Clock
  log: Logger
}): Snapshots {
  const ageMsMax = Math.max(3 * blockTimeSeconds, 5) * 1_000
  let current: Snapshot | undefined
  /** When the last block was read of which the node did not answer everything; what is missing is not what does not trade. */
  let partialAt: number | undefined
  /** Whether the chain has Multicall3; every public one does, at one address. */
  let shares: boolean | undefined
  let wasSyncing = false
  /** When each of the last heads was seen first. Nodes of one provider may take turns with heads that stand still. */
  const firstSeen = new Map<string, number>()
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined

  // Each block of a node that is catching up is new to us and old to everybody else.
  const isCatchingUp = async ({ number, timestamp }: Block, at: number): Promise<boolean> => {
    if (at - timestamp * 1_000 <= ageMsMax) return false
    const syncing = await rpc.request(isSyncing).catch((error: unknown) => {
      if (saysNo(error)) return false
      throw error
    })
    if (syncing && !wasSyncing) log.warn({ block: number }, 'the node is still syncing')
    wasSyncing = syncing
    return syncing
  }

  const check = async () => {
    const askedAt = clock.now()
    const head = await rpc.request(getBlock('latest'))
    if (head === undefined) return
    const isDue = partialAt !== undefined && Math.abs(askedAt - partialAt) >= followMs
    if (head.hash === current?.block.hash && !isDue) return
    if (await isCatchingUp(head, askedAt)) return
    if (!firstSeen.has(head.hash)) firstSeen.set(head.hash, askedAt)
    for (const hash of [...firstSeen.keys()].slice(0, -rememberedMax)) firstSeen.delete(hash)
    shares ??= (await rpc.request(getCode(multicall3Address))) !== '0x'
    const { isWhole, ...snapshot } = await read({ rpc, venues, shares }, head)
    current = snapshot
    partialAt = isWhole ? undefined : askedAt
  }

  // Requests that wait share one call, but never one that began before them: it may have missed the newest block. Those
  // that arrive together are read one after the other, and wait for the last of them: to answer them side by side takes
  // half the time of answering each alone.
  const refresh = (): Promise<void> => {
    next ??= Promise.all([running, nextTurn()]).then(() => {
      next = undefined
      running = check().catch((err: unknown) => {
        log.warn({ err }, 'could not read the chain')
      })
      return running
    })
    return next
  }

  const stop = new AbortController()
  const following = repeatUntil(stop.signal, { everyMs: followMs, clock }, refresh)

  const fresh = (snapshot: Snapshot | undefined): Snapshot => {
    const seenAt = firstSeen.get(snapshot?.block.hash ?? '') ?? 0
    return young(snapshot, { ageMs: clock.now() - seenAt, ageMsMax })
  }

  return {
    async latest() {
      await refresh()
      return fresh(current)
    },
    fresh,
    async close() {
      stop.abort()
      await following
    },
  }
}

function young(
  snapshot: Snapshot | undefined,
  { ageMs, ageMsMax }: { ageMs: number; ageMsMax: number },
): Snapshot {
  // By a clock that was set back, the age is not known.
  if (snapshot === undefined || ageMs > ageMsMax || ageMs < 0)
    throw new QuoteRefused('STALE_STATE', 'The state of the chain is too old to quote from.', {
      ageMs: snapshot === undefined ? undefined : ageMs,
      ageMsMax,
    })
  return snapshot
}

async function read(
  { rpc, venues, shares }: { rpc: Rpc; venues: readonly Venue[]; shares: boolean },
  block: Block,
): Promise<Snapshot & { readonly isWhole: boolean }> {
  const id = { blockHash: block.hash }
  const sharing = venues.map((venue) => shares && venue.sharesCalls === true)
  let isWhole = true
  const ask = async (calls: readonly (readonly RpcCall<unknown>[])[]) => {
    const found = await askAll(rpc, { calls, sharing, id })
    isWhole &&= found.flat().every((one) => one.ok || !mayPass(one.error))
    return found
  }

  const answers = await ask(venues.map((venue) => venue.reads(id)))
  // The node that named the head is not always the one that is read: the next may not have it yet.
  const missing = answers.flat().map((one) => (one.ok ? undefined : one.error))
  if (missing.length > 0 && missing.every((error) => error !== undefined)) throw missing[0]
  let states = venues.map((venue, index) => venue.at(block, answers[index] ?? []))
  for (let round = 0; round < roundsMax && states.some(isUnfinished); round += 1) {
    const more = await ask(states.map((state) => (isUnfinished(state) ? state.reads : [])))
    states = states.map((state, index) =>
      isUnfinished(state) ? state.finish(more[index] ?? []) : state,
    )
  }
  return {
    ...{ block, isWhole },
    states: states.filter((state) => state !== undefined && !isUnfinished(state)) as VenueState[],
  }
}

/** A v3 pool seen for the first time: its price, its words, its ticks. One more in reserve. */
const roundsMax = 3

const isUnfinished = (
  state: VenueState | Unfinished<VenueState> | undefined,
): state is Unfinished<VenueState> => state !== undefined && 'finish' in state

/** One round trip, answers by venue. Calls of known contracts travel together; a token's could use up the others' gas. */
async function askAll(
  rpc: Rpc,
  {
    calls,
    sharing,
    id,
  }: {
    calls: readonly (readonly RpcCall<unknown>[])[]
    sharing: readonly boolean[]
    id: BlockId
  },
): Promise<readonly (readonly RpcOutcome<unknown>[])[]> {
  const shared = aggregateCalls(calls.filter((_, index) => sharing[index]).flat(), id)
  const single = calls.filter((_, index) => !sharing[index]).flat()
  const answers: readonly RpcOutcome<unknown>[] = await rpc.batch([
    ...shared.map(({ call }) => call),
    ...single,
  ])
  const pools = shared.flatMap(({ read }, index) => {
    const answer = answers[index]
    return answer === undefined ? [] : read(answer)
  })
  const rest = answers.slice(shared.length)
  return calls.map(({ length }, index) => (sharing[index] ? pools : rest).splice(0, length))
}
