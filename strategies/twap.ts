import {
  type Amount,
  broughtBy,
  type Context,
  comparePrices,
  cutToLimit,
  type Decision,
  defineStrategy,
  divideUp,
  type Fields,
  floorFor,
  held,
  inFlight,
  leftOf,
  maxOf,
  minimumAt,
  minOf,
  notePrice,
  notZero,
  type ParamsOf,
  type Price,
  postpone,
  pricedByBook,
  type Rules,
  readMarket,
  recallPrice,
  remember,
  shiftPrice,
  show,
  showInstant,
  showPrice,
  sliceOf,
  swap,
  swapMax,
  type Tempo,
  tempoOf,
  totalSold,
  type Watch,
  type WatchedMarket,
  wait,
} from '#strategy'

/** How far a slice may move the average price from the best level. */
const impactDefault = 10

/** After a pause a slice is at most twice the even one: what was missed is spread, not caught up. */
const mostDefault = 20_000

/** The default of each of the three. */
const third = { words: 'two of `slices`, `every` and `end`' }

const keys = ({ trade, required, optional, ...kinds }: Fields) =>
  trade({
    sell: required(kinds.amount, { doc: 'All of it, over the whole time.', example: '10 WETH' }),
    buy: required(kinds.token, { doc: 'What it is sold for.', example: 'USDC' }),
    start: required(kinds.instant, {
      doc: 'Nothing is sold before.',
      example: '2026-12-31T09:00:00+01:00',
    }),
    slices: optional(kinds.count, {
      doc: 'Of slices, every and end two are given: the third follows. There are exactly as many, the first at or after `start`.',
      example: '24',
      suggested: true,
      default: third,
    }),
    every: optional(kinds.seconds, {
      doc: 'How often it sells. Slots are aligned to the epoch like those of every period.',
      example: '10m',
      suggested: true,
      default: third,
    }),
    end: optional(kinds.instant, { doc: 'Nothing is sold from then on.', default: third }),
    tolerance: required(kinds.tolerance, {
      doc: 'How much less than indicated, and than the references say, it accepts. At least `impact`, at most 1000 bps.',
      example: '50 bps',
    }),
    floor: optional(kinds.price, {
      doc: 'The worst price of any slice.',
      example: '2800 USDC per WETH',
    }),
    impact: optional(kinds.bps, {
      doc: 'How far one slice may move the book. Without a book it is at most an even slice.',
      example: '10 bps',
      default: impactDefault,
    }),
    volatility: optional(kinds.share, {
      doc: 'What prices are expected to move in a year. While they move more, slices and the time of a quote shrink.',
      example: '70 %',
      rule: notZero('is what no market does.'),
    }),
    stop: optional(kinds.bps, {
      doc: 'Ends it for good when the market has fallen so far. Counted from the first look: by the price of an even slice (of `minimum` where that is more), or by the best level of the book where that has none.',
      example: '500 bps',
      rule: notZero('would stop it before it began.'),
    }),
    maxDeviation: optional(kinds.bps, {
      doc: 'Waits where the references contradict the service by more.',
    }),
    jitter: optional(kinds.seconds, {
      doc: 'Each slice comes up to this much later.',
      example: '2m',
    }),
    most: optional(kinds.factor, {
      doc: 'The largest slice, in even slices.',
      example: '2',
      default: mostDefault,
      rule: (times) =>
        times >= 10_000 ? undefined : 'is less than an even slice: the whole would never be sold.',
    }),
    minimum: optional(kinds.soldAmount, {
      doc: 'The least one slice sells. Even slices that are smaller are collected, as long as the later ones can take them all.',
      example: '0.1 WETH',
    }),
    keep: optional(kinds.soldAmount, { doc: 'Never sold.', example: '1 WETH' }),
  })
type Params = ParamsOf<typeof keys>

const rules: Rules<Params> = {
  slices: ({ slices, every, end }) =>
    [slices, every, end].filter((it) => it !== undefined).length === 2
      ? undefined
      : 'of slices, every and end two are given: the third follows.',
  end: (params) => {
    if (params.end === undefined) return undefined
    const { periodMs, count } = gridOf(params)
    // Slices are a second apart at least.
    const leastMs = params.slices === undefined ? periodMs : periodMs * count
    return count >= 1 && params.end - params.start >= leastMs
      ? undefined
      : 'leaves too little time after the start.'
  },
  tolerance: ({ tolerance, impact = impactDefault }) =>
    tolerance < impact
      ? `is less than the impact of ${impact} bps that a slice may have.`
      : undefined,
  jitter: (params) => {
    const { jitter, end } = params
    if (jitter === undefined) return undefined
    const { firstMs, periodMs, count } = gridOf(params)
    if (jitter * 1_000 >= periodMs) return 'is not shorter than the time between two slices.'
    const latestMs = firstMs + (count - 1) * periodMs + jitter * 1_000
    return end === undefined || latestMs < end
      ? undefined
      : 'may put the last slice behind the end.'
  },
  minimum: (params) =>
    (params.minimum?.wei ?? 0n) <= largest(params)
      ? undefined
      : `is more than the largest slice, ${show({ ...params.sell, wei: largest(params) })}.`,
}

