import {
  type Amount,
  basketRules,
  type Context,
  dailyTurnover,
  defineStrategy,
  divideUp,
  type Fields,
  hubOf,
  inflows,
  isBeyond,
  maxOf,
  minOf,
  notInHub,
  type ParamsOf,
  type Portfolio,
  type PortfolioPlan,
  partsOf,
  planPortfolio,
  postpone,
  type Rules,
  readPortfolio,
  remember,
  show,
  showWeight,
  sliceLegs,
  sumOf,
  swap,
  wait,
  watchesOf,
} from '#strategy'

const defaults = {
  trigger: 500,
  every: 600,
  maxGasShare: 10,
  gamma: 20_000,
  volatility: 7_000,
  horizon: 30 * 86_400,
  turnover: 2_000,
  impact: 10,
} as const

/** Where gas is more than this part of the trades, they go to the target: the next ones would cost as much again. */
const gasToTargetBps = 5n

const keys = ({ object, required, optional, ...kinds }: Fields) => {
  const { weights, token, amount, amounts, pairs, share, tolerance, bps, factor } = kinds
  const { seconds, cron, timeZone, choice } = kinds
  return object({
    weights: required(weights, {
      doc: 'What each asset is to be of the whole, together 100 %. 0 % sells an asset off.',
    }),
    in: optional(token, {
      doc: 'What everything is counted in, and traded through. The hub.',
      example: 'USDC',
      suggested: true,
      default: { words: 'the first weight with `USD` in its name, or `DAI`' },
    }),
    tolerance: required(tolerance, {
      doc: 'How much less than indicated it accepts. And than the references say; at least `impact`, at most 1000 bps.',
      example: '50 bps',
    }),
    every: optional(seconds, {
      doc: 'How often it looks; or cron and timeZone.',
      example: '1h',
      suggested: true,
      default: defaults.every,
    }),
    minimum: optional(amount, {
      doc: 'The least one swap trades; with keep it may be left out. In what everything is counted in; the gas sets one as well, and the higher counts.',
      example: '200 USDC',
      suggested: true,
    }),
    trigger: optional(share, {
      doc: 'How far a weight may be from its target before anything happens. In parts of the whole.',
      example: '5 %',
      default: defaults.trigger,
      rule: notZero('would trade at any drift.'),
    }),
    relative: optional(share, {
      doc: 'The same as a part of the target. Of both the narrower counts.',
    }),
    destination: optional(share, {
      doc: 'How far from its target a weight is left.',
      example: '2.5 %',
      default: {
        words: 'half the band, or the target itself where gas is more than 5 bps of the trades',
      },
    }),
    inflow: optional(choice('first', 'ignore'), {
      doc: 'Money that came in is sold before anything else, where something has to be. Or ignore, which makes no difference.',
      example: 'first',
      default: 'first',
    }),
    maxGasShare: optional(bps, {
      doc: 'What gas may cost of a swap.',
      example: '10 bps',
      default: defaults.maxGasShare,
      rule: notZero('would allow no swap.'),
    }),
    cooldown: optional(seconds, {
      doc: 'Between two rebalances. One that has begun goes on.',
      example: '1h',
    }),
    turnover: optional(share, {
      doc: 'The most of the whole that is swapped in any 24 hours.',
      example: '20 %',
      default: defaults.turnover,
    }),
    impact: optional(bps, {
      doc: 'How far one slice may move the book. Its average price from the best level.',
      example: '10 bps',
      default: defaults.impact,
    }),
    maxDeviation: optional(bps, {
      doc: 'How far a price may be from the references. They are asked for every price and value the portfolio; it waits where the service differs by more.',
      example: '100 bps',
    }),
    keep: optional(amount, {
      doc: 'Native coin that pays the gas and is not part of the portfolio.',
      example: '0.1 ETH',
    }),
    wrapped: optional(token, {
      doc: 'Native coin and this token are one asset.',
      default: {
        words: 'the weight that is named so, such as WETH for ETH, where `keep` is given',
      },
    }),
    cron: optional(cron, {
      doc: 'Looks by a calendar instead. With `trigger` or `relative` it trades beyond the band only; without, at any drift, to the target.',
    }),
    timeZone: optional(timeZone, { doc: 'Of the calendar.' }),
    maximum: optional(amount, {
      doc: 'The most one swap is worth, in what everything is counted in. `policy.perSwap` bounds it as well.',
    }),
    gamma: optional(factor, {
      doc: 'Risk aversion: what a drift costs its owner, see below.',
      default: defaults.gamma,
    }),
    volatility: optional(share, { doc: 'Of a year.', default: defaults.volatility }),
    horizon: optional(seconds, {
      doc: 'How long a drift that is left alone is taken to last.',
      default: defaults.horizon,
    }),
    pairs: optional(pairs, {
      doc: 'Pairs that trade directly. Taken where the price is not worse than through the hub.',
    }),
    probes: optional(amounts, {
      doc: 'The amounts that prices are requested for.',
      default: { words: '1 of each, 1000 of the hub' },
    }),
  })
}
type Params = ParamsOf<typeof keys>

