import {
  type Amount,
  averagePrice,
  type Context,
  comparePrices,
  countSlot,
  type Decision,
  defineStrategy,
  differencePpm,
  type Fill,
  held,
  invertPrice,
  isCounted,
  leftOf,
  minAmount,
  minimumAt,
  modeRules,
  type Price,
  postpone,
  remember,
  type SlotCount,
  sameToken,
  shiftPrice,
  show,
  showPercent,
  swap,
  type Token,
  totalSold,
  wait,
  wordsFor,
  worthAt,
} from '#strategy'

type Params = {
  /** What one slot intends to sell; in value mode, what the target grows by. */
  readonly sell: Amount
  readonly buy: Token
  readonly cron: string
  readonly timeZone: string
  /** How much less than indicated it accepts, in basis points. */
  readonly tolerance: number
  /** The worst price it ever accepts, whatever the market says. */
  readonly price?: Price | undefined
  readonly mode?: 'fixed' | 'value' | undefined
  /** The most one slot sells. */
  readonly most?: Amount | undefined
  /** The least one slot sells; without it, a whole slice or the rest of the budget. */
  readonly minimum?: Amount | undefined
  readonly dipBelow?: number | undefined
  /** In ten thousandths. */
  readonly dipFactor?: number | undefined
  /** The two ends of a band, in either order: which is the worse one depends on the way round they are written. */
  readonly priceMin?: Price | undefined
  readonly priceMax?: Price | undefined
  readonly budget?: Amount | undefined
  readonly reserve?: Amount | undefined
  readonly start?: number | undefined
  readonly end?: number | undefined
  /** So many slices that could not be sold are carried to later slots. */
  readonly carryMost?: number | undefined
  readonly missed?: number | undefined
  readonly late?: number | undefined
  readonly jitter?: number | undefined
}

/** Beyond a tenth, "about the market" has become "at any price". */
const toleranceMax = 1_000

const only = modeRules<Params>(
  {
    fixed: { needs: [], takes: ['carryMost', 'dipBelow', 'dipFactor', 'most'] },
    value: { needs: ['most'], takes: [] },
  },
  ({ mode = 'fixed' }) => mode,
)

/**
 * Sells at every slot of a calendar, at about the market: always as much, or as much as a growing target is short of.
 *
 * What a slot intends is fixed when it is first asked, and what was sold comes from the journal alone: a slot that is
 * asked again wants what is missing of it, not all of it once more. The floor is the indicated amount less the
 * tolerance, and never below the worst price where one is given.
 */
