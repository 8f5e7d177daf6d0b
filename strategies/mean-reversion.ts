import {
  type Amount,
  averagePrice,
  type Context,
  comparePrices,
  crossCheck,
  cutToLimit,
  type Decision,
  defineStrategy,
  deviatesBeyond,
  divideUp,
  type Fields,
  floorFor,
  held,
  inFlight,
  invertPrice,
  isNative,
  maxOf,
  middlePrice,
  minAmount,
  notZero,
  type ParamsOf,
  type Price,
  paying,
  postpone,
  type Rules,
  remember,
  sameToken,
  shiftPrice,
  show,
  showGap,
  showPercent,
  showPrice,
  swap,
  type Token,
  totalSold,
  type Watch,
  wait,
  worthAt,
} from '#strategy'

/** Independent sources and the service are rarely further apart in a market that works. */
const confirmWithinUsual = 100
/** They are in the notes of each decision, and so in the journal. */
const looksMost = 48

const keys = ({ object, required, optional, ...kinds }: Fields) =>
  object({
    buy: required(kinds.amount, {
      doc: 'What one purchase spends, below the average.',
      example: '1000 USDC',
    }),
    sell: required(kinds.amount, {
      doc: 'What one sale sells, above the average: never more than it has bought itself.',
      example: '0.3 WETH',
    }),
    budget: required(kinds.amount, {
      doc: 'The most it has spent at any time, less what its sales brought. So losses use it up.',
      example: '10000 USDC',
    }),
    band: required(kinds.share, {
      doc: 'How far from the average the market must be, cost included, before it trades.',
      example: '3 %',
      rule: notZero('is nothing: every look would trade.'),
    }),
    stop: required(kinds.share, {
      doc: 'Further from the average than this is a trend: it stands aside until the market is back in the band.',
      example: '8 %',
    }),
    every: required(kinds.seconds, { doc: 'How often it looks.', example: '1h' }),
    looks: required(kinds.count, {
      doc: 'How many looks the average is of: 2 to 48. Older ones are forgotten.',
      example: '24',
      rule: (count) => (count < 2 || count > looksMost ? `is not 2 to ${looksMost}.` : undefined),
    }),
    least: optional(kinds.count, {
      doc: 'How many of them it must have seen before it trades.',
      example: '12',
      default: { words: '`looks`' },
    }),
    tolerance: required(kinds.tolerance, {
      doc: 'How much less than indicated, and than the references say, it accepts. Less than `band`.',
      example: '50 bps',
    }),
    confirmWithin: optional(kinds.share, {
      doc: 'How far the market may be from the middle of the independent sources, to either side.',
      default: confirmWithinUsual,
    }),
  })
type Params = ParamsOf<typeof keys>

const untraded = ({ token, wei }: Amount) => {
  if (wei === 0n) return 'is nothing: write more than zero.'
  return isNative(token) ? `is ${token.symbol}, which pays the gas: name another token.` : undefined
}

const rules: Rules<Params> = {
  buy: ({ buy }) => untraded(buy),
  sell: ({ sell, buy }) =>
    sameToken(sell.token, buy.token) ? `is ${sell.token.symbol} as well.` : untraded(sell),
  budget: ({ budget, buy }) => {
    if (!sameToken(budget.token, buy.token))
      return `is in ${budget.token.symbol}, but it spends ${buy.token.symbol}.`
    return budget.wei < buy.wei ? `is less than the ${show(buy)} of one purchase.` : undefined
  },
  stop: ({ stop, band }) =>
    stop > band ? undefined : 'is not more than the band: it never trades.',
  least: ({ least = 1, looks }) =>
    least > looks ? `is more than the ${looks} looks that there are.` : undefined,
  // A sale of 1 + band, less the tolerance, is worth 1 at least; a purchase is then as well.
  tolerance: ({ tolerance, band }) =>
    tolerance * (10_000 + band) <= 10_000 * band
      ? undefined
      : 'is too near the band: it could buy above the average, or sell below it.',
}

/**
 * Buys below and sells above the average of the prices it has seen, as long as they keep coming back to it.
 *
 * It sells what it has bought and nothing else, and what it has spent less what its sales brought never exceeds its budget.
 * A price beyond the stop is a trend and no chance: an average that merely catches up with it buys a falling market.
 */
