import {
  type Amount,
  band,
  budget,
  type Context,
  calendar,
  comparePrices,
  costsLess,
  countSlot,
  type Decision,
  defineStrategy,
  type Fields,
  held,
  inFlight,
  isCounted,
  leftOf,
  maxOf,
  minAmount,
  minOf,
  type ParamsOf,
  type Price,
  paying,
  postpone,
  type Rules,
  remember,
  show,
  showInstant,
  swap,
  totalSold,
  wait,
  wordsFor,
  worthOfBought,
} from '#strategy'

const keys = (fields: Fields) => {
  const { trade, required, optional, ...kinds } = fields
  const { tolerance, price, ...priceBand } = band.keys(fields)
  const { cron, timeZone, ...slots } = calendar.keys(fields)
  return trade({
    sell: required(kinds.amount, {
      doc: 'What each slot sells. With `mode: value`, what the target grows by.',
      example: '500 USDC',
    }),
    buy: required(kinds.token, { doc: 'What it is sold for.', example: 'WETH' }),
    cron,
    timeZone,
    tolerance,
    price,
    mode: optional(kinds.choice('fixed', 'value'), {
      doc: 'Whether a slot sells always as much, or as much as a growing target is short of.',
      default: 'fixed',
      mode: true,
    }),
    most: optional(kinds.soldAmount, {
      doc: 'The most one slot sells, carry and dips included.',
      needs: ['value'],
      takes: ['fixed'],
    }),
    minimum: optional(kinds.soldAmount, {
      doc: 'The least one slot sells, where it cannot sell all. It may then sell a part of what is due, and leaves less than this alone.',
      example: '100 USDC',
      default: { words: 'a whole slice, or all that is due' },
    }),
    dipBelow: optional(kinds.share, {
      doc: 'How much cheaper one bought unit must be than in its last fills (32 at most) on average: all they sold for all they bought.',
      takes: ['fixed'],
    }),
    dipFactor: optional(kinds.factor, {
      doc: 'How many times as much it then buys.',
      takes: ['fixed'],
    }),
    ...priceBand,
    ...budget.keys(fields),
    carryMost: optional(kinds.count, {
      doc: 'How many slices that could not be sold go on to later slots.',
      example: '2',
      default: { words: 'none' },
      takes: ['fixed'],
    }),
    ...slots,
  })
}
type Params = ParamsOf<typeof keys>

const rules: Rules<Params> = {
  most: ({ most, sell }) =>
    most && most.wei < sell.wei ? `is less than ${show(sell)}.` : undefined,
  minimum: ({ minimum, sell }) =>
    minimum && minimum.wei > sell.wei ? `is more than ${show(sell)}.` : undefined,
  dipBelow: ({ dipBelow, dipFactor }) => {
    if (dipBelow === undefined) return undefined
    if (dipFactor === undefined) return 'needs dipFactor.'
    return dipBelow === 0 ? 'is nothing.' : undefined
  },
  dipFactor: ({ dipBelow, dipFactor }) => {
    if (dipFactor === undefined) return undefined
    if (dipBelow === undefined) return 'needs dipBelow.'
    return dipFactor <= 10_000 ? 'is no more than one.' : undefined
  },
  ...band.rules,
  ...calendar.rules,
}

/**
 * Sells at every slot of a calendar, at about the market: always as much, or as much as a growing target is short of.
 *
 * The intention of a slot is fixed when it is first evaluated, and what was sold comes from the journal alone: a slot
 * that is evaluated again wants what is missing of it, not all of it once more. The floor is the indicated amount less the
 * tolerance, and never below the worst price where one is given.
 */
export default defineStrategy({
  name: 'dca',
  summary: 'Sells at every slot of a calendar, at about the market, within a budget.',
  params: (fields) => fields.check(keys(fields), rules),
  schedule: calendar.schedule,

  // A price for the usual slice, and an honest one for the largest.
  watch: (params) => slicesOf(params).map((size) => ({ sell: size, buy: params.buy })),

  typicalSwaps: ({ params }) =>
    slicesOf(params).map((size) => ({
      ...{ sell: size, buy: params.buy },
      price: band.between(params).worst,
    })),

  reserves: ({ params, now, ...own }) =>
    params.end !== undefined && now >= params.end ? [] : budget.reserved(own, params),

  pricedByPerson: (params) => band.between(params).worst !== undefined,

  decide(context) {
    const over = calendar.leftOut(context.params, context.slot)
    if (over !== undefined) return wait(over)
    const due = dueAt(context)
    return remember(due.memory, answer(context, due))
  },
})

/** The usual slice, and the largest where that is more. */
function slicesOf(params: Params): readonly Amount[] {
  const largest = largestSlice(params)
  return largest.wei > params.sell.wei ? [params.sell, largest] : [params.sell]
}

/** The most one slot can come to. */
function largestSlice(params: Params): Amount {
  const { sell, mode, most, dipFactor = 10_000, carryMost = 0 } = params
  const { token, wei } = sell
  const natural = { token, wei: (wei * BigInt(dipFactor)) / 10_000n + wei * BigInt(carryMost) }
  return minAmount(mode === 'value' ? (most ?? sell) : natural, most, params.budget)
}

/** The amount that a slot wants to sell, and whether that is final: always as much, and more in a dip. */
function fixedWish({ params, indications, fills }: Context<Params>) {
  const { sell, dipBelow, dipFactor = 10_000 } = params
  const market = paying(indications[0])
  const dips = market && dipBelow !== undefined && costsLess(market, { fills, bps: dipBelow })
  const intended = dips ? (sell.wei * BigInt(dipFactor)) / 10_000n : sell.wei
  return { intended, final: market !== undefined, target: undefined, worth: undefined }
}