/**
 * Sells an amount in even slices over a time.
 *
 * The sold amount is what has settled by the journal, so the sum is exact over restarts, failures and pauses.
 */
export default defineStrategy({
  name: 'twap',
  summary: 'Sells an amount in even slices over a time, each no larger than the book takes.',
  params: (fields) => fields.check(keys(fields), rules),

  schedule: (params) => ({
    kind: 'every',
    seconds: gridOf(params).periodMs / 1_000,
    jitter: params.jitter,
  }),

  watch: (params) => [watchOf(params)],

  reserves: ({ params, now, memory, ...own }) =>
    typeof memory?.stopped === 'string' || now >= gridOf(params).endMs
      ? []
      : [leftOf(own, params.sell)],

  typicalSwaps: ({ params, swapLimits }) => {
    const { sell, buy, minimum, floor } = params
    const even = cutToLimit({ swapLimits }, { ...sell, wei: evenSlice(params) })
    return [{ sell: { ...sell, wei: maxOf(minimum?.wei ?? 0n, even.wei) }, buy, price: floor }]
  },

  pricedByPerson: ({ floor }) => floor !== undefined,

  decide(context) {
    const { params, slot } = context
    const { sell, stop, maxDeviation } = params
    const memory = context.memory ?? {}
    const still = (reason: string) => remember(memory, wait(reason))
    // In a period too: a wait says that all is well.
    const later = (reason: string) => remember(memory, postpone(reason))
    const { firstMs, endMs, periodMs } = gridOf(params)
    const { wei: sold } = totalSold({ ...context, inflight: [] }, sell.token)
    const done = `${show({ ...sell, wei: sold })} of ${show(sell)} are sold`

    if (sold >= sell.wei) return still(`Done: ${done}.`)
    if (typeof memory.stopped === 'string') return still(memory.stopped)
    if (slot < firstMs) return still(`Begins at ${showInstant(firstMs)}.`)
    // A slot may be late: behind another swap, or by the jitter of its period.
    const { end } = params
    if (end !== undefined && context.now >= end)
      return later(`Over since ${showInstant(end)}: ${done}.`)
    if (slot >= endMs) return later(`Over since ${showInstant(endMs)}: ${done}.`)

    const watched = { watch: watchOf(params), place: 0, maxDeviation }
    const impactBps = params.impact ?? impactDefault
    const seen = pricedByBook(context, { place: 0, impactBps })
    const market = inFlight(context) ?? readMarket(seen, watched)
    if (typeof market === 'string') return later(market)
    const tempo = tempoOf(context, market, { impactBps, volatilityBps: params.volatility })
    const { fallen, notes } = sinceArrival(context, market)
    const noted = { ...tempo.notes, ...notes }
    const fall = stop === undefined ? undefined : fallen(stop)
    if (fall !== undefined) {
      const stopped = `Stopped for good: the market pays ${showPrice(fall.now)}, ${stop} bps or more below the ${showPrice(fall.from)} of the arrival; ${done}.`
      return remember({ ...noted, stopped }, wait(stopped))
    }
    const index = Math.floor((slot - firstMs) / periodMs)
    return remember(noted, sliceAt(context, { market, index, sold, tempo }))
  },
})

type Fall = { readonly from: Price; readonly now: Price }

/**
 * How far the market has fallen since the first look, like with like: a thin book alone is no fall. That is by the price of an
 * even slice. Where the first look had none, it is by the best level, or by the first price that a slice had since; where only
 * this look has none, by the best level and by what the book takes, both.
 */
function sinceArrival(
  { params, memory = {}, indications: [now] }: Context<Params>,
  { levels: [best], indication }: WatchedMarket,
) {
  const known = (name: string) => recallPrice(memory, name, params)
  const noted = known('arrival')
  // An older version noted the price of what a thin book took.
  const isSized = noted?.sold.wei === watchOf(params).sell.wei
  const arrival = isSized ? noted : undefined
  const arrivalBest = known('arrivalBest') ?? (isSized ? undefined : noted)
  const late = known('late')
  const isFirst = arrival === undefined && arrivalBest === undefined
  const notes: Readonly<Record<string, Price | undefined>> = isFirst
    ? { arrival: now, arrivalBest: best }
    : { arrival, arrivalBest, late: arrival === undefined ? (late ?? now) : undefined }
  const pair = (from: Price | undefined, to: Price | undefined): readonly Fall[] =>
    from && to ? [{ from, now: to }] : []
  const beyond = (bps: number, falls: readonly Fall[]) =>
    falls.filter((fall) => comparePrices(fall.now, shiftPrice(fall.from, -bps)) <= 0)
  const byBook = pair(arrivalBest, best)
  return {
    notes: Object.assign(
      {},
      ...Object.entries(notes).map(([name, price]) => (price ? notePrice(name, price) : {})),
    ),
    /** By so many basis points, or more. */
    fallen(bps: number): Fall | undefined {
      if (arrival === undefined) return beyond(bps, [...byBook, ...pair(late, now)])[0]
      if (now !== undefined) return beyond(bps, pair(arrival, now))[0]
      const falls = [...byBook, ...pair(arrival, indication)]
      const found = beyond(bps, falls)
      return found.length === falls.length ? found[0] : undefined
    },
  }
}

