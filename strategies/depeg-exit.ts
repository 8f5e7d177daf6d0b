import {
  type Amount,
  type Context,
  comparePrices,
  countVotes,
  cutToLimit,
  defineStrategy,
  deviatesBeyond,
  divideUp,
  type Fields,
  floorFor,
  heldAbove,
  inFlight,
  isNative,
  leftOf,
  maxOf,
  minAmount,
  minimumAt,
  order,
  type ParamsOf,
  type Price,
  paying,
  postpone,
  type Rules,
  remember,
  shiftPrice,
  show,
  showGap,
  showPercent,
  showPrice,
  swap,
  type WatchedMarket,
  wait,
  worthAt,
} from '#strategy'

/** Independent sources and the service are rarely further apart in a market that works. */
const confirmWithinUsual = 100

const keys = ({ trade, required, optional, ...kinds }: Fields) =>
  trade({
    sell: required(kinds.amount, {
      doc: 'The most that one swap sells, of the stablecoin that is left.',
      example: '10000 DAI',
    }),
    buy: required(kinds.token, {
      doc: 'The coin that it is left for, and that its price is counted in: one with another issuer.',
      example: 'USDC',
    }),
    floor: required(kinds.price, {
      doc: 'The peg counts as lost under this price.',
      example: '0.97 USDC',
    }),
    back: required(kinds.price, {
      doc: 'An exit that has begun goes on until the references say this price again.',
      example: '0.99 USDC',
    }),
    confirm: required(kinds.votes, {
      doc: 'How many of the last looks must have been under the floor, this one among them. Two at least.',
      example: '5 of 5',
    }),
    every: required(kinds.seconds, { doc: 'How often it looks.', example: '1m' }),
    tolerance: required(kinds.tolerance, {
      doc: 'How much less than indicated, and than the references say, it accepts. At most 1000 bps.',
      example: '100 bps',
    }),
    worst: optional(kinds.price, {
      doc: 'The worst price that it accepts. Under it, it waits.',
      example: '0.8 USDC',
    }),
    confirmWithin: optional(kinds.share, {
      doc: 'How far the market may be from the middle of the independent sources, to either side.',
      default: confirmWithinUsual,
    }),
    minimum: optional(kinds.soldAmount, {
      doc: 'The least it sells.',
      default: { words: 'a hundredth of `sell`' },
    }),
    limit: optional(kinds.soldAmount, { doc: 'The most that is ever sold.' }),
    keep: optional(kinds.soldAmount, { doc: 'Never sold.', example: '1000 DAI' }),
  })
type Params = ParamsOf<typeof keys>

const rules: Rules<Params> = {
  sell: ({ sell: { token, wei } }) => {
    if (wei === 0n) return 'is nothing: sell more than zero.'
    return isNative(token) ? `is ${token.symbol}, which is no stablecoin.` : undefined
  },
  floor: ({ sell: { token }, buy, floor: { sold, bought } }) =>
    bought.wei * 10n ** BigInt(token.decimals) < sold.wei * 10n ** BigInt(buy.decimals)
      ? undefined
      : `is not under par: a ${token.symbol} at its peg is worth one ${buy.symbol}, and would be sold.`,
  back: ({ back, floor }) =>
    comparePrices(back, floor) > 0 ? undefined : 'is not above the floor: it would flap.',
  confirm: ({ confirm }) =>
    confirm.need < 2 ? 'is a single look, which may err: write 2 of 2 at least.' : undefined,
  worst: ({ worst, floor }) =>
    worst === undefined || comparePrices(worst, floor) < 0
      ? undefined
      : 'is not under the floor: nothing would ever be sold.',
  limit: ({ limit }) =>
    limit?.wei === 0n
      ? 'is nothing, so nothing is ever sold: leave it out for no limit.'
      : undefined,
  minimum: ({ minimum, sell }) =>
    minimum && minimum.wei > sell.wei ? `is more than ${show(sell)}.` : undefined,
}

/**
 * Leaves a stablecoin that has lost its peg: when the market and the references were under a floor for long enough.
 *
 * It never sells on one look, nor where the references are missing or say something else: one source that errs must not
 * sell out a treasury. An exit that has begun goes on, slice by slice, until the references are back at the peg.
 */
