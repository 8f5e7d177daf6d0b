import { mulberry32, standardNormal } from '../core/random.ts'
import type { SandboxWorld } from './world.ts'

/** Synthetic prices by symbol at a number of blocks after the deployment. */
export type Prices = {
  at(step: number): ReadonlyMap<string, number>
}

const secondsPerYear = 365 * 24 * 60 * 60
const secondsPerHour = 60 * 60

/**
 * Geometric Brownian motion without drift, one step per block. With a half-life the price is drawn back to its start: of
 * the distance, as a ratio, half is gone after that time on average, so that it stays near for as long as it walks.
 *
 * The price of a step depends on the seed and the step alone, so a sandbox that is started again continues the same path.
 */
export function createPrices({
  prices,
  blockTimeSeconds,
}: {
  prices: NonNullable<SandboxWorld['prices']>
  blockTimeSeconds: number
}): Prices {
  const years = blockTimeSeconds / secondsPerYear
  const models = Object.entries(prices.model).map(
    ([symbol, { start, volatility, halfLifeHours }]) => ({
      symbol,
      start: Number(start),
      drift: (-volatility * volatility * years) / 2,
      spread: volatility * Math.sqrt(years),
      /** The part of the distance that is left after a step. */
      left:
        halfLifeHours === undefined
          ? undefined
          : 0.5 ** (blockTimeSeconds / (halfLifeHours * secondsPerHour)),
    }),
  )
  const begin = () => ({
    step: 0,
    normal: standardNormal(mulberry32(prices.seed)),
    values: new Map(models.map(({ symbol, start }) => [symbol, start])),
  })
  let path = begin()

  return {
    at(step) {
      // Only a reorganisation requests an earlier step; walking again gives the same numbers.
      if (step < path.step) path = begin()
      for (; path.step < step; path.step += 1)
        for (const { symbol, start, drift, spread, left } of models) {
          const value = path.values.get(symbol) ?? 0
          const from = left === undefined ? value : start * (value / start) ** left
          path.values.set(symbol, from * Math.exp(drift + spread * path.normal()))
        }
      return new Map(path.values)
    },
  }
}
