import {
  type Amount,
  broughtBy,
  type Context,
  defineStrategy,
  divideUp,
  floorFor,
  held,
  leftOf,
  type Memory,
  maxOf,
  minimumAt,
  minOf,
  type Price,
  readMarket,
  remember,
  sameToken,
  show,
  showPrice,
  sliceOf,
  swap,
  swapMax,
  type Token,
  totalSold,
  type Watch,
  type WatchedMarket,
  wait,
} from '#strategy'

type Params = {
  /** All of it, over the whole time. */
  readonly sell: Amount
  readonly buy: Token
  /** Milliseconds since the epoch. */
  readonly start: number
  /** Of these three two are given. */
  readonly slices?: number | undefined
  readonly every?: number | undefined
  readonly end?: number | undefined
  /** How much less than indicated, and than the references say, it accepts. In bps, as all below. */
  readonly tolerance: number
  readonly jitter?: number | undefined
  /** The worst price of any slice. */
  readonly floor?: Price | undefined
  readonly impact?: number | undefined
  readonly stop?: number | undefined
  readonly maxDeviation?: number | undefined
  /** In ten thousandths of an even slice. */
  readonly most?: number | undefined
  readonly minimum?: Amount | undefined
  readonly keep?: Amount | undefined
}

/** What a slice may move the average price away from the best level. */
const impactDefault = 10

/** After a pause a slice is at most twice the even one: what was missed is spread, not caught up. */
const mostDefault = 20_000

/** Beyond a tenth, "about the market" has become "at any price". */
const toleranceMax = 1_000

/**
 * Sells an amount in even slices over a time.
 *
 * What has been sold is what the journal says has settled, so the sum is exact over restarts, failures and pauses.
 */
export default defineStrategy<Params>({
  name: 'twap',
  summary: 'Sells an amount in even slices over a time, each no larger than the book takes.',
  example: `
sell: 10 WETH               # all of it, over the whole time
buy: USDC
start: 2026-12-31T09:00:00+01:00
slices: 24                  # of slices, every and end two are given: the third follows
every: 10m
tolerance: 50 bps           # how much less than indicated, and than the references say, it accepts
# floor: 2800 USDC per WETH # the worst price of any slice
# impact: 10 bps            # how far one slice may move the book
# stop: 500 bps             # ends for good when the market has fallen so far
# jitter: 2m                # each slice up to so much later
# most: 2                   # the largest slice, in even slices
# minimum: 0.1 WETH         # the least one slice sells
# keep: 1 WETH              # never sold
`,

  params: (fields) =>
    fields.check(
      fields.trade({
        start: fields.instant,
        slices: fields.optional(fields.count),
        every: fields.optional(fields.seconds),
        end: fields.optional(fields.instant),
        tolerance: fields.bps,
        jitter: fields.optional(fields.seconds),
        floor: fields.optional(fields.price),
        impact: fields.optional(fields.bps),
        stop: fields.optional(fields.bps),
        maxDeviation: fields.optional(fields.bps),
        most: fields.optional(fields.factor),
        minimum: fields.optional(fields.amount),
        keep: fields.optional(fields.amount),
      }),
      {
        slices: ({ slices, every, end }) =>
          [slices, every, end].filter((it) => it !== undefined).length === 2
            ? undefined
            : 'of slices, every and end two are given: the third follows.',
        end: (params) => {
          if (params.end === undefined) return undefined
          const { periodMs, count } = gridOf(params)
          return count >= 1 && params.end - params.start >= periodMs
            ? undefined
            : 'leaves too little time after the start.'
        },
        stop: ({ stop }) => (stop === 0 ? 'would stop it before it began.' : undefined),
        tolerance: ({ tolerance, impact = impactDefault }) => {
          if (tolerance > toleranceMax) return `is more than ${toleranceMax} bps.`
          return tolerance < impact
            ? `is less than the impact of ${impact} bps that a slice may have.`
            : undefined
        },
        jitter: (params) =>
          (params.jitter ?? 0) * 1_000 < gridOf(params).periodMs
            ? undefined
            : 'is not shorter than the time between two slices.',
        most: ({ most: times = mostDefault }) =>
          times >= 10_000
            ? undefined
            : 'is less than an even slice: the whole would never be sold.',
        minimum: (params) =>
          params.minimum === undefined
            ? undefined
            : (foreign(params.minimum, params) ??
              (params.minimum.wei <= largest(params)
                ? undefined
                : `is more than the largest slice, ${show({ ...params.sell, wei: largest(params) })}.`)),
        keep: (params) => (params.keep === undefined ? undefined : foreign(params.keep, params)),
      },
    ),

  schedule: (params) => ({
    kind: 'every',
    seconds: gridOf(params).periodMs / 1_000,
    jitter: params.jitter,
  }),

  watch: (params) => [watchOf(params)],

  reserves(own) {
    const { firstMs, periodMs, count } = gridOf(own.params)
    return own.now >= firstMs + count * periodMs ? [] : [leftOf(own, own.params.sell)]
  },

  decide(context) {
    const { params, slot, inflight } = context
    const memory = context.memory ?? {}
    const still = (reason: string) => remember(memory, wait(reason))
    const { firstMs, periodMs, count } = gridOf(params)
    const index = Math.floor((slot - firstMs) / periodMs)
    const { wei: sold } = totalSold({ ...context, inflight: [] }, params.sell.token)
    const done = `${show({ ...params.sell, wei: sold })} of ${show(params.sell)} are sold`
    const [open] = inflight

    if (sold >= params.sell.wei) return still(`Done: ${done}.`)
    if (typeof memory.stopped === 'string') return still(memory.stopped)
    if (index < 0) return still(`Begins at ${new Date(firstMs).toISOString()}.`)
    if (index >= count)
      return still(`Over since ${new Date(firstMs + count * periodMs).toISOString()}: ${done}.`)
    if (open !== undefined) return still(`Swap ${open.swapId} of ${show(open.sell)} is in flight.`)

    const market = readMarket(context, {
      watch: watchOf(params),
      place: 0,
      maxDeviation: params.maxDeviation,
    })
    if (typeof market === 'string') return still(market)
    const arrival = arrivalOf(params, memory) ?? market.indication
    const noted = {
      arrivalSold: `${arrival.sold.wei}`,
      arrivalBought: `${arrival.bought.wei}`,
    }
    const { stop } = params
    if (stop !== undefined && hasFallen(market.indication, { arrival, stop })) {
      const stopped = `Stopped for good: the market pays ${showPrice(market.indication)}, ${stop} bps or more below the ${showPrice(arrival)} of the arrival; ${done}.`
      return remember({ ...noted, stopped }, wait(stopped))
    }
    return remember(noted, sliceAt({ context, market, index, sold }))
  },
})