export default defineStrategy({
  name: 'mean-reversion',
  summary:
    'Buys below and sells above the average of seen prices, within a budget, never in a trend.',
  params: (fields) => fields.check(keys(fields), rules),
  schedule: ({ every }) => ({ kind: 'every', seconds: every }),
  watch: (params) => watchesOf(params),

  typicalSwaps: ({ params, swapLimits }) =>
    watchesOf(params).map(({ sell, buy }) => ({ sell: cutToLimit({ swapLimits }, sell), buy })),

  spent: (own) => spentOf(own),

  decide(context) {
    const { params, slot, memory } = context
    const { looks, least = looks, band, stop } = params
    const seen = recalled(context)
    const market = believed(context)
    const wasTrend = memory?.trend === true
    // In a period too: a wait says that all is well.
    if (typeof market === 'string') return remember(noted(seen, wasTrend), postpone(market))

    const { middle } = market
    const says = `The middle is ${showPrice(middle)}`
    const average = averageOf(seen, params)
    const off = (within: number) =>
      average !== undefined && deviatesBeyond(middle, { reference: average, within })
    const trend = off(stop) || (wasTrend && off(band))
    // In a trend as well: a new level is the usual one after as many looks.
    const now = { at: slot, wei: worthAt(middle, params.sell).wei }
    const notes = noted([...seen, now].slice(-looks), trend)
    const still = (reason: string) => remember(notes, wait(reason))
    if (average === undefined || seen.length < least)
      return still(`${says}: ${seen.length} of the ${least} looks it takes are seen.`)
    const apart = `${says}, the average of ${seen.length} looks is ${showPrice(average)}: ${showGap(middle, average)} apart`
    const percent = (bps: number) => showPercent(BigInt(bps) * 100n)
    if (trend)
      return still(`${apart}. Beyond ${percent(stop)} is a trend: waits for ${percent(band)}.`)
    const open = inFlight(context)
    return open === undefined
      ? remember(notes, answer(context, { ...market, average, apart }))
      : remember(notes, postpone(open))
  },
})

/** A sale, then a purchase. Both are asked at every look: the average is of the middle between them. */
const watchesOf = ({ buy, sell }: Params): readonly [Watch, Watch] => [
  { sell, buy: buy.token, wants: ['reference'] },
  { sell: buy, buy: sell.token, wants: ['reference'] },
]

type Market = { readonly selling: Price; readonly buying: Price; readonly middle: Price }

/** Both directions and the middle between them, or why this look says nothing: it is not counted either. */
function believed({ params, indications, references }: Context<Params>): Market | string {
  const { buy, sell, confirmWithin: within = confirmWithinUsual } = params
  const [selling, buying] = indications.map(paying)
  if (selling === undefined) return `No price for ${show(sell)}.`
  if (buying === undefined) return `No price for ${show(buy)}.`
  const [ofSale, ofPurchase] = references
  const doubt =
    crossCheck(selling, { reference: ofSale, within }) ??
    crossCheck(buying, { reference: ofPurchase, within })
  return doubt ?? { selling, buying, middle: middlePrice(selling, buying) }
}

/** What one sale would have brought in the middle, in the smallest unit, and when. */
type Look = { readonly at: number; readonly wei: bigint }

/** The looks of before this one, without those that the average is no longer of. */
function recalled({ params, slot, memory }: Context<Params>): readonly Look[] {
  const { every, looks } = params
  if (typeof memory?.seen !== 'string' || memory.seen === '') return []
  return memory.seen
    .split(' ')
    .map((text) => {
      const [at = '', wei = ''] = text.split(':')
      return { at: Number(at), wei: BigInt(wei) }
    })
    .filter(({ at }) => at < slot && slot - at <= looks * every * 1_000)
}

const noted = (seen: readonly Look[], trend: boolean) => ({
  seen: seen.map(({ at, wei }) => `${at}:${wei}`).join(' '),
  trend,
})

