import {
  type Context,
  comparePrices,
  countSwaps,
  countVotes,
  crossCheck,
  type Decision,
  defineStrategy,
  type Fields,
  held,
  heldAbove,
  inFlight,
  isOfPair,
  leftOf,
  maxPrice,
  minAmount,
  minimumAt,
  notePrice,
  notZero,
  order,
  type ParamsOf,
  type Price,
  paying,
  postpone,
  recallPrice,
  remember,
  shiftPrice,
  show,
  showGap,
  swap,
  wait,
  wordsFor,
} from '#strategy'

/** Independent sources and the service are rarely further apart in a market that works. */
const confirmWithinUsual = 100

/** A bound of all of the price below it is no price. */
const partOfPrice = (share: number): string | undefined => {
  if (share === 0) return 'is nothing.'
  return share < 10_000 ? undefined : 'is all of the price: it would never be met.'
}

const keys = (fields: Fields) => {
  const { trade, required, optional, ...kinds } = fields
  return trade({
    sell: required(kinds.amount, { doc: 'One slice.', example: '1 WETH' }),
    buy: required(kinds.token, { doc: 'What it is sold for.', example: 'USDC' }),
    price: optional(kinds.price, {
      doc: 'The least it accepts. The trigger of a `stop`, where a `trailing` begins to follow, the worst of a `balance`.',
      example: '3000 USDC per WETH',
      suggested: true,
      needs: ['limit', 'stop'],
      takes: ['trailing', 'balance'],
    }),
    every: required(kinds.seconds, { doc: 'How often it looks.', example: '5s' }),
    when: optional(kinds.choice('limit', 'take-profit', 'stop', 'trailing', 'balance'), {
      doc: 'Which bound; each has keys of its own: docs/THRESHOLD.md.',
      example: 'limit',
      default: 'limit',
      mode: true,
    }),
    entry: optional(kinds.price, {
      doc: 'The price of what is held, which a gain is counted from.',
      needs: ['take-profit'],
    }),
    gain: optional(kinds.share, {
      doc: 'How much more than `entry` the market must pay.',
      needs: ['take-profit'],
      rule: notZero('is nothing: write a limit.'),
    }),
    trail: optional(kinds.share, {
      doc: 'How far the market must fall from its best.',
      needs: ['trailing'],
      rule: partOfPrice,
    }),
    above: optional(kinds.soldAmount, {
      doc: 'What the wallet may hold: it sells what is above.',
      needs: ['balance'],
    }),
    minimum: optional(kinds.soldAmount, {
      doc: 'The least it sells above `above`.',
      default: { words: '`sell`' },
      takes: ['balance'],
    }),
    tolerance: optional(kinds.tolerance, {
      doc: 'How much less than indicated it accepts. At most 1000 bps.',
      needs: ['stop', 'trailing', 'balance'],
    }),
    confirmWithin: optional(kinds.share, {
      doc: 'How far the market may be from the middle of the independent sources, to either side.',
      default: confirmWithinUsual,
      takes: ['stop', 'trailing'],
    }),
    hysteresis: optional(kinds.share, {
      doc: 'How far the price must go back before the next slice.',
      example: '1 %',
      rule: (share) => (share < 10_000 ? undefined : partOfPrice(share)),
      takes: ['limit', 'take-profit', 'stop', 'trailing'],
    }),
    confirm: optional(kinds.votes, {
      doc: 'How many of the last looks must have met the bound, this one among them.',
      example: '2 of 3',
    }),
    ...order.keys(fields),
  })
}
type Params = ParamsOf<typeof keys>

/**
 * Sells slices when a bound is crossed: by the market (limit, take-profit, stop, trailing) or by the wallet (balance).
 *
 * A mode that waits for a price is held to it exactly. One that follows the market down is held to it less a tolerance,
 * and acts only where an independent reference says the same: a service that errs must not sell out a treasury.
 * A slice in flight blocks the next one, so a slow confirmation cannot turn one decision into two swaps.
 */