export default defineStrategy<Params>({
  name: 'dca',
  summary: 'Sells at every slot of a calendar, at about the market, within a budget.',
  example: `
sell: 500 USDC              # at each slot
buy: WETH
cron: 0 9 * * 1             # minute, hour, day of month, month, day of week: Mondays at nine
timeZone: Europe/Berlin
tolerance: 50 bps           # how much less than indicated it accepts
# price: 4000 USDC per WETH # the worst price it ever accepts
# budget: 26000 USDC        # the most that is ever sold, exact
# reserve: 2000 USDC        # hidden from strategies of the same or a lower priority
# minimum: 100 USDC         # the least one slot sells, where it cannot sell all
# carryMost: 2              # slices that could not be sold go on to so many later slots
# missed: once              # or skip, or up to 3: what becomes of slots while the bot did not run
# late: 2h                  # for how long a slot stays open
# jitter: 10m               # each slot up to so much later
# start: 2026-01-01
# end: 2036-01-01
`,

  params: ({ optional, ...fields }) =>
    fields.check(
      fields.trade({
        cron: fields.cron,
        timeZone: fields.timeZone,
        tolerance: fields.bps,
        price: optional(fields.price),
        mode: optional(fields.choice('fixed', 'value')),
        most: optional(fields.amount),
        minimum: optional(fields.amount),
        dipBelow: optional(fields.share),
        dipFactor: optional(fields.factor),
        priceMin: optional(fields.price),
        priceMax: optional(fields.price),
        budget: optional(fields.amount),
        reserve: optional(fields.amount),
        start: optional(fields.instant),
        end: optional(fields.instant),
        carryMost: optional(fields.count),
        missed: optional(fields.missed),
        late: optional(fields.seconds),
        jitter: optional(fields.seconds),
      }),
      {
        tolerance: ({ tolerance }) =>
          tolerance <= toleranceMax ? undefined : `is more than ${toleranceMax} bps.`,
        most: only(
          'most',
          ({ most, sell }) =>
            wrong(sell, most) ??
            (most && most.wei < sell.wei ? `is less than ${show(sell)}.` : undefined),
        ),
        minimum: ({ minimum, sell }) =>
          wrong(sell, minimum) ??
          (minimum && minimum.wei > sell.wei ? `is more than ${show(sell)}.` : undefined),
        dipBelow: only('dipBelow', ({ dipBelow, dipFactor }) =>
          dipFactor === undefined ? 'needs dipFactor.' : dipBelow === 0 ? 'is nothing.' : undefined,
        ),
        dipFactor: only('dipFactor', ({ dipBelow, dipFactor = 0 }) =>
          dipBelow === undefined
            ? 'needs dipBelow.'
            : dipFactor <= 10_000
              ? 'is no more than one.'
              : undefined,
        ),
        priceMin: ({ priceMin, priceMax }) =>
          (priceMin === undefined) === (priceMax === undefined)
            ? undefined
            : 'and priceMax are one band: write both, or price for the worst alone.',
        budget: ({ budget, sell }) => wrong(sell, budget),
        reserve: ({ reserve, sell }) => wrong(sell, reserve),
        carryMost: only('carryMost'),
        end: ({ start, end }) =>
          start !== undefined && end !== undefined && end <= start
            ? 'is not after start.'
            : undefined,
      },
    ),

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

const wrong = (sell: Amount, amount: Amount | undefined): string | undefined =>
  amount === undefined || sameToken(amount.token, sell.token)
    ? undefined
    : `is in ${amount.token.symbol}, but it sells ${sell.token.symbol}.`

/** The most one slot can come to. */
function largestSlice(params: Params): Amount {
  const { sell, mode, most, budget, dipFactor = 10_000, carryMost = 0 } = params
  const { token, wei } = sell
  const natural = { token, wei: (wei * BigInt(dipFactor)) / 10_000n + wei * BigInt(carryMost) }
  return minAmount(mode === 'value' ? (most ?? sell) : natural, most, budget)
}

/** What is due, and in value mode what all that was bought is to be worth. */
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

/** What this slot wants to sell, and whether that is its last word. */
function intention(context: Context<Params>, target: bigint | undefined) {
  const { params, indications, inflight, fills, totals } = context
  const { sell, most = sell, mode, dipBelow, dipFactor = 10_000 } = params
  const market = priceOf(indications[0])
  if (mode === 'value') {
    // What a swap in flight will have bought is not known yet.
    if (market === undefined || target === undefined || inflight.length > 0)
      return { intended: 0n, final: false }
    const missing = target - worthOfBought(totals, market)
    return { intended: between(0n, missing, most.wei), final: true }
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

/** Whether one bought unit costs so much less than in the last fills on average. */
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

/** What is to be sold by now and is not. A swap that failed after its slot is carried like any other, or dropped. */
function owedOf(context: Context<Params>, { before, intended }: Due): Amount {
  const { sell, carryMost = 0 } = context.params
  const missing = before + intended - totalSold(context, sell.token).wei
  return { token: sell.token, wei: between(0n, missing, intended + sell.wei * BigInt(carryMost)) }
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

function between(low: bigint, value: bigint, high: bigint): bigint {
  return value < low ? low : value > high ? high : value
}
