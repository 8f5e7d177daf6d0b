import { cholesky } from './cholesky.ts'

/** Follows the market: its log price is a diffusion with jumps. */
type Floating = {
  readonly kind: 'floating'
  readonly symbol: string
  readonly start: number
  /** Of the regime's volatility. */
  readonly factor: number
}

/** Held to one: its log price is pulled back (Ornstein-Uhlenbeck). */
type Stable = { readonly kind: 'stable'; readonly symbol: string }

export type Asset = Floating | Stable

const daysPerYear = 365

/** Jumps of all floating assets together: a few a year, a little more often down than up. */
const jump = { perYear: 12, mean: -0.01, deviation: 0.03 } as const

/** Between any two floating assets. */
const correlation = 0.8

/** A deviation of five basis points, half of it gone in six hours. */
const peg = { deviation: 0.0005, halfLifeDays: 0.25 } as const

type Chance = { readonly uniform: () => number; readonly normal: () => number }

/**
 * Prices of several assets in one currency, step by step: dX = (mu - s²/2 - lambda k) dt + s dW + J dN with mu = 0,
 * J normal and k its mean growth, the dW correlated by Cholesky.
 */
export function createAssets(assets: readonly Asset[], { uniform, normal }: Chance) {
  const floating = assets.filter((asset) => asset.kind === 'floating')
  const lower = cholesky(
    floating.map((_, row) => floating.map((_, column) => (row === column ? 1 : correlation))),
  )
  const logs = new Map(
    assets.map((asset) => [
      asset.symbol,
      asset.kind === 'floating' ? Math.log(asset.start) : peg.deviation * normal(),
    ]),
  )
  const growth = Math.exp(jump.mean + jump.deviation ** 2 / 2) - 1

  return function next(days: number, volatility: number): ReadonlyMap<string, number> {
    const years = days / daysPerYear
    const shocks = floating.map(() => normal())
    const jumps = uniform() < 1 - Math.exp(-jump.perYear * years)
    const leap = jump.mean + jump.deviation * normal()
    for (const [row, { symbol, factor }] of floating.entries()) {
      const own = volatility * factor
      const shock = (lower[row] ?? []).reduce((sum, part, at) => sum + part * (shocks[at] ?? 0), 0)
      const drift = (-(own ** 2) / 2 - jump.perYear * growth) * years
      const moved = drift + own * Math.sqrt(years) * shock + (jumps ? leap : 0)
      logs.set(symbol, (logs.get(symbol) ?? 0) + moved)
    }
    const kept = 0.5 ** (days / peg.halfLifeDays)
    for (const { symbol, kind } of assets) {
      const shock = kind === 'stable' ? normal() : 0
      if (kind === 'stable')
        logs.set(
          symbol,
          (logs.get(symbol) ?? 0) * kept + peg.deviation * Math.sqrt(1 - kept ** 2) * shock,
        )
    }
    return new Map([...logs].map(([symbol, log]) => [symbol, Math.exp(log)]))
  }
}
