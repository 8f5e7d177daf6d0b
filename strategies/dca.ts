import {
  type Amount,
  averagePrice,
  type Context,
  comparePrices,
  countSlot,
  type Decision,
  defineStrategy,
  differencePpm,
  type Fields,
  type Fill,
  held,
  invertPrice,
  isCounted,
  leftOf,
  maxOf,
  minAmount,
  minimumAt,
  minOf,
  type ParamsOf,
  type Price,
  postpone,
  type Rules,
  remember,
  type SlotCount,
  shiftPrice,
  show,
  showPercent,
  swap,
  totalSold,
  wait,
  wordsFor,
  worthAt,
} from '#strategy'

const keys = ({ trade, required, optional, ...kinds }: Fields) => {
  const { amount, soldAmount, token, price, tolerance, share, factor, count } = kinds
  const { cron, timeZone, choice, missed, seconds, instant } = kinds
  return trade({
    sell: required(amount, {
      doc: 'What each slot sells. With `mode: value`, what the target grows by.',
      example: '500 USDC',
    }),
    buy: required(token, { doc: 'What it is sold for.', example: 'WETH' }),
    cron: required(cron, {
      doc: 'Minute, hour, day of month, month and day of week of each slot. A slot is its UTC instant and is bought at most once, over restarts and changes of summer time.',
      example: '0 9 * * 1',
    }),
    timeZone: required(timeZone, {
      doc: 'The time zone of the calendar.',
      example: 'Europe/Berlin',
    }),
    tolerance: required(tolerance, {
      doc: 'How much less than indicated it accepts. At most 1000 bps.',
      example: '50 bps',
    }),
    price: optional(price, {
      doc: 'The worst price it ever accepts. It bounds the floor, and a market beyond it is waited out.',
      example: '4000 USDC per WETH',
    }),
    mode: optional(choice('fixed', 'value'), {
      doc: 'Whether a slot sells always as much, or as much as a growing target is short of.',
      default: 'fixed',
      mode: true,
    }),
    most: optional(soldAmount, {
      doc: 'The most one slot sells, carry and dips included.',
      needs: ['value'],
      takes: ['fixed'],
    }),
    minimum: optional(soldAmount, {
      doc: 'The least one slot sells, where it cannot sell all. It may then sell a part of what is due, and leaves less than this alone.',
      example: '100 USDC',
      default: { words: 'a whole slice, or all that is due' },
    }),
    dipBelow: optional(share, {
      doc: 'How much cheaper one bought unit must be than in its last fills (32 at most) on average: all they sold for all they bought.',
      takes: ['fixed'],
    }),
    dipFactor: optional(factor, {
      doc: 'How many times as much it then buys.',
      takes: ['fixed'],
    }),
    priceMin: optional(price, {
      doc: 'One end of a band, with `priceMax`. The end that is worse for you is one more worst price; beyond the better end it waits: such a price is not believed.',
    }),
    priceMax: optional(price, { doc: 'The other end.' }),
    budget: optional(soldAmount, {
      doc: 'The most that is ever sold, exact. What settled and what is in flight never exceed it; less than `minimum` left is the end.',
      example: '26000 USDC',
    }),
    reserve: optional(soldAmount, {
      doc: 'Hidden from strategies of the same or a lower priority. Never more than the budget still allows, and nothing after `end`.',
      example: '2000 USDC',
    }),
    carryMost: optional(count, {
      doc: 'How many slices that could not be sold go on to later slots.',
      example: '2',
      default: { words: 'none' },
      takes: ['fixed'],
    }),
    missed: optional(missed, {
      doc: 'How many slots that passed while the bot did not run are made up for, oldest first. Or skip, or up to 3.',
      example: 'once',
      default: { words: 'skip' },
    }),
    late: optional(seconds, { doc: 'How long a slot stays open.', example: '2h', default: 3_600 }),
    jitter: optional(seconds, {
      doc: 'Each slot comes up to this much later, always the same for one slot.',
      example: '10m',
    }),
    start: optional(instant, { doc: 'Slots before are left out.', example: '2026-01-01' }),
    end: optional(instant, { doc: 'Slots from then on are left out.', example: '2036-01-01' }),
  })
}
type Params = ParamsOf<typeof keys>

