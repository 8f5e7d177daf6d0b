import type { Block } from '../../chain/calls/node.ts'

const secondsPerYear = 365 * 24 * 60 * 60

/** Measures how much a price moves: annual, by the chain's time. */
export type Volatility = { at(block: Block, price: number): number }

/**
 * Squared returns per second, exponentially weighted. It begins at the expected value, so that one first step means
 * little. A second call in a block changes nothing; a block that is not later than the last one is not counted.
 */
export function createVolatility({
  expected,
  halfLifeSeconds = 60,
}: {
  expected: number
  halfLifeSeconds?: number
}): Volatility {
  let variance = expected ** 2 / secondsPerYear
  let last: { readonly timestamp: number; readonly price: number } | undefined
  return {
    at({ timestamp }, price) {
      const seconds = last === undefined ? 0 : timestamp - last.timestamp
      if (last !== undefined && seconds > 0) {
        const kept = 0.5 ** (seconds / halfLifeSeconds)
        variance = kept * variance + (1 - kept) * (Math.log(price / last.price) ** 2 / seconds)
      }
      if (last === undefined || seconds > 0) last = { timestamp, price }
      return Math.sqrt(variance * secondsPerYear)
    },
  }
}