export default defineStrategy({
  name: 'depeg-exit',
  summary:
    'Leaves a stablecoin whose price stays under a floor, confirmed by independent references.',
  params: (fields) => fields.check(keys(fields), rules),
  schedule: ({ every }) => ({ kind: 'every', seconds: every }),
  watch: ({ sell, buy }) => [{ sell, buy, wants: ['reference'] }],

  // Policy that protects a peg must let it through once the peg is lost.
  typicalSwaps: ({ params: { sell, buy, floor, worst, tolerance }, swapLimits }) => [
    {
      ...{ sell: cutToLimit({ swapLimits }, sell), buy, price: worst },
      market: worst ?? shiftPrice(floor, -tolerance),
    },
  ],

  pricedByPerson: ({ worst }) => worst !== undefined,

  decide(context) {
    const { params, slot, now, memory } = context
    const { confirm, back, worst } = params
    const over = order.finished(context, params)
    if (over !== undefined) return wait(over)
    const seen = believed(context)
    const isDoubted = typeof seen === 'string'
    const withinSeconds = memorySeconds(params)
    const yes = !isDoubted && isUnder(seen, params.floor)
    const votes = countVotes(memory, { ...confirm, yes, slot, at: now, withinSeconds })
    const leaving = leavingAt(context, { seen, begins: yes && votes.enough })
    const notes = { ...votes.memory, leavingAt: leaving ?? null }
    const still = (reason: string) => remember(notes, wait(reason))
    const open = inFlight(context)
    const { amount, least } = sizeOf(context)
    const isSold = amount.wei === 0n || amount.wei < least.wei
    // In a period too: a wait says that all is well.
    const later = (reason: string) => (isSold ? still(reason) : remember(notes, postpone(reason)))
    if (open !== undefined || isDoubted) return later(open ?? String(seen))

    const { market, reference } = seen
    const says = `The market pays ${showPrice(market)}, the references say ${showPrice(reference)}`
    if (leaving === undefined)
      return still(
        yes
          ? `${says}: under ${showPrice(params.floor)} for ${votes.count} of the ${votes.need} looks in ${votes.of} it takes.`
          : `${says}: the floor is ${showPrice(params.floor)}.`,
      )
    if (worst !== undefined && comparePrices(market, worst) < 0)
      return later(`${says}: the worst to accept is ${showPrice(worst)}.`)
    if (isSold) return still(`${says}. ${show(amount)} are left to sell, less than ${show(least)}.`)
    const floor = floorOf(params, { indication: market, levels: [], reference }, amount)
    const brings = worthAt(market, amount)
    if (brings.wei < floor.wei)
      return later(`${says}. ${show(amount)} bring ${show(brings)}, less than ${show(floor)}.`)
    const reason = `${says}: left until they say ${showPrice(back)}. Accepts ${show(floor)}.`
    return remember(notes, swap({ sell: amount, buy: params.buy, floor, reason }))
  },
})

/**
 * Where a look is due later than this after the last one, nothing is known any more: it counts anew. A look that is due and
 * waits for the swap of another strategy is no pause.
 */
const memorySeconds = ({ confirm, every }: Params) => confirm.of * every

/**
 * The last believed look of an exit that goes on; undefined where there is none. A doubtful look neither begins an exit nor
 * ends one, but one that has seen nothing else for so long is over: it would go on with a single look. While its own slice
 * is under way it does not look, so the time counts from the end of that.
 */
function leavingAt(
  { params, slot, now, memory, lastFill }: Context<Params>,
  { seen, begins }: { readonly seen: Seen | string; readonly begins: boolean },
): number | undefined {
  const last = memory?.leavingAt
  const begun =
    typeof last === 'number' && slot - afterSlice(last, lastFill) <= memorySeconds(params) * 1_000
  if (typeof seen === 'string') return begun ? last : undefined
  const isBack = comparePrices(seen.reference, params.back) >= 0
  return begins || (begun && !isBack) ? now : undefined
}

/** A slice takes no longer; a fill that was booked later is one of a pause. */
const sliceMsMax = 7_200_000

/** The later of a look and the end of the slice that followed it. */
const afterSlice = (look: number, fill: Context<Params>['lastFill']): number =>
  fill !== undefined && fill.at > look && fill.at - look <= sliceMsMax ? fill.at : look

type Seen = { readonly market: Price; readonly reference: Price }

/** What market and references say, or why this look says nothing about the peg. */
function believed(context: Context<Params>): Seen | string {
  const {
    params,
    indications,
    references: [reference],
  } = context
  const { sell, confirmWithin = confirmWithinUsual } = params
  const market = paying(indications[0])
  if (market === undefined) return `No price for ${show(sell)}.`
  const says = `The market pays ${showPrice(market)}`
  if (reference === undefined || paying(reference) === undefined)
    return `${says}, and no independent reference confirms it.`
  if (!deviatesBeyond(market, { reference, within: confirmWithin })) return { market, reference }
  const allowed = showPercent(BigInt(confirmWithin) * 100n)
  return `${says}, the references say ${showPrice(reference)}: ${showGap(market, reference)} apart, ${allowed} is allowed.`
}

/** Both: the market alone may be thin, and the references alone may be elsewhere. */
const isUnder = ({ market, reference }: Seen, floor: Price) =>
  comparePrices(market, floor) < 0 && comparePrices(reference, floor) < 0

/** What is there to sell, in one swap at most, and the least that is worth one. */
function sizeOf(context: Context<Params>): { readonly amount: Amount; readonly least: Amount } {
  const { balances, params } = context
  const { sell, limit, minimum = { ...sell, wei: divideUp(sell.wei, 100n) } } = params
  const { token, wei } = heldAbove(balances, order.kept(params))
  const left = limit && leftOf(context, limit)
  const most = cutToLimit(context, minAmount(sell, left))
  // The last slice of a limit, or of a policy, may be less.
  return {
    amount: minAmount(most, { token, wei: maxOf(0n, wei) }),
    least: minAmount(minimum, most),
  }
}

/** The least to accept: a tolerance below market and references, and never below the worst. */
function floorOf({ tolerance, worst }: Params, market: WatchedMarket, amount: Amount): Amount {
  const about = floorFor(market, amount, tolerance)
  const bound = worst === undefined ? 0n : minimumAt(worst, amount).wei
  return { ...about, wei: maxOf(about.wei, bound) }
}
