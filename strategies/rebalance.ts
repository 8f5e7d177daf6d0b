import {
  type Aversion,
  basketKeys,
  basketRules,
  type Context,
  countSwaps,
  covariances,
  cutToLimit,
  dailyTurnover,
  defineStrategy,
  divideUp,
  drift,
  type Fields,
  hubOf,
  inFlight,
  inflows,
  isBeyond,
  maxOf,
  notInHub,
  notZero,
  type ParamsOf,
  type Portfolio,
  partsOf,
  planPortfolio,
  postpone,
  type Rules,
  readPortfolio,
  remember,
  sameToken,
  show,
  showWeight,
  sliceLegs,
  sumOf,
  swap,
  tradesOf,
  wait,
  watchesOf,
  weighedBy,
} from '#strategy'

const defaults = { every: 600, maxGasShare: 10, turnover: 2_000, impact: 10 } as const

/** Where gas is more than this part of the trades, they go to the target: the next ones would cost as much again. */
const gasToTargetBps = 5n

const keys = (fields: Fields) => {
  const { object, required, optional, ...kinds } = fields
  const { weights, in: hub, pairs, probes, ...coins } = basketKeys(fields)
  const { gamma, volatility, horizon, ...band } = drift.keys(fields)
  return object({
    weights,
    in: hub,
    tolerance: required(kinds.tolerance, {
      doc: 'How much less than indicated it accepts. And than the references say; at least `impact`, at most 1000 bps.',
      example: '50 bps',
    }),
    every: optional(kinds.seconds, {
      doc: 'How often it looks; or cron and timeZone.',
      example: '1h',
      suggested: true,
      default: defaults.every,
    }),
    minimum: optional(kinds.amount, {
      doc: 'The least one swap trades; with keep it may be left out. In what everything is counted in; the gas sets one as well, and the higher counts.',
      example: '200 USDC',
      suggested: true,
    }),
    ...band,
    inflow: optional(kinds.choice('first', 'ignore'), {
      doc: 'Money that came in is sold before anything else, where something has to be. Or ignore, which makes no difference.',
      example: 'first',
      default: 'first',
    }),
    maxGasShare: optional(kinds.bps, {
      doc: 'What gas may cost of a swap.',
      example: '10 bps',
      default: defaults.maxGasShare,
      rule: notZero('would allow no swap.'),
    }),
    cooldown: optional(kinds.seconds, {
      doc: 'Between two rebalances. One that has begun goes on.',
      example: '1h',
    }),
    turnover: optional(kinds.share, {
      doc: 'The most of the whole that is swapped in any 24 hours.',
      example: '20 %',
      default: defaults.turnover,
      rule: notZero('would allow no swap.'),
    }),
    impact: optional(kinds.bps, {
      doc: 'How far one slice may move the book. Its average price from the best level.',
      example: '10 bps',
      default: defaults.impact,
    }),
    ...coins,
    cron: optional(kinds.cron, {
      doc: 'Looks by a calendar instead. With `trigger` or `relative` it trades beyond the band only; without, at any drift, to the target.',
    }),
    timeZone: optional(kinds.timeZone, { doc: 'Of the calendar.' }),
    maximum: optional(kinds.amount, {
      doc: 'The most one swap is worth, in what everything is counted in. `policy.perSwap` and `policy.notional.perSwap` bound it as well.',
    }),
    gamma,
    volatility,
    horizon,
    pairs,
    probes,
  })
}
type Params = ParamsOf<typeof keys>

const rules: Rules<Params> = {
  ...basketRules,
  ...drift.rules,
  every: ({ every, cron }) =>
    every === undefined || cron === undefined ? undefined : 'and cron exclude each other.',
  timeZone: ({ timeZone, cron }) =>
    (timeZone === undefined) === (cron === undefined) ? undefined : 'and cron go together.',
  minimum: (params) => {
    const { minimum, keep, weights } = params
    const isPriced = weights.some(({ token }) => /^W[A-Z]/.test(token.symbol))
    if (minimum === undefined)
      return keep === undefined && !isPriced
        ? 'is missing: without keep nobody knows what gas is worth.'
        : undefined
    return notInHub(minimum, params)
  },
  maximum: (params) => {
    const { maximum, minimum } = params
    if (maximum === undefined) return undefined
    const isTooLittle = maximum.wei < maxOf(1n, minimum?.wei ?? 0n)
    return notInHub(maximum, params) ?? (isTooLittle ? 'is less than the minimum.' : undefined)
  },
  tolerance: ({ tolerance, impact = defaults.impact }) =>
    tolerance < impact ? `is less than the ${impact} bps of impact a slice may have.` : undefined,
}

/**
 * Keeps a portfolio at its target weights: when one has left its band, all are brought back to where they may be, with
 * the least turnover and few swaps.
 */
