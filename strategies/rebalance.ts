import {
  type Amount,
  type Context,
  dailyTurnover,
  defineStrategy,
  divideUp,
  type Fields,
  held,
  inflows,
  isBeyond,
  isNative,
  maxOf,
  minOf,
  type Portfolio,
  type PortfolioPlan,
  planPortfolio,
  postpone,
  readPortfolio,
  remember,
  type Schema,
  sameToken,
  show,
  showWeight,
  sliceLegs,
  sumOf,
  swap,
  type Token,
  type Watch,
  type Weight,
  wait,
} from '#strategy'

type Params = {
  readonly weights: readonly Weight[]
  /** What everything is counted in, and traded through. */
  readonly in?: Token | undefined
  /** How far a weight may be from its target before anything happens; in bps, as all shares below. */
  readonly trigger?: number | undefined
  /** The same as a part of the target. */
  readonly relative?: number | undefined
  /** How far from its target a weight is left. */
  readonly destination?: number | undefined
  readonly every?: number | undefined
  readonly cron?: string | undefined
  readonly timeZone?: string | undefined
  readonly inflow?: 'first' | 'ignore' | undefined
  readonly minimum?: Amount | undefined
  /** The most one swap is worth. */
  readonly maximum?: Amount | undefined
  readonly maxGasShare?: number | undefined
  /** In ten thousandths. */
  readonly gamma?: number | undefined
  readonly volatility?: number | undefined
  readonly horizon?: number | undefined
  readonly cooldown?: number | undefined
  readonly turnover?: number | undefined
  readonly impact?: number | undefined
  readonly tolerance: number
  readonly maxDeviation?: number | undefined
  /** Native coin that pays the gas and is not part of the portfolio. */
  readonly keep?: Amount | undefined
  /** The token that stands for the native coin: both are one asset. Found by its name where `keep` is given. */
  readonly wrapped?: Token | undefined
  readonly probes?: readonly Amount[] | undefined
  readonly pairs?: readonly (readonly [Token, Token])[] | undefined
}

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

/** Beyond a tenth, "about the market" has become "at any price". */
const toleranceMax = 1_000

/**
 * Keeps a portfolio at its target weights: when one has left its band, all are brought back to where they may be, with
 * the least turnover and few swaps.
 */