/**
 * The same where it sells as much as a target is short of. The target is for the worth of all that was bought: it begins
 * at what there is, and grows with every slot.
 */
function valueWish({ params, slot, memory, indications, inflight, totals }: Context<Params>) {
  const { sell, most = sell } = params
  const market = paying(indications[0])
  const worth = market && worthOfBought(totals, market)
  const last = typeof memory?.target === 'string' ? BigInt(memory.target) : undefined
  const from = last ?? worth
  const grown = last !== undefined && isCounted(memory, slot)
  const target = from === undefined || grown ? from : from + sell.wei
  // The proceeds of a swap in flight are not known yet.
  if (worth === undefined || target === undefined || inflight.length > 0)
    return { intended: 0n, final: false, target, worth }
  return { intended: maxOf(0n, minOf(target - worth, most.wei)), final: true, target, worth }
}

/** The count of this slot; in value mode with the target, and the present worth of all that was bought. */
function dueAt(context: Context<Params>) {
  const { slot, memory } = context
  const { sell, carryMost = 0, mode } = context.params
  const { target, worth, ...wish } = mode === 'value' ? valueWish(context) : fixedWish(context)
  const spent = totalSold(context, sell.token).wei
  const carries = sell.wei * BigInt(carryMost)
  const count = countSlot(memory, { slot, spent, carries, ...wish })
  const notes = target === undefined ? {} : { target: `${target}` }
  return { ...count, target, worth, memory: { ...count.memory, ...notes } }
}
type Due = ReturnType<typeof dueAt>

function answer(context: Context<Params>, due: Due): Decision {
  const { params, indications, balances } = context
  const { sell, carryMost } = params
  const open = inFlight(context)
  if (open !== undefined) return postpone(open)
  const over = budget.spentUp(context, params)
  if (over !== undefined) return wait(over)
  const market = paying(indications[0])
  if (market === undefined) return postpone(`No price for ${show(sell)}.`)
  if (due.owed === 0n) return wait(nothingDue(context, due))

  const owed = { token: sell.token, wei: due.owed }
  const left = (reason: string) =>
    carryMost === undefined ? reason : `${reason} ${leftFor(context, owed)}`
  const wanted = band.outside(params, market) ?? wish(context, { owed, market })
  if (typeof wanted === 'string') return wait(left(wanted))
  const { least, ...slice } = wanted
  const holds = held(balances, sell.token)
  // A slot without funds stays open: a person is told, and it sells once they are there.
  if (holds.wei < least.wei)
    return postpone(left(`Holds ${show(holds)}, less than the ${show(least)} to sell.`))
  const amount = minAmount(slice.amount, holds)
  return sold(context, { due, amount, price: amount.wei > sell.wei ? slice.price : market })
}

/** The part of what was not sold that the next slot may still sell, and the part that none does. */
function leftFor(context: Context<Params>, owed: Amount): string {
  const { sell, carryMost = 0, ...params } = context.params
  const most = { ...sell, wei: sell.wei * BigInt(carryMost) }
  const carried = minAmount(owed, most, params.budget && leftOf(context, params.budget))
  const dropped = owed.wei - carried.wei
  return `${show(carried)} is carried${dropped === 0n ? '' : `, ${show({ ...owed, wei: dropped })} is dropped`}.`
}

function nothingDue({ params, slot }: Context<Params>, { target, worth, intended }: Due): string {
  const of = (wei: bigint) => show({ token: params.sell.token, wei })
  return target === undefined || worth === undefined || intended > 0n
    ? `Slot ${showInstant(slot)}: all that was due is sold.`
    : `What was bought is worth ${of(worth)}, the target is ${of(target)}.`
}

type Slice = { readonly amount: Amount; readonly price: Price }

/**
 * How much is to be sold at which price, and the least of it that is worth a swap; or why nothing is. What is larger than
 * usual is held to a price for the largest.
 */
function wish(
  { params, indications, ...own }: Context<Params>,
  { owed, market }: { readonly owed: Amount; readonly market: Price },
): (Slice & { readonly least: Amount }) | string {
  const { sell, most, minimum } = params
  const { worst } = band.between(params)
  const deep = paying(indications[1])
  const isDeep = deep && (worst === undefined || comparePrices(deep, worst) >= 0)
  const whole = minAmount(owed, most, params.budget && leftOf(own, params.budget))
  const amount = isDeep ? whole : minAmount(whole, sell)
  if (minimum && amount.wei < minimum.wei)
    return `${show(amount)} is due, less than the minimum of ${show(minimum)}.`
  return { amount, price: isDeep ? deep : market, least: minAmount(minimum ?? sell, amount) }
}

function sold(
  { params, slot }: Context<Params>,
  { due, amount, price }: Slice & { readonly due: Due },
): Decision {
  const { sell, buy } = params
  const floor = band.floor(params, { price, amount })
  const of = (wei: bigint) => show({ token: sell.token, wei })
  const { target, intended, owed } = due
  const isDipped = target === undefined && intended > sell.wei
  const reason = [
    `Slot ${showInstant(slot)}: the ${wordsFor(price).market(price)}, sells ${show(amount)} for at least ${show(floor)}.`,
    target === undefined ? '' : `The target is ${of(target)}.`,
    isDipped ? `A dip: ${of(intended)} instead of ${show(sell)}.` : '',
    owed > intended ? `${of(owed - intended)} is carried from before.` : '',
    owed > amount.wei ? `${of(owed - amount.wei)} is left.` : '',
  ]
  const said = reason.filter((sentence) => sentence !== '').join(' ')
  return swap({ sell: amount, buy, floor, reason: said })
}
