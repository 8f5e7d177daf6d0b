import type { Logger } from 'pino'
import { type Block, getBlock } from '../chain/calls/getBlock.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Clock } from '../core/clock.ts'
import { QuoteRefused } from './errors.ts'
import type { Venue, VenueState } from './venues/venue.ts'

/** Every venue at one block, read in one batch pinned to that block's hash. */
export type Snapshot = { readonly block: Block; readonly states: readonly VenueState[] }

export type Snapshots = {
  /** The newest one; refuses when the chain has stood still for too long. */
  latest(): Promise<Snapshot>
  close(): Promise<void>
}

/** A chain is followed this often without any request, so that its age is known when one comes. */
const followMs = 500

/**
 * Follows the head of a chain.
 *
 * A head's age counts from when it was first seen here: block times belong to the chain, and a fork's clock may be off.
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
  const stop = new AbortController()
  let current: Snapshot | undefined
  let firstSeenAt = 0
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined

  const check = async () => {
    const head = await rpc.request(getBlock('latest'))
    if (head === undefined || head.hash === current?.block.hash) return
    current = await read(rpc, { block: head, venues })
    firstSeenAt = clock.now()
  }

  // Requests that wait share one call, but never one that began before them: it may have missed the newest block.
  const refresh = (): Promise<void> => {
    next ??= running.then(() => {
      next = undefined
      running = check().catch((err: unknown) => {
        log.warn({ err }, 'could not read the chain')
      })
      return running
    })
    return next
  }

  const follow = async () => {
    while (!stop.signal.aborted) {
      await refresh()
      await clock.sleep(followMs, stop.signal).catch(() => undefined)
    }
  }
  const following = follow()

  return {
    async latest() {
      await refresh()
      const ageMs = clock.now() - firstSeenAt
      if (current === undefined || ageMs > ageMsMax)
        throw new QuoteRefused('STALE_STATE', 'The state of the chain is too old to quote from.', {
          ageMs: current === undefined ? undefined : ageMs,
          ageMsMax,
        })
      return current
    },
    async close() {
      stop.abort()
      await following
    },
  }
}

async function read(
  rpc: Rpc,
  { block, venues }: { block: Block; venues: readonly Venue[] },
): Promise<Snapshot> {
  const asked = venues.map((venue) => venue.reads({ blockHash: block.hash }))
  const answers = await rpc.batch(asked.flat())
  let next = 0
  const states = venues.flatMap((venue, index) => {
    const count = asked[index]?.length ?? 0
    const state = venue.at(block, answers.slice(next, next + count))
    next += count
    return state === undefined ? [] : [state]
  })
  return { block, states }
}
