import { assert } from '../../core/assert.ts'

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

export type SyntheticAsset = Floating | Stable

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
export function createAssets(assets: readonly SyntheticAsset[], { uniform, normal }: Chance) {
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

/** The lower triangle whose product with its own transpose is the matrix: makes independent numbers correlated ones. */
export function cholesky(matrix: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const lower: number[][] = []
  for (const [row, entries] of matrix.entries()) {
    const line: number[] = []
    for (let column = 0; column <= row; column += 1) {
      const other = column === row ? line : (lower[column] ?? [])
      let rest = entries[column] ?? 0
      for (let k = 0; k < column; k += 1) rest -= (line[k] ?? 0) * (other[k] ?? 0)
      if (column === row) assert(rest > 0, 'a correlation matrix is positive definite')
      line.push(column === row ? Math.sqrt(rest) : rest / (other[column] ?? 1))
    }
    lower.push(line)
  }
  return lower
}

/** The state every asset is in together. Volatilities are annual, of the calm regime's asset with factor one. */
const regimes = [
  { volatility: 0.45, stayDays: 20 },
  { volatility: 1.1, stayDays: 5 },
] as const

/** Trouble comes as a Poisson process, so that what is to stop a bot has something to stop it for. */
const outages = { everyDays: 5, lastsMinutes: 25 } as const
const standstills = { everyDays: 7, lastsMinutes: 15 } as const

const minutesPerDay = 24 * 60

type Weather = {
  readonly volatility: number
  /** The stress of a regime: depth falls and spreads grow with it. */
  readonly stress: number
  /** The service answers 503. */
  readonly isOut: boolean
  /** The chain and the books stand still, and the node goes on calling its old block the latest. */
  readonly isStill: boolean
}

/** Moves the regime and the troubles by a number of days; draws the same count of numbers at every step. */
export function createWeather(uniform: () => number) {
  let regime = 0
  let outFor = 0
  let stillFor = 0
  return function next(days: number): Weather {
    const [turn, out, outLasts, still, stillLasts] = [
      uniform(),
      uniform(),
      uniform(),
      uniform(),
      uniform(),
    ]
    if (turn < 1 - Math.exp(-days / stayOf(regime))) regime = 1 - regime
    outFor = Math.max(0, outFor - days)
    stillFor = Math.max(0, stillFor - days)
    if (out < 1 - Math.exp(-days / outages.everyDays))
      outFor = lasting(outages.lastsMinutes, outLasts)
    if (still < 1 - Math.exp(-days / standstills.everyDays))
      stillFor = lasting(standstills.lastsMinutes, stillLasts)
    const { volatility } = regimes[regime === 0 ? 0 : 1]
    return {
      volatility,
      stress: volatility / regimes[0].volatility,
      isOut: outFor > 0,
      isStill: stillFor > 0,
    }
  }
}

const stayOf = (regime: number) => regimes[regime === 0 ? 0 : 1].stayDays

const lasting = (minutes: number, draw: number) => (-minutes * Math.log(1 - draw)) / minutesPerDay