export default defineStrategy<Params>({
  name: 'rebalance',
  summary: 'Keeps target weights: when one has left its band, trades as little as brings all back.',
  example: `
weights: { WETH: 60 %, USDC: 40 % }
in: USDC                    # what everything is counted in, and traded through
tolerance: 50 bps           # how much less than indicated it accepts
every: 1h                   # how often it looks; or cron and timeZone
minimum: 200 USDC           # the least one swap trades; with keep it may be left out
# trigger: 5 %              # how far a weight may be from its target before anything happens
# destination: 2.5 %        # how far from its target a weight is left
# inflow: first             # what came in is used before anything is sold; or ignore
# maxGasShare: 10 bps       # what gas may cost of a swap
# cooldown: 1h              # between two rebalances
# turnover: 20 %            # the most that is traded in a day
# impact: 10 bps            # how far one slice may move the book
# maxDeviation: 100 bps     # how far a price may be from the references
# keep: 0.1 ETH             # pays the gas and is not part of the portfolio
`,

  params: readParams,

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
      return hold(
        'Nobody says what gas is worth, and there is no minimum to go by: give keep or minimum.',
      )
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
  const { params } = context
  return readPortfolio(context, {
    assets: params.weights.map(({ token, bps }) => ({
      token,
      parts: partsOf(token, context),
      ...bandOf(bps, params),
    })),
    hub: hubOf(params),
    watches: watchesOf(params),
    maxDeviation: params.maxDeviation,
  })
}

/** The native coin and its wrapped form are one asset: the wrapped goes first, and what pays the gas never. */
function partsOf(token: Token, { params, balances }: Context<Params>): readonly Amount[] {
  const { keep } = params
  const wrapped = wrappedOf(params)
  const isBoth = wrapped !== undefined && (isNative(token) || sameToken(token, wrapped))
  const tokens = isBoth && keep !== undefined ? [wrapped, keep.token] : [token]
  return tokens.map((one) => {
    const kept = keep !== undefined && sameToken(keep.token, one) ? keep.wei : 0n
    return { token: one, wei: maxOf(0n, held(balances, one).wei - kept) }
  })
}

/** What stands for the native coin: as it says, or the weight that does so by its name, as WETH for ETH. */
function wrappedOf({ wrapped, keep, weights }: Params): Token | undefined {
  const name = `W${keep?.token.symbol}`
  return wrapped ?? weights.find(({ token }) => token.symbol === name)?.token
}

/** In hundred-millionths of the whole. */
function bandOf(bps: number, { trigger, relative, destination, cron }: Params) {
  const given = [
    ...(trigger === undefined ? [] : [BigInt(trigger) * 10_000n]),
    ...(relative === undefined ? [] : [BigInt(bps) * BigInt(relative)]),
  ]
  // A calendar alone has no band; whoever says nothing at all has the default one.
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

/** The least that is worth a swap; undefined where neither the chain nor the operator says. */
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
  // What was sold for the hub is what the buys are for: it goes before more is sold.
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

/** What everything is counted in: as it says, or the first that is a dollar by its name. */
function hubOf({ in: given, weights }: Params): Token {
  const found = given ?? dollarOf(weights) ?? weights[0]?.token
  if (found === undefined) throw new Error('a portfolio has assets')
  return found
}

function dollarOf(weights: readonly Weight[]): Token | undefined {
  return weights.find(({ token }) => /USD|^DAI$/i.test(token.symbol))?.token
}

/** Both directions of every asset with the hub and of every pair; the native coin where only the gas is paid in it. */
function watchesOf(params: Params): readonly Watch[] {
  const { weights, pairs = [], keep, maxDeviation } = params
  const hub = hubOf(params)
  const spokes = weights
    .filter(({ token }) => !sameToken(token, hub))
    .map(({ token }) => [token, hub] as const)
  const wants: Watch['wants'] = maxDeviation === undefined ? ['depth'] : ['depth', 'reference']
  const watches = [...spokes, ...pairs].flatMap(([one, other]): Watch[] => [
    { sell: probeOf(one, params), buy: other, wants },
    { sell: probeOf(other, params), buy: one, wants },
  ])
  const wrapped = wrappedOf(params)
  const isAsset = (one: Token | undefined) => one !== undefined && isWeighed(params, one)
  const isGasOnly = keep !== undefined && !isAsset(keep.token) && !isAsset(wrapped)
  return isGasOnly
    ? [...watches, { sell: probeOf(keep.token, params), buy: hub, wants: wants.slice(1) }]
    : watches
}

/** How much a price is asked for: a whole one, of what everything is counted in a thousand. */
function probeOf(token: Token, params: Params): Amount {
  const given = params.probes?.find((probe) => sameToken(probe.token, token))
  const whole = 10n ** BigInt(token.decimals)
  return given ?? { token, wei: sameToken(token, hubOf(params)) ? 1_000n * whole : whole }
}

function readParams(fields: Fields): Schema<Params> {
  const { optional } = fields
  return fields.check(
    fields.object({
      weights: fields.weights,
      in: optional(fields.token),
      trigger: optional(fields.share),
      relative: optional(fields.share),
      destination: optional(fields.share),
      every: optional(fields.seconds),
      cron: optional(fields.cron),
      timeZone: optional(fields.timeZone),
      inflow: optional(fields.choice('first', 'ignore')),
      minimum: optional(fields.amount),
      maximum: optional(fields.amount),
      maxGasShare: optional(fields.bps),
      gamma: optional(fields.factor),
      volatility: optional(fields.share),
      horizon: optional(fields.seconds),
      cooldown: optional(fields.seconds),
      turnover: optional(fields.share),
      impact: optional(fields.bps),
      tolerance: fields.bps,
      maxDeviation: optional(fields.bps),
      keep: optional(fields.amount),
      wrapped: optional(fields.token),
      probes: optional(fields.amounts),
      pairs: optional(fields.pairs),
    }),
    rules,
  )
}

type Rules = { readonly [key in keyof Params]?: (params: Params) => string | undefined }

const isWeighed = ({ weights }: Params, token: Token) =>
  weights.some((weight) => sameToken(weight.token, token))

const notInHub = ({ token }: Amount, params: Params) => {
  const hub = hubOf(params)
  return sameToken(token, hub)
    ? undefined
    : `is in ${token.symbol}, but everything is counted in ${hub.symbol}.`
}

const rules: Rules = {
  in: (params) => {
    if (params.in === undefined)
      return dollarOf(params.weights) ? undefined : 'is missing: which of the weights is to count?'
    return isWeighed(params, params.in) ? undefined : 'is not one of the weights.'
  },
  trigger: ({ trigger }) => (trigger === 0 ? 'would trade at any drift.' : undefined),
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
  maxGasShare: ({ maxGasShare }) => (maxGasShare === 0 ? 'would allow no swap.' : undefined),
  tolerance: ({ tolerance, impact = defaults.impact }) => {
    if (tolerance > toleranceMax) return `is more than ${toleranceMax} bps.`
    return tolerance < impact
      ? `is less than the ${impact} bps of impact a slice may have.`
      : undefined
  },
  keep: ({ keep, weights }) => {
    if (keep !== undefined)
      return isNative(keep.token) ? undefined : `is ${keep.token.symbol}, which pays no gas.`
    return weights.some(({ token }) => isNative(token))
      ? 'is missing: all of the coin that pays the gas would be traded.'
      : undefined
  },
  wrapped: (params) => {
    const { wrapped, keep, weights } = params
    if (wrapped === undefined) return undefined
    if (keep === undefined) return 'needs keep: how much native coin is not part of the portfolio.'
    const natives = weights.filter(({ token }) => isNative(token) || sameToken(token, wrapped))
    return natives.length === 1 ? undefined : 'or the native coin is one of the weights, not both.'
  },
  probes: ({ probes = [] }) =>
    probes.some(({ wei }) => wei === 0n) ? 'asks for the price of nothing.' : undefined,
  pairs: (params) =>
    (params.pairs ?? [])
      .flat()
      .every((token) => isWeighed(params, token) && !sameToken(token, hubOf(params)))
      ? undefined
      : `are of weights other than ${hubOf(params).symbol}, which trades with all.`,
}
