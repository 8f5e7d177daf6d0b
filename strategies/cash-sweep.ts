import {
  type Amount,
  type Context,
  cutToLimit,
  type Decision,
  defineStrategy,
  type Fields,
  floorFor,
  held,
  heldAbove,
  inFlight,
  invertPrice,
  isNative,
  maxOf,
  minAmount,
  minimumAt,
  type ParamsOf,
  postpone,
  type Rules,
  readMarket,
  sameToken,
  show,
  swap,
  type Watch,
  type WatchedMarket,
  wait,
  worthAt,
} from '#strategy'

const keys = ({ object, required, optional, ...kinds }: Fields) =>
  object({
    hold: required(kinds.amount, {
      doc: 'The working balance: what a sweep leaves, and what a refill brings back. Reserved.',
      example: '20000 USDC',
    }),
    above: required(kinds.amount, {
      doc: 'The upper end of the band. With more, it sweeps down to `hold`.',
      example: '25000 USDC',
    }),
    below: required(kinds.amount, {
      doc: 'The lower end of the band. With less, it refills up to `hold`.',
      example: '15000 USDC',
    }),
    sweep: required(kinds.amount, {
      doc: 'The most that one sweep sells.',
      example: '10000 USDC',
    }),
    refill: required(kinds.amount, {
      doc: 'The most that one refill sells. Its token is the reserve.',
      example: '10000 DAI',
    }),
    tolerance: required(kinds.tolerance, {
      doc: 'How much less than indicated it accepts. At most 1000 bps.',
      example: '30 bps',
    }),
    every: required(kinds.seconds, { doc: 'How often it looks.', example: '10m' }),
    keep: optional(kinds.amount, {
      doc: 'The part of the reserve that no refill sells.',
      example: '5000 DAI',
    }),
    maxDeviation: optional(kinds.bps, {
      doc: 'How far the service may be from the references, which bound the floor as well. It waits beyond it, and without a reference.',
      example: '100 bps',
      suggested: true,
    }),
  })
type Params = ParamsOf<typeof keys>

/** Why this is no amount of the working balance; undefined where it is. */
const notHeld = ({ token }: Amount, { hold }: Params) =>
  sameToken(token, hold.token)
    ? undefined
    : `is in ${token.symbol}, but it holds ${hold.token.symbol}.`

const rules: Rules<Params> = {
  hold: ({ hold }) => (hold.wei === 0n ? 'is nothing: write what is to be there.' : undefined),
  above: (params) => {
    const { above, hold } = params
    if (above.wei > hold.wei) return notHeld(above, params)
    return notHeld(above, params) ?? `is not more than the ${show(hold)} of hold.`
  },
  below: (params) => {
    const { below, hold } = params
    if (below.wei < hold.wei) return notHeld(below, params)
    return notHeld(below, params) ?? `is not less than the ${show(hold)} of hold.`
  },
  sweep: (params) =>
    params.sweep.wei === 0n ? 'is nothing: sell more than zero.' : notHeld(params.sweep, params),
  refill: ({ refill: { token, wei }, hold }) => {
    if (wei === 0n) return 'is nothing: sell more than zero.'
    if (sameToken(token, hold.token)) return `is ${token.symbol}, which is what it refills.`
    return isNative(token)
      ? `is ${token.symbol}, which pays the gas: name another token.`
      : undefined
  },
  keep: ({ keep, refill: { token } }) =>
    keep === undefined || sameToken(keep.token, token)
      ? undefined
      : `is in ${keep.token.symbol}, but the reserve is ${token.symbol}.`,
}

/**
 * Keeps a working balance of the token that is spent: more than a band is swept into a reserve, less is refilled from it.
 *
 * Both aim at a balance inside the band, so neither causes the other. While a swap is open the balance is not final, and
 * nothing is decided on it.
 */
export default defineStrategy({
  name: 'cash-sweep',
  summary: 'Keeps a working balance: sweeps what is above a band into a reserve, and refills it.',
  params: (fields) => fields.check(keys(fields), rules),
  schedule: ({ every }) => ({ kind: 'every', seconds: every }),
  watch: (params) => watchesOf(params),

  typicalSwaps: ({ params, swapLimits }) =>
    watchesOf(params).map(({ sell, buy }) => ({ sell: cutToLimit({ swapLimits }, sell), buy })),

  // Others trade what is above the working balance.
  reserves: ({ params }) => [params.hold],

  decide(context) {
    const { hold, above, below } = context.params
    const open = inFlight(context)
    // In a period too: a wait says that all is well.
    if (open !== undefined) return postpone(open)
    const { wei } = held(context.balances, hold.token)
    if (wei > above.wei) return swept(context)
    if (wei < below.wei) return refilled(context)
    return wait(`${holds(context)}, between ${show(below)} and ${show(above)}.`)
  },
})

/** A sweep, then a refill. */
function watchesOf({ sweep, refill, hold, maxDeviation }: Params): readonly [Watch, Watch] {
  const wants: Watch['wants'] = maxDeviation === undefined ? [] : ['reference']
  return [
    { sell: sweep, buy: refill.token, wants },
    { sell: refill, buy: hold.token, wants },
  ]
}

const holds = ({ balances, params: { hold } }: Context<Params>) =>
  `Holds ${show(held(balances, hold.token))}`

function swept(context: Context<Params>): Decision {
  const { params, balances } = context
  const { hold, above, sweep } = params
  const [watch] = watchesOf(params)
  const says = `${holds(context)}, more than ${show(above)}`
  const market = readMarket(context, { watch, place: 0, maxDeviation: params.maxDeviation })
  if (typeof market === 'string') return postpone(`${says}. ${market}`)
  const amount = cutToLimit(context, minAmount(sweep, heldAbove(balances, hold)))
  return sold(context, { says, market, amount })
}

function refilled(context: Context<Params>): Decision {
  const { params, balances } = context
  const { hold, below, refill, keep } = params
  const [, watch] = watchesOf(params)
  const says = `${holds(context)}, less than ${show(below)}`
  const market = readMarket(context, { watch, place: 1, maxDeviation: params.maxDeviation })
  if (typeof market === 'string') return postpone(`${says}. ${market}`)
  const costOf = (wei: bigint) => minimumAt(invertPrice(market.indication), { ...hold, wei })
  const limited = (amount: Amount) => cutToLimit(context, minAmount(amount, refill))
  const whole = limited(costOf(hold.wei - held(balances, hold.token).wei))
  // Less than the smallest usual refill would be sold again at every look, for its gas.
  const least = limited(costOf(hold.wei - below.wei))
  const { token } = refill
  const spare = { token, wei: maxOf(0n, heldAbove(balances, keep ?? { token, wei: 0n }).wei) }
  if (spare.wei < least.wei)
    return postpone(`${says}. The reserve has ${show(spare)} to sell, less than ${show(least)}.`)
  return sold(context, { says, market, amount: minAmount(whole, spare) })
}

type Sale = { readonly says: string; readonly market: WatchedMarket; readonly amount: Amount }

function sold({ params }: Context<Params>, { says, market, amount }: Sale): Decision {
  const floor = floorFor(market, amount, params.tolerance)
  const brings = worthAt(market.indication, amount)
  if (brings.wei === 0n || brings.wei < floor.wei)
    return postpone(
      `${says}. ${show(amount)} bring ${show(brings)}, and ${show(floor)} are the least.`,
    )
  const reason = `${says}: sells ${show(amount)} for at least ${show(floor)}.`
  return swap({ sell: amount, buy: floor.token, floor, reason })
}