export default defineStrategy({
  name: 'threshold',
  summary: 'Sells slices when the market, or what the wallet holds, crosses a bound.',
  params: keys,
  schedule: ({ every }) => ({ kind: 'every', seconds: every }),

  watch: ({ sell, buy, when }) => [
    followsDown({ when }) ? { sell, buy, wants: ['reference'] } : { sell, buy },
  ],

  typicalSwaps: ({ params }) => [
    {
      ...{ sell: params.sell, buy: params.buy, price: boundOf(params).bound },
      // The others sell at their bound or better, and a trailing one has no bound yet.
      market: params.when === 'stop' ? params.price : undefined,
    },
  ],

  pricedByPerson: ({ when, price }) => !followsDown({ when }) && !(when === 'balance' && !price),

  decide(context) {
    const { params, slot, now, balances } = context
    const { sell, buy, when, confirm, every, limit, keep } = params
    const over = order.finished(context, params)
    if (over !== undefined) return wait(over)
    const market = believed(context)
    const isDoubted = typeof market === 'string'
    const mark = marked(context, isDoubted ? undefined : market)
    const { says, least }: Seen = isDoubted ? { says: market } : crossing(context, mark, market)

    const withinSeconds = (confirm?.of ?? 0) * every
    const yes = least !== undefined
    const vote = { yes, slot, at: now, withinSeconds }
    const votes = confirm && countVotes(context.memory, { ...confirm, ...vote })
    const memory = { ...mark.notes, ...votes?.memory }
    const noted = (decision: Decision) =>
      Object.keys(memory).length === 0 ? decision : remember(memory, decision)
    const still = (reason: string) => noted(wait(reason))
    const open = inFlight(context)
    const spare = heldAbove(balances, order.kept(params, params.above))
    const left = limit && leftOf(context, limit)
    const amount = minAmount(sell, left, when === 'balance' ? spare : undefined)
    const isShort = when === 'balance' ? !overflowing(context).met : spare.wei < amount.wei
    // In a period too: a wait says that all is well.
    if (open !== undefined || isDoubted)
      return isShort ? still(open ?? says) : noted(postpone(open ?? says))
    if (least === undefined) return still(says)
    if (mark.back !== undefined)
      return still(`${says} Sold before: armed again at ${wordsFor(mark.back).show(mark.back)}.`)
    const { enough, count, need, of } = votes ?? {}
    if (enough === false)
      return still(`${says} Seen ${count} of the ${need} times in ${of} it takes.`)

    const [holds, shown] = [show(held(balances, sell.token)), show(amount)]
    if (isShort)
      return keep === undefined
        ? still(`Holds ${holds}, less than the ${shown} to sell.`)
        : still(`Holds ${holds} and keeps ${show(keep)}: ${shown} would be too much.`)
    const floor = minimumAt(least, amount)
    return noted(swap({ sell: amount, buy, floor, reason: `${says} Accepts ${show(floor)}.` }))
  },
})

/** These modes follow the market down; the others wait for it to pay more. */
const followsDown = ({ when }: Pick<Params, 'when'>) => when === 'stop' || when === 'trailing'

/** The market, or why this look says nothing about it. A doubtful price moves no mark and confirms nothing. */
function believed({ params, indications, references: [reference] }: Context<Params>) {
  const { sell, confirmWithin = confirmWithinUsual } = params
  const market = paying(indications[0])
  if (market === undefined) return `No price for ${show(sell)}.`
  if (!followsDown(params)) return market
  return crossCheck(market, { reference, within: confirmWithin }) ?? market
}

/**
 * The state that lasts from tick to tick. After a fill it is not armed, and `back` is where the market has to go first;
 * `best` is the best price that it follows. Without a market that is believed, nothing moves.
 */