const rules: Rules<Params> = {
  most: ({ most, sell }) =>
    most && most.wei < sell.wei ? `is less than ${show(sell)}.` : undefined,
  minimum: ({ minimum, sell }) =>
    minimum && minimum.wei > sell.wei ? `is more than ${show(sell)}.` : undefined,
  dipBelow: ({ dipBelow, dipFactor }) =>
    dipBelow === undefined
      ? undefined
      : dipFactor === undefined
        ? 'needs dipFactor.'
        : dipBelow === 0
          ? 'is nothing.'
          : undefined,
  dipFactor: ({ dipBelow, dipFactor }) =>
    dipFactor === undefined
      ? undefined
      : dipBelow === undefined
        ? 'needs dipBelow.'
        : dipFactor <= 10_000
          ? 'is no more than one.'
          : undefined,
  priceMin: ({ priceMin, priceMax }) =>
    (priceMin === undefined) === (priceMax === undefined)
      ? undefined
      : 'and priceMax are one band: write both, or price for the worst alone.',
  end: ({ start, end }) =>
    start !== undefined && end !== undefined && end <= start ? 'is not after start.' : undefined,
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

  schedule: ({ cron, timeZone, jitter, late, missed }) => ({
    kind: 'cron',
    expression: cron,
    timeZone,
    jitter,
    late,
    makeUp: missed,
  }),

  // A price for the usual slice, and an honest one for the largest.
  watch: (params) => {
    const { sell, buy } = params
    const largest = largestSlice(params)
    return largest.wei > sell.wei
      ? [
          { sell, buy },
          { sell: largest, buy },
        ]
      : [{ sell, buy }]
  },

  reserves: ({ params: { reserve, budget, end }, now, ...own }) =>
    reserve === undefined || (end !== undefined && now >= end)
      ? []
      : [minAmount(reserve, budget && leftOf(own, budget))],

  pricedByPerson: (params) => bandOf(params).worst !== undefined,

  decide(context) {
    const { params, slot } = context
    const { start, end } = params
    if (start !== undefined && slot < start) return wait(`Starts at ${instant(start)}.`)
    if (end !== undefined && slot >= end) return wait(`Ended at ${instant(end)}.`)
    const due = dueAt(context)
    return remember(due.memory, answer(context, due))
  },
})

const instant = (at: number) => new Date(at).toISOString()

/** The most one slot can come to. */
function largestSlice(params: Params): Amount {
  const { sell, mode, most, budget, dipFactor = 10_000, carryMost = 0 } = params
  const { token, wei } = sell
  const natural = { token, wei: (wei * BigInt(dipFactor)) / 10_000n + wei * BigInt(carryMost) }
  return minAmount(mode === 'value' ? (most ?? sell) : natural, most, budget)
}

/** The amount that is due, and in value mode the target value of all that was bought. */
type Due = SlotCount & { readonly target: bigint | undefined }

function dueAt(context: Context<Params>): Due {
  const { params, slot, memory } = context
  const { sell, carryMost = 0, mode } = params
  const target = mode === 'value' ? targetAt(context) : undefined
  const count = countSlot(memory, {
    slot,
    spent: totalSold(context, sell.token).wei,
    carries: sell.wei * BigInt(carryMost),
    ...intention(context, target),
  })
  return {
    ...count,
    target,
    memory: target === undefined ? count.memory : { ...count.memory, target: `${target}` },
  }
}