export default defineStrategy({
  name: 'rebalance',
  summary: 'Keeps target weights: when one has left its band, trades as little as brings all back.',
  params: (fields) => fields.check(keys(fields), rules),

  schedule: ({ every = defaults.every, cron, timeZone = 'UTC' }) =>
    cron === undefined
      ? { kind: 'every', seconds: every }
      : { kind: 'cron', expression: cron, timeZone },

  watch: watchesOf,

  typicalSwaps: ({ params, swapLimits }) =>
    tradesOf(params).map(({ sell, buy }) => {
      const { token, wei } = cutToLimit({ swapLimits }, sell)
      const { minimum } = params
      const least = minimum !== undefined && sameToken(minimum.token, token) ? minimum.wei : 0n
      return { sell: { token, wei: maxOf(least, wei) }, buy }
    }),

  weighs: weighedBy,

  targets: assetsOf,

  decide(context) {
    const { params, balances, now, lastFill, memory = {} } = context
    const { cooldown = 0, turnover = defaults.turnover, tolerance, cron } = params
    const later = cron === undefined ? wait : postpone
    const open = inFlight(context)
    if (open !== undefined) return remember(memory, later(open))
    const folio = see(context)
    if (typeof folio === 'string') {
      const { weights } = params
      const held = weights.flatMap(({ token }) => partsOf(params, { token, balances }))
      const isEmpty = held.every(({ wei }) => wei === 0n)
      return remember(memory, isEmpty ? later(folio) : postpone(folio))
    }

    const { volatilityBps, ...averse } = drift.aversion(params)
    const { covarianceOf, notes: priced } = covariances(context, folio, volatilityBps)
    const { fresh, notes: there } =
      params.inflow === 'ignore' ? { fresh: [], notes: {} } : inflows(context, folio.assets)
    const notes = { ...there, ...priced }
    const begun = begunBy(context)
    const rest = (reason: string) => {
      const weights = folio.assets.map((asset) => showWeight(asset, folio)).join(', ')
      return remember(notes, wait(`${reason}: ${weights}.`))
    }
    if (begun === undefined && !folio.assets.some((asset) => isBeyond(asset, folio)))
      return rest('Inside the band')
    const restedMs = lastFill === undefined ? undefined : now - lastFill.at
    if (begun === undefined && restedMs !== undefined && restedMs < cooldown * 1_000)
      return rest(`The last swap was ${Math.floor(restedMs / 1_000)} s ago, not ${cooldown} s`)

    // A band that is left open is put off, in a period too: a wait says that all is well.
    const hold = (reason: string) => remember({ ...notes, ...begun }, postpone(reason))
    const minimum = minimumOf(folio, params)
    if (minimum === undefined)
      return hold('Gas cannot be priced and no `minimum` is set: set `keep` or `minimum`.')
    const aversion = { ...averse, covarianceOf }
    const plan = planOf(folio, { params, fresh, minimum, begun, aversion })
    if (plan.legs.length === 0)
      return rest(`No swap of at least ${inHub(params, minimum)} is left to do`)
    const costs = plan.gas + plan.lost
    if (begun === undefined && plan.benefit < costs)
      return rest(`Costs ${inHub(params, costs)} and is worth ${inHub(params, plan.benefit)}`)
    const used = dailyTurnover(context, folio)
    if (typeof used === 'string') return hold(used)
    const allowed = (folio.whole * BigInt(turnover)) / 10_000n
    const allowance = allowed - used
    if (allowance < minimum)
      return remember(
        { ...notes, ...begun },
        later(
          `${inHub(params, used)} were turned over in the last 24 h, of ${inHub(params, allowed)} that may be.`,
        ),
      )
    const intents = sliceLegs(plan, folio, { toleranceBps: tolerance, minimum, allowance })
    if (typeof intents === 'string') return hold(intents)
    const since = begun?.since ?? countSwaps(context)
    return remember({ ...notes, to: plan.to, since }, swap(...intents))
  },
})

function see(context: Context<Params>): Portfolio | string {
  const { params } = context
  const watches = watchesOf(params)
  const { maxDeviation } = params
  const assets = assetsOf(context)
  return readPortfolio(context, { assets, hub: hubOf(params), watches, maxDeviation })
}

function assetsOf({ params, balances }: Pick<Context<Params>, 'params' | 'balances'>) {
  return params.weights.map(({ token, bps }) => ({
    token,
    parts: partsOf(params, { token, balances }),
    ...drift.band(bps, params),
  }))
}

/** How far a rebalance that has begun goes, and how many swaps there had been before it. */
type Begun = { readonly to: 'edge' | 'target'; readonly since: number }

/** It has begun when one of its swaps has settled: one that came to nothing is judged anew. */
function begunBy(context: Context<Params>): Begun | undefined {
  const { to, since } = context.memory ?? {}
  if ((to !== 'edge' && to !== 'target') || typeof since !== 'number') return undefined
  return countSwaps(context) > since ? { to, since } : undefined
}

/** The least that is worth a swap; undefined where gas cannot be priced and no minimum is set. */
function minimumOf({ gas }: Portfolio, { minimum, maxGasShare = defaults.maxGasShare }: Params) {
  if (gas === undefined) return minimum?.wei
  return maxOf(1n, minimum?.wei ?? 0n, divideUp(gas * 10_000n, BigInt(maxGasShare)))
}

type Planning = {
  readonly params: Params
  readonly fresh: readonly bigint[]
  readonly minimum: bigint
  readonly begun: Begun | undefined
  readonly aversion: Aversion
}

function planOf(folio: Portfolio, { params, fresh, minimum, begun, aversion }: Planning) {
  const { destination, maximum, impact: impactBps = defaults.impact } = params
  // Proceeds in the hub are for the buys: they go before more is sold.
  const first = folio.assets.map((asset, place) =>
    begun !== undefined && place === folio.hub ? sumOf(asset) : (fresh[place] ?? 0n),
  )
  const wish = { fresh: first, minimum, maximum: maximum?.wei, impactBps, aversion }
  const planTo = (to: Begun['to']) => ({ ...planPortfolio(folio, { ...wish, until: to }), to })
  if (begun !== undefined) return planTo(begun.to)
  const near = planTo('edge')
  const isDear = near.gas * 10_000n > near.turned * gasToTargetBps
  return destination === undefined && isDear ? planTo('target') : near
}

const inHub = (params: Params, wei: bigint) => show({ token: hubOf(params), wei })