function sliceAt({
  context,
  market,
  index,
  sold,
}: {
  readonly context: Context<Params>
  readonly market: WatchedMarket
  readonly index: number
  readonly sold: bigint
}) {
  const { params, balances } = context
  const { count } = gridOf(params)
  const limit = swapMax(context, params.sell.token)
  const most = limit === undefined ? largest(params) : minOf(limit.wei, largest(params))
  const of = (wei: bigint): Amount => ({ ...params.sell, wei })
  const left = params.sell.wei - sold
  const slicesLeft = BigInt(count - index)
  const isLast = slicesLeft === 1n
  const minimum = params.minimum?.wei ?? 0n

  const even = divideUp(left, slicesLeft)
  const wanted = even >= minimum || isLast ? even : minimum
  // What is too little alone waits for the next slice, as long as the slices after it can take it all.
  const due = divideUp(params.sell.wei * BigInt(index + 1), BigInt(count)) - sold
  const isEarly = due < minimum && left <= most * (slicesLeft - 1n)
  if (wanted > even && isEarly)
    return wait(
      `${show(of(maxOf(0n, due)))} are due, less than the least slice of ${show(of(minimum))}.`,
    )

  const holds = maxOf(0n, held(balances, params.sell.token).wei - (params.keep?.wei ?? 0n))
  const book = sliceOf(market, params.impact ?? impactDefault).wei
  const cap = minOf(most, book, holds)
  const rest = left - minOf(wanted, cap)
  // A rest that is too little for a slice of its own goes along.
  const size = rest > 0n && rest < minimum && left <= cap ? left : minOf(wanted, cap)
  if (size === 0n || (size < minimum && !isLast)) {
    const found =
      limit !== undefined && limit.wei < minOf(holds, book)
        ? `policy.perSwap lets ${show(limit)} through`
        : `${show(of(holds))} are there and the book takes ${show(of(book))}`
    return wait(
      `Slice ${index + 1} of ${count}: ${found}, too little for ${show(of(maxOf(minimum, 1n)))}.`,
    )
  }

  const sell = of(size)
  const brings = broughtBy(market, sell)
  const { wei: bound } = floorFor(market, sell, params.tolerance)
  const worst = params.floor === undefined ? 0n : minimumAt(params.floor, sell).wei
  const floor = { token: params.buy, wei: maxOf(bound, worst) }
  if (brings.wei < floor.wei)
    return wait(`${show(sell)} bring ${show(brings)}, below the ${show(floor)} to accept.`)
  return swap({
    sell,
    buy: params.buy,
    floor,
    reason: `Slice ${index + 1} of ${count}: ${show(sell)} of the ${show(of(left))} left bring ${show(brings)}, accepts ${show(floor)}.`,
  })
}

/** The slots from the start on: as `every` is aligned, so are they. */
function gridOf({ start, slices, every, end = start }: Params) {
  const span = slices === undefined ? 0 : Math.floor((end - start) / 1_000 / slices)
  const periodMs = Math.max(1, every ?? span) * 1_000
  const first = Math.ceil(start / periodMs)
  return {
    periodMs,
    firstMs: first * periodMs,
    count: slices ?? Math.ceil(end / periodMs) - first,
  }
}

function watchOf(params: Params): Watch {
  return {
    sell: { ...params.sell, wei: evenSlice(params) },
    buy: params.buy,
    wants: params.maxDeviation === undefined ? ['depth'] : ['depth', 'reference'],
  }
}

function evenSlice(params: Params): bigint {
  return divideUp(params.sell.wei, BigInt(Math.max(1, gridOf(params).count)))
}

function largest(params: Params): bigint {
  return (evenSlice(params) * BigInt(params.most ?? mostDefault)) / 10_000n
}

function arrivalOf({ sell, buy }: Params, memory: Memory): Price | undefined {
  const { arrivalSold, arrivalBought } = memory
  if (typeof arrivalSold !== 'string' || typeof arrivalBought !== 'string') return undefined
  return {
    sold: { token: sell.token, wei: BigInt(arrivalSold) },
    bought: { token: buy, wei: BigInt(arrivalBought) },
  }
}

function hasFallen(
  price: Price,
  { arrival, stop }: { readonly arrival: Price; readonly stop: number },
): boolean {
  const now = price.bought.wei * arrival.sold.wei * 10_000n
  return now <= arrival.bought.wei * price.sold.wei * BigInt(10_000 - stop)
}

function foreign({ token }: Amount, { sell }: Params): string | undefined {
  return sameToken(token, sell.token)
    ? undefined
    : `is in ${token.symbol}, but it sells ${sell.token.symbol}.`
}