/** Begins at what there is, and grows with every slot; undefined before it could begin. */
function targetAt({ params, slot, memory, indications, totals }: Context<Params>) {
  const { wei } = params.sell
  const { target } = memory ?? {}
  if (typeof target === 'string')
    return isCounted(memory, slot) ? BigInt(target) : BigInt(target) + wei
  const market = priceOf(indications[0])
  return market && worthOfBought(totals, market) + wei
}

/** The amount this slot wants to sell, and whether that is final. */
function intention(context: Context<Params>, target: bigint | undefined) {
  const { params, indications, inflight, fills, totals } = context
  const { sell, most = sell, mode, dipBelow, dipFactor = 10_000 } = params
  const market = priceOf(indications[0])
  if (mode === 'value') {
    // The proceeds of a swap in flight are not known yet.
    if (market === undefined || target === undefined || inflight.length > 0)
      return { intended: 0n, final: false }
    const missing = target - worthOfBought(totals, market)
    return { intended: maxOf(0n, minOf(missing, most.wei)), final: true }
  }
  if (market === undefined) return { intended: sell.wei, final: false }
  const dips = dipBelow !== undefined && isDip(fills, { market, dipBelow })
  const intended = dips ? (sell.wei * BigInt(dipFactor)) / 10_000n : sell.wei
  return { intended, final: true }
}

/** Rounds down: what is not quite there is bought. */
function worthOfBought(totals: readonly Price[], market: Price): bigint {
  const bought = averagePrice(totals, market)?.bought
  return bought === undefined ? 0n : worthAt(invertPrice(market), bought).wei
}

/** Whether one bought unit costs less than in the last fills on average, by `dipBelow`. */
function isDip(
  fills: readonly Fill[],
  { market, dipBelow }: { readonly market: Price; readonly dipBelow: number },
): boolean {
  const prices = fills.map(({ price }) => price)
  const average = averagePrice(prices, market)
  return (
    average !== undefined &&
    comparePrices(invertPrice(market), shiftPrice(invertPrice(average), -dipBelow)) <= 0
  )
}

/** A market that pays nothing is no market. */
const priceOf = (market: Price | undefined): Price | undefined =>
  market === undefined || market.bought.wei === 0n ? undefined : market

function answer(context: Context<Params>, due: Due): Decision {
  const { params, indications, inflight } = context
  const { sell, budget, minimum, carryMost } = params
  const [open] = inflight
  if (open !== undefined) return postpone(`Swap ${open.swapId} of ${show(open.sell)} is in flight.`)

  const over = budget && spentUp(context, { budget, minimum })
  if (over !== undefined) return wait(over)
  const market = priceOf(indications[0])
  if (market === undefined) return postpone(`No price for ${show(sell)}.`)
  const owed = owedOf(context, due)
  if (owed.wei === 0n) return wait(nothingDue(context, { due, market }))

  const outcome = outsideOf(params, market) ?? slice(context, { owed, market })
  if (typeof outcome !== 'string') return bought(context, { due, owed, ...outcome })
  return wait(carryMost === undefined ? outcome : `${outcome} ${show(owed)} is carried.`)
}

/** Why the budget allows nothing any more. */
function spentUp(
  context: Context<Params>,
  { budget, minimum }: { readonly budget: Amount; readonly minimum: Amount | undefined },
): string | undefined {
  const left = leftOf(context, budget)
  const sold = `Sold ${show(totalSold(context, budget.token))} of ${show(budget)}: finished.`
  if (left.wei === 0n) return sold
  if (minimum === undefined || left.wei >= minimum.wei) return undefined
  return `${sold} The rest of ${show(left)} is less than the minimum of ${show(minimum)}.`
}

/** The amount that is due by now and not sold. A swap that failed after its slot is carried like any other, or dropped. */
function owedOf(context: Context<Params>, { before, intended }: Due): Amount {
  const { sell, carryMost = 0 } = context.params
  const missing = before + intended - totalSold(context, sell.token).wei
  return {
    token: sell.token,
    wei: maxOf(0n, minOf(missing, intended + sell.wei * BigInt(carryMost))),
  }
}