function marked(context: Context<Params>, market: Price | undefined) {
  const { params, memory } = context
  const { sell, when, price, hysteresis } = params
  // One of another pair that was booked from the chain is another strategy's.
  const totals = context.totals.filter(
    (total) => total.recovered !== true || isOfPair(total, params),
  )
  const swaps = countSwaps({ totals }, sell.token)
  const last = typeof memory?.swaps === 'number' ? memory.swaps : swaps
  const filled = swaps > last
  const back = backAt(context)
  const rise = market && back ? comparePrices(market, back) : 0
  const hasGoneBack = followsDown(params) ? rise >= 0 : rise <= 0
  const armed = !filled || (market !== undefined && hasGoneBack)
  // A fill ends what was followed. The best is never less than before.
  const known = filled ? undefined : recallPrice(memory, 'best', params)
  const follows = when === 'trailing' && armed && market !== undefined
  const begins = known || price === undefined || (market && comparePrices(market, price) >= 0)
  const best = follows && begins ? maxPrice(known ?? market, market) : known
  const counts = when === 'trailing' || hysteresis !== undefined
  const fills = counts ? { swaps: armed ? swaps : last } : {}
  const notes = { ...fills, ...(best && notePrice('best', best)) }
  return { back: armed ? undefined : back, best, notes }
}
type Mark = ReturnType<typeof marked>

/** Where the market has to go after a fill before it is armed again; undefined where it always is. */
function backAt({ params, fills }: Context<Params>): Price | undefined {
  const { when, hysteresis } = params
  if (hysteresis === undefined) return undefined
  const lastFill = fills.find(({ price }) => isOfPair(price, params))
  const from = when === 'trailing' ? lastFill?.price : boundOf(params).bound
  return from && shiftPrice(from, followsDown(params) ? hysteresis : -hysteresis)
}

/** The bound of the mode, and its name. */
function boundOf({ when = 'limit', price, entry, gain = 0, trail = 0 }: Params, best?: Price) {
  if (when === 'take-profit') return { name: 'target', bound: entry && shiftPrice(entry, gain) }
  if (when === 'trailing') return { name: 'stop', bound: best && shiftPrice(best, -trail) }
  return { name: { limit: 'price', stop: 'stop', balance: 'worst' }[when], bound: price }
}

/** What a look shows, and the least it accepts where the bound is crossed. */
type Seen = { readonly says: string; readonly least?: Price | undefined }

function crossing(context: Context<Params>, { back, best }: Mark, market: Price): Seen {
  const { params } = context
  const { when, price, tolerance = 0 } = params
  const overflow = when === 'balance' ? overflowing(context) : undefined
  if (overflow?.met === false) return overflow
  const about = shiftPrice(market, -tolerance)
  const { name, bound } = boundOf(params, best)
  const from = back ?? price
  const words = wordsFor(bound ?? from ?? market)
  const now = `${overflow ? `${overflow.says}; the` : 'The'} ${words.market(market)}`
  if (bound === undefined)
    return overflow
      ? { says: `${now}.`, least: about }
      : { says: `${now}: it is followed from ${words.show(from ?? market)} on.` }

  const after = best && when === 'trailing' ? ` after a best of ${words.show(best)}` : ''
  const says = `${now}, the ${name} is ${words.show(bound)}${after}`
  const [rise, gap] = [comparePrices(market, bound), showGap(market, bound)]
  if (followsDown(params))
    return rise > 0 ? { says: `${says}: ${gap} away.` } : { says: `${says}.`, least: about }
  if (rise < 0) return { says: `${says}: short by ${gap}.` }
  return { says: `${says}.`, least: overflow ? maxPrice(bound, about) : bound }
}

/** Whether the wallet holds enough above the bound to be worth a swap. */
function overflowing({ params, balances, ...own }: Context<Params>) {
  const { sell, minimum = sell, limit, above } = params
  const kept = order.kept(params, above)
  const least = minAmount(minimum, limit && leftOf(own, limit))
  const says = `Holds ${show(held(balances, sell.token))}, ${show(kept)} is enough`
  return heldAbove(balances, kept).wei < least.wei
    ? { met: false, says: `${says}: sells ${show(least)} or more above it.` }
    : { met: true, says }
}
