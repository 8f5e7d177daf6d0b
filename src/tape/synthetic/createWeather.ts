/** The state every asset is in together. Volatilities are annual, of the calm regime's asset with factor one. */
const regimes = [
  { volatility: 0.45, stayDays: 20 },
  { volatility: 1.1, stayDays: 5 },
] as const

/** Trouble comes as a Poisson process, so that what is to stop a bot has something to stop it for. */
const outages = { everyDays: 5, lastsMinutes: 25 } as const
const standstills = { everyDays: 7, lastsMinutes: 15 } as const

const minutesPerDay = 24 * 60

export type Weather = {
  readonly volatility: number
  /** How much calmer the calm regime is: depth falls and spreads grow with it. */
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