function nothingDue(
  context: Context<Params>,
  { due, market }: { readonly due: Due; readonly market: Price },
): string {
  const { token } = context.params.sell
  if (due.target === undefined || due.intended > 0n)
    return `Slot ${instant(context.slot)}: all that was due is sold.`
  const worth = show({ token, wei: worthOfBought(context.totals, market) })
  return `What was bought is worth ${worth}, the target is ${show({ token, wei: due.target })}.`
}

/** The worst price it accepts and the best it believes, where there are such. */
function bandOf({ price, priceMin, priceMax }: Params) {
  if (priceMin === undefined || priceMax === undefined) return { worst: price, best: undefined }
  const [low, high] =
    comparePrices(priceMin, priceMax) < 0 ? [priceMin, priceMax] : [priceMax, priceMin]
  return { worst: price && comparePrices(price, low) > 0 ? price : low, best: high }
}

/** Why the market is not one to trade in. */
function outsideOf(params: Params, market: Price): string | undefined {
  const { worst, best } = bandOf(params)
  const { verb, show: say } = wordsFor(worst ?? market)
  const now = `The market ${verb} ${say(market)}`
  if (worst && comparePrices(market, worst) < 0)
    return `${now}, the worst is ${say(worst)}: short by ${showPercent(differencePpm(market, worst))}.`
  if (best && comparePrices(market, best) > 0)
    return `${now}, better than ${say(best)}: outside the band.`
  return undefined
}

type Slice = { readonly amount: Amount; readonly price: Price }

/** How much is sold at which price, or why nothing is. What is larger than usual is held to a price for the largest. */
function slice(
  { params, balances, indications, ...own }: Context<Params>,
  { owed, market }: { readonly owed: Amount; readonly market: Price },
): Slice | string {
  const { sell, most, minimum, budget } = params
  const { worst } = bandOf(params)
  const deep = priceOf(indications[1])
  const isDeep = deep && (worst === undefined || comparePrices(deep, worst) >= 0)
  const whole = minAmount(owed, most, budget && leftOf(own, budget))
  const wanted = isDeep ? whole : minAmount(whole, sell)
  if (minimum && wanted.wei < minimum.wei)
    return `${show(wanted)} is due, less than the minimum of ${show(minimum)}.`
  const holds = held(balances, sell.token)
  const least = minAmount(minimum ?? sell, wanted)
  if (holds.wei < least.wei) return `Holds ${show(holds)}, less than the ${show(least)} to sell.`
  const amount = minAmount(wanted, holds)
  return { amount, price: isDeep && amount.wei > sell.wei ? deep : market }
}

function bought(
  { params, slot }: Context<Params>,
  { due, owed, amount, price }: Slice & { readonly due: Due; readonly owed: Amount },
): Decision {
  const { sell, buy, tolerance } = params
  const about = minimumAt(shiftPrice(price, -tolerance), amount)
  const { worst } = bandOf(params)
  const bound = worst && minimumAt(worst, amount)
  const floor = bound && bound.wei > about.wei ? bound : about

  const { verb, show: say } = wordsFor(price)
  const of = (wei: bigint) => show({ token: sell.token, wei })
  const isDipped = due.target === undefined && due.intended > sell.wei
  const reason = [
    `Slot ${instant(slot)}: the market ${verb} ${say(price)}, sells ${show(amount)} for at least ${show(floor)}.`,
    due.target === undefined ? '' : `The target is ${of(due.target)}.`,
    isDipped ? `A dip: ${of(due.intended)} instead of ${show(sell)}.` : '',
    owed.wei > due.intended ? `${of(owed.wei - due.intended)} is carried from before.` : '',
    owed.wei > amount.wei ? `${of(owed.wei - amount.wei)} is left.` : '',
  ]
  const said = reason.filter((sentence) => sentence !== '').join(' ')
  return swap({ sell: amount, buy, floor, reason: said })
}
