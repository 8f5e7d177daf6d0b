import {
  type AccountBalance,
  type Amount,
  type Context,
  cutToLimit,
  defineStrategy,
  type Fields,
  held,
  type Intent,
  inFlight,
  invertPrice,
  isNative,
  minAmount,
  minimumAt,
  type ParamsOf,
  type Price,
  paying,
  postpone,
  type Rules,
  shiftPrice,
  show,
  swap,
  wait,
  worthAt,
} from '#strategy'

const keys = ({ object, required, ...kinds }: Fields) =>
  object({
    sell: required(kinds.amount, {
      doc: 'The most that one refill sells. Its price is the one a refill is worked out with.',
      example: '600 USDC',
    }),
    tanks: required(kinds.accounts, {
      doc: 'The accounts that are refilled, each in `policy.recipients`.',
    }),
    below: required(kinds.amount, {
      doc: 'A tank that holds less is refilled.',
      example: '0.05 ETH',
    }),
    to: required(kinds.amount, {
      doc: 'What a tank holds after its refill, at the indicated price.',
      example: '0.2 ETH',
    }),
    tolerance: required(kinds.tolerance, {
      doc: 'How much less than indicated it accepts. At most 1000 bps.',
      example: '50 bps',
    }),
    every: required(kinds.seconds, { doc: 'How often it looks.', example: '5m' }),
  })
type Params = ParamsOf<typeof keys>

const rules: Rules<Params> = {
  sell: ({ sell: { token, wei } }) => {
    if (wei === 0n) return 'is nothing: sell more than zero.'
    return isNative(token)
      ? `is ${token.symbol}, which is what the tanks are to receive: name another token.`
      : undefined
  },
  below: ({ below: { token, wei } }) => {
    if (!isNative(token)) return `is ${token.symbol}, which pays no gas.`
    return wei === 0n ? 'is nothing: no tank holds less.' : undefined
  },
  to: ({ to, below }) => {
    if (!isNative(to.token)) return `is ${to.token.symbol}, which pays no gas.`
    return to.wei <= below.wei ? `is not more than the ${show(below)} of below.` : undefined
  },
}

/**
 * Refills other accounts with the coin that pays the gas. A refill is a swap whose proceeds go to the tank: no money
 * leaves the wallet in any other way.
 */
export default defineStrategy({
  name: 'gas-tank',
  summary: 'Refills accounts with the coin that pays the gas, as swaps that they receive.',
  params: (fields) => fields.check(keys(fields), rules),
  schedule: ({ every }) => ({ kind: 'every', seconds: every }),
  watch: ({ sell, below }) => [{ sell, buy: below.token }],
  accounts: ({ tanks, below }) => tanks.map((account) => ({ account, token: below.token })),

  typicalSwaps: ({ params: { sell, tanks, below }, swapLimits }) =>
    tanks.map((recipient) => ({
      ...{ sell: cutToLimit({ swapLimits }, sell), buy: below.token },
      recipient,
    })),

  decide(context) {
    const { params, indications, accounts = [] } = context
    const [emptiest, ...others] = [...accounts].sort((a, b) => Number(a.held.wei - b.held.wei))
    // In a period too: a wait says that all is well.
    if (emptiest === undefined) return postpone('Nothing is known of the tanks.')
    const says = sayHeld(emptiest)
    const isLow = ({ held: { wei } }: AccountBalance) => wei < params.below.wei
    if (!isLow(emptiest)) return wait(`The emptiest tank has enough: ${says}.`)
    const open = inFlight(context)
    if (open !== undefined) return postpone(open)
    const market = paying(indications[0])
    if (market === undefined)
      return postpone(`${says}, and there is no price for ${show(params.sell)}.`)

    const intents: Intent[] = []
    let left = held(context.balances, params.sell.token)
    for (const tank of [emptiest, ...others.filter(isLow)]) {
      const size = sizeOf(context, { tank, market, left })
      if (size === undefined) break
      intents.push(refill(params, { tank, market, size }))
      left = { ...left, wei: left.wei - size.wei }
    }
    return intents.length === 0
      ? postpone(`${says}, and ${show(left)} in the wallet are too little for a refill.`)
      : swap(...intents)
  },
})

const sayHeld = ({ account, held }: AccountBalance) => `${account} holds ${show(held)}`

type Refill = { readonly tank: AccountBalance; readonly market: Price }

/** The amount to sell for a tank; undefined where the wallet has less, and too little to bring it back to its bound. */
function sizeOf(
  context: Context<Params>,
  { tank, market, left }: Refill & { readonly left: Amount },
): Amount | undefined {
  const { sell, below, to } = context.params
  const costOf = (level: Amount) =>
    minimumAt(invertPrice(market), { ...level, wei: level.wei - tank.held.wei })
  const size = cutToLimit(context, minAmount(costOf(to), sell))
  if (size.wei <= left.wei) return size
  return left.wei >= costOf(below).wei ? left : undefined
}

function refill(
  { below, tolerance }: Params,
  { tank, market, size }: Refill & { readonly size: Amount },
): Intent {
  const floor = minimumAt(shiftPrice(market, -tolerance), size)
  const bound = `less than ${show(below)}`
  const reason = `${sayHeld(tank)}, ${bound}: ${show(size)} bring ${show(worthAt(market, size))}, accepts ${show(floor)}.`
  return { sell: size, buy: below.token, floor, reason, recipient: tank.account }
}
