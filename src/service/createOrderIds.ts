import { randomInt } from 'node:crypto'
import type { Clock } from '../core/clock.ts'

/**
 * Numbers orders by time: a router fills an id of a maker once and for ever, so a restart must not begin again.
 * Ten thousand per second keep the ids of one second together, because 256 of them share a storage slot of the router,
 * and stay below 2^53, because an id is a JSON number. Each second begins at a random one of them, so that two services
 * which share a maker seldom take the same, nor does one that starts anew in the second in which another ended.
 */
export function createOrderIds(clock: Clock): () => bigint {
  let last = 0
  return () => {
    const second = Math.floor(clock.now() / 1_000)
    const isNew = second > Math.floor(last / perSecond)
    last = isNew ? second * perSecond + randomInt(perSecond / 2) : last + 1
    return BigInt(last)
  }
}

const perSecond = 10_000
