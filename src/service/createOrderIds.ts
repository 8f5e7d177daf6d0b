import type { Clock } from '../core/clock.ts'

/**
 * Numbers orders by time: a router fills an id of a maker once and for ever, so a restart must not begin again.
 * Ten thousand per second keep the ids of one second together, because 256 of them share a storage slot of the router,
 * and stay below 2^53, because an id is a JSON number.
 */
export function createOrderIds(clock: Clock): () => bigint {
  let last = 0
  return () => {
    last = Math.max(last + 1, Math.floor(clock.now() / 1_000) * 10_000)
    return BigInt(last)
  }
}