const averageOf = (seen: readonly Look[], { sell, buy }: Params): Price | undefined => {
  const priceOf = ({ wei }: Look): Price => ({ sold: sell, bought: { token: buy.token, wei } })
  const [first] = seen
  return first && averagePrice(seen.map(priceOf), priceOf(first))
}

type Chance = Market & { readonly average: Price; readonly apart: string }

/** Trades where the price it would get, not only the middle, is beyond the band. */
function answer(context: Context<Params>, chance: Chance): Decision {
  const { band } = context.params
  const { selling, buying, average, apart } = chance
  if (comparePrices(selling, shiftPrice(average, band)) >= 0) return sale(context, chance)
  // Seen from there: a bought unit costs less than the average by the band.
  const dear = invertPrice(shiftPrice(average, -band))
  return comparePrices(buying, dear) >= 0 ? purchase(context, chance) : wait(`${apart}.`)
}

function sale(context: Context<Params>, { selling, apart }: Chance): Decision {
  const { balances, params, references } = context
  const { sell } = params
  const { token } = sell
  const bought = {
    token,
    wei: maxOf(0n, broughtIn(context, token) - totalSold(context, token).wei),
  }
  const whole = cutToLimit(context, minAmount(sell, bought))
  // What is left of its purchases below that goes with the next one.
  if (whole.wei === 0n || whole.wei < leastOf(context))
    return wait(`${apart}. Of its purchases ${show(bought)} are left: too little for a sale.`)
  const holds = held(balances, token)
  return holds.wei < whole.wei
    ? postpone(`${apart}. Holds ${show(holds)}, less than the ${show(whole)} to sell.`)
    : traded(params, { apart, amount: whole, market: selling, reference: references[0] })
}

function purchase(context: Context<Params>, { buying, apart }: Chance): Decision {
  const { balances, params, references } = context
  const { buy, budget } = params
  const { token } = buy
  const spent = spentOf(context)
  const whole = cutToLimit(context, buy)
  if (spent.wei + whole.wei > budget.wei)
    return wait(
      `${apart}. Has spent ${show(spent)} of ${show(budget)}: too little is left for ${show(whole)}.`,
    )
  if (whole.wei === 0n) return wait(`${apart}. Policy lets no swap sell ${token.symbol}.`)
  const holds = held(balances, token)
  return holds.wei < whole.wei
    ? postpone(`${apart}. Holds ${show(holds)}, less than the ${show(whole)} to spend.`)
    : traded(params, { apart, amount: whole, market: buying, reference: references[1] })
}

type Spending = Pick<Context<Params>, 'params' | 'totals' | 'inflight'>

/** What counts against the budget: all that it ever spent, less what its sales brought. */
function spentOf(own: Spending): Amount {
  const { token } = own.params.budget
  return { token, wei: maxOf(0n, totalSold(own, token).wei - broughtIn(own, token)) }
}

/** A tenth of a sale, or what policy lets through where that is less. */
const leastOf = (context: Context<Params>): bigint => {
  const { sell } = context.params
  return cutToLimit(context, { ...sell, wei: divideUp(sell.wei, 10n) }).wei
}

/**
 * All that its swaps ever brought of a token, in the smallest unit. From the journal. What was booked from the chain may have
 * been for another: it is no purchase to sell again, and no proceeds to spend.
 */
const broughtIn = ({ totals }: Pick<Context<Params>, 'totals'>, token: Token): bigint =>
  totals
    .filter(({ bought, recovered }) => recovered !== true && sameToken(bought.token, token))
    .reduce((sum, { bought }) => sum + bought.wei, 0n)

type Trade = {
  readonly apart: string
  readonly amount: Amount
  readonly market: Price
  readonly reference: Price | undefined
}

function traded({ tolerance }: Params, { apart, amount, market, reference }: Trade): Decision {
  const floor = floorFor({ indication: market, levels: [], reference }, amount, tolerance)
  const brings = worthAt(market, amount)
  if (brings.wei === 0n || brings.wei < floor.wei)
    return wait(
      `${apart}. ${show(amount)} bring ${show(brings)}, and ${show(floor)} are the least.`,
    )
  const reason = `${apart}. Sells ${show(amount)} for at least ${show(floor)}.`
  return swap({ sell: amount, buy: floor.token, floor, reason })
}