type Look = {
  readonly market: WatchedMarket
  readonly index: number
  readonly sold: bigint
  readonly tempo: Tempo
}

function sliceAt(context: Context<Params>, { market, index, sold, tempo }: Look): Decision {
  const { params, balances } = context
  const { count } = gridOf(params)
  const limit = swapMax(context, params.sell.token, market.indication)
  const most = limit === undefined ? largest(params) : minOf(limit.wei, largest(params))
  const of = (wei: bigint): Amount => ({ ...params.sell, wei })
  const left = params.sell.wei - sold
  const slicesLeft = BigInt(count - index)
  const isLast = slicesLeft === 1n
  const minimum = params.minimum?.wei ?? 0n

  const even = divideUp(left, slicesLeft)
  // No smaller than lets the later slices take the rest.
  const least = minOf(even, maxOf(0n, left - most * (slicesLeft - 1n)))
  const slow = (even * tempo.size) / 10_000n
  const paced = isLast ? even : maxOf(slow, least)
  const whole = !isLast && paced > slow ? ' Not less than the later slices leave.' : ''
  const wanted = paced >= minimum || isLast ? paced : minimum
  // Too little alone waits for the next slice, as long as the slices after it can take it all.
  const due = maxOf(0n, divideUp(params.sell.wei * BigInt(index + 1), BigInt(count)) - sold)
  const isEarly = due < minimum && left <= most * (slicesLeft - 1n)
  if (wanted > even && isEarly)
    return wait(`${show(of(due))} are due, less than the least slice of ${show(of(minimum))}.`)

  const holds = maxOf(0n, held(balances, params.sell.token).wei - (params.keep?.wei ?? 0n))
  const book = (sliceOf(market, params.impact ?? impactDefault).wei * tempo.part) / 10_000n
  const cap = minOf(most, book, holds)
  const rest = left - minOf(wanted, cap)
  // A rest that is too little for a slice of its own goes along.
  const size = rest > 0n && rest < minimum && left <= cap ? left : minOf(wanted, cap)
  const slice = `Slice ${index + 1} of ${count}`
  if (size === 0n || (size < minimum && !isLast)) {
    const found =
      limit !== undefined && limit.wei < minOf(holds, book)
        ? `policy lets ${show(limit)} through`
        : `${show(of(holds))} are there and the book takes ${show(of(book))}`
    return postpone(`${slice}: ${found}, too little for ${show(of(maxOf(minimum, 1n)))}.`)
  }

  const [sell, { buy }] = [of(size), params]
  const brings = broughtBy(market, sell)
  const { wei: bound } = floorFor(market, sell, params.tolerance)
  const worst = params.floor === undefined ? 0n : minimumAt(params.floor, sell).wei
  const floor = { token: buy, wei: maxOf(bound, worst) }
  if (brings.wei < floor.wei)
    return postpone(`${show(sell)} bring ${show(brings)}, below the ${show(floor)} to accept.`)
  const reason = `${slice}: ${show(sell)} of the ${show(of(left))} left bring ${show(brings)}, accepts ${show(floor)}.${tempo.says}${whole}`
  const expiry = tempo.expiry === 10_000n ? {} : { expiryBps: Number(tempo.expiry) }
  return swap({ sell, buy, floor, reason, ...expiry })
}

/** The slots from the start on: as `every` is aligned, so are they. */
function gridOf({ start, slices, every, end = start }: Params) {
  const span = slices === undefined ? 0 : Math.floor((end - start) / 1_000 / slices)
  const periodMs = Math.max(1, every ?? span) * 1_000
  const first = Math.ceil(start / periodMs)
  const count = slices ?? Math.ceil(end / periodMs) - first
  return { periodMs, firstMs: first * periodMs, endMs: (first + count) * periodMs, count }
}

const watchOf = (params: Params): Watch => ({
  // Without a book no more is known to have a price.
  sell: { ...params.sell, wei: maxOf(evenSlice(params), params.minimum?.wei ?? 0n) },
  buy: params.buy,
  wants: params.maxDeviation === undefined ? ['depth'] : ['depth', 'reference'],
})

const evenSlice = (params: Params): bigint =>
  divideUp(params.sell.wei, BigInt(Math.max(1, gridOf(params).count)))

const largest = (params: Params): bigint =>
  (evenSlice(params) * BigInt(params.most ?? mostDefault)) / 10_000n