const rules: Rules<Params> = {
  ...basketRules,
  destination: (params) => {
    const { weights, destination = 0 } = params
    const bands = weights.map(({ bps }) => bandOf(bps, params).band)
    const [first = 0n, ...others] = bands
    return destination === 0 || BigInt(destination) * 10_000n < minOf(first, ...others)
      ? undefined
      : 'does not lie inside the band.'
  },
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

const notZero = (complaint: string) => (value: number) => (value === 0 ? complaint : undefined)

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

  decide(context) {
    const { params, now, inflight, lastFill, memory = {} } = context
    const later = params.cron === undefined ? wait : postpone
    const [open] = inflight
    if (open !== undefined)
      return remember(memory, later(`Swap ${open.swapId} of ${show(open.sell)} is in flight.`))
    const folio = see(context)
    if (typeof folio === 'string') return remember(memory, later(folio))

    const { fresh, notes } =
      params.inflow === 'ignore' ? { fresh: [], notes: {} } : inflows(context, folio.assets)
    const begun = begunBy(context)
    const rest = (reason: string) => {
      const weights = folio.assets.map((asset) => showWeight(asset, folio)).join(', ')
      return remember(notes, wait(`${reason}: ${weights}.`))
    }
    if (begun === undefined && !folio.assets.some((asset) => isBeyond(asset, folio)))
      return rest('Inside the band')
    const restedMs = lastFill === undefined ? undefined : now - lastFill.at
    const { cooldown = 0 } = params
    if (begun === undefined && restedMs !== undefined && restedMs < cooldown * 1_000)
      return rest(`The last swap was ${Math.floor(restedMs / 1_000)} s ago, not ${cooldown} s`)

    const hold = (reason: string) => remember({ ...notes, ...begun }, later(reason))
    const minimum = minimumOf(folio, params)
    if (minimum === undefined)
      return hold('Gas cannot be priced and no `minimum` is set: set `keep` or `minimum`.')
    const plan = planOf(folio, { params, fresh, minimum, until: begun?.to })
    if (plan.legs.length === 0)
      return rest(`No swap of at least ${show(inHub(params, minimum))} is left to do`)
    const costs = plan.gas + plan.lost
    if (begun === undefined && plan.benefit < costs)
      return rest(
        `Costs ${show(inHub(params, costs))} and is worth ${show(inHub(params, plan.benefit))}`,
      )
    const allowance = allowanceOf(context, { folio, minimum })
    if (typeof allowance === 'string') return hold(allowance)
    const intents = sliceLegs(plan, folio, {
      toleranceBps: params.tolerance,
      minimum,
      allowance,
    })
    if (typeof intents === 'string') return hold(intents)
    const since = begun?.since ?? swapsOf(context)
    return remember({ ...notes, to: plan.to, since }, swap(...intents))
  },
})

function see(context: Context<Params>): Portfolio | string {
  const { params, balances } = context
  return readPortfolio(context, {
    assets: params.weights.map(({ token, bps }) => ({
      token,
      parts: partsOf(params, { token, balances }),
      ...bandOf(bps, params),
    })),
    hub: hubOf(params),
    watches: watchesOf(params),
    maxDeviation: params.maxDeviation,
  })
}

/** In hundred-millionths of the whole. */
function bandOf(bps: number, { trigger, relative, destination, cron }: Params) {
  const given = [
    ...(trigger === undefined ? [] : [BigInt(trigger) * 10_000n]),
    ...(relative === undefined ? [] : [BigInt(bps) * BigInt(relative)]),
  ]
  // A calendar alone has no band; without a calendar there is the default one.
  const [first = cron === undefined ? BigInt(defaults.trigger) * 10_000n : 0n, ...others] = given
  const band = minOf(first, ...others)
  const edge = destination === undefined ? band / 2n : minOf(band, BigInt(destination) * 10_000n)
  return { share: BigInt(bps) * 10_000n, band, edge }
}

/** How far a rebalance that has begun goes, and how many swaps there had been before it. */
type Begun = { readonly to: 'edge' | 'target'; readonly since: number }

/** It has begun when one of its swaps has settled: one that came to nothing is judged anew. */
function begunBy(context: Context<Params>): Begun | undefined {
  const { to, since } = context.memory ?? {}
  if ((to !== 'edge' && to !== 'target') || typeof since !== 'number') return undefined
  return swapsOf(context) > since ? { to, since } : undefined
}

function swapsOf({ totals }: Context<Params>): number {
  return totals.reduce((sum, { swaps }) => sum + swaps, 0)
}

/** The least that is worth a swap; undefined where gas cannot be priced and no minimum is set. */
function minimumOf(
  { gas }: Portfolio,
  { minimum, maxGasShare = defaults.maxGasShare }: Params,
): bigint | undefined {
  if (gas === undefined) return minimum?.wei
  return maxOf(1n, minimum?.wei ?? 0n, divideUp(gas * 10_000n, BigInt(maxGasShare)))
}

type Planning = {
  readonly params: Params
  readonly fresh: readonly bigint[]
  readonly minimum: bigint
  readonly until: Begun['to'] | undefined
}

function planOf(
  folio: Portfolio,
  { params, fresh, minimum, until }: Planning,
): PortfolioPlan & { readonly to: Begun['to'] } {
  // Proceeds in the hub are for the buys: they go before more is sold.
  const first = folio.assets.map((asset, place) =>
    until !== undefined && place === folio.hub ? sumOf(asset) : (fresh[place] ?? 0n),
  )
  const planTo = (to: Begun['to']) => ({
    ...planPortfolio(folio, {
      until: to,
      fresh: first,
      minimum,
      maximum: params.maximum?.wei,
      impactBps: params.impact ?? defaults.impact,
      aversion: {
        gamma: params.gamma ?? defaults.gamma,
        volatilityBps: params.volatility ?? defaults.volatility,
        horizonSeconds: params.horizon ?? defaults.horizon,
      },
    }),
    to,
  })
  if (until !== undefined) return planTo(until)
  const near = planTo('edge')
  const isDear = near.gas * 10_000n > near.turned * gasToTargetBps
  return params.destination === undefined && isDear ? planTo('target') : near
}

/** How much may still be turned over, or why nothing may. */
function allowanceOf(
  context: Context<Params>,
  { folio, minimum }: { readonly folio: Portfolio; readonly minimum: bigint },
): bigint | string {
  const { params } = context
  const used = dailyTurnover(context, folio)
  if (typeof used === 'string') return used
  const allowed = (folio.whole * BigInt(params.turnover ?? defaults.turnover)) / 10_000n
  return allowed - used >= minimum
    ? allowed - used
    : `${show(inHub(params, used))} were turned over in the last 24 h, of ${show(inHub(params, allowed))} that may be.`
}

function inHub(params: Params, wei: bigint): Amount {
  return { token: hubOf(params), wei }
}
