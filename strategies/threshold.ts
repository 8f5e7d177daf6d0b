import {
  type Amount,
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
  maxOf,
  maxPrice,
  minAmount,
  minimumAt,
  notePrice,
  notZero,
  type ParamsOf,
  type Price,
  paying,
  recallPrice,
  remember,
  shiftPrice,
  show,
  showGap,
  swap,
  totalSold,
  type VoteCount,
  wait,
  wordsFor,
} from '#strategy'

/** Independent sources and the service are rarely further apart in a market that works. */
const confirmWithinUsual = 100

const keys = ({ trade, required, optional, ...kinds }: Fields) =>
  trade({
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
      doc: 'Which bound; each has keys of its own: docs/STRATEGIES.md.',
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
      rule: notZero('is nothing.'),
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
      takes: ['limit', 'take-profit', 'stop', 'trailing'],
    }),
    confirm: optional(kinds.votes, {
      doc: 'How many of the last looks must have met the bound, this one among them.',
      example: '2 of 3',
    }),
    repeat: optional(kinds.choice('once', 'always'), {
      doc: '`once` ends with the first swap that settled. Otherwise it sells slice after slice.',
      example: 'once',
      default: 'always',
    }),
    limit: optional(kinds.soldAmount, { doc: 'The most that is ever sold.', example: '10 WETH' }),
    keep: optional(kinds.soldAmount, {
      doc: 'Never sold. Of the native token it also pays the gas.',
      example: '5 WETH',
    }),
  })
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

  watch: (params) => {
    const { sell, buy } = params
    return [followsDown(params) ? { sell, buy, wants: ['reference'] } : { sell, buy }]
  },

  decide(context) {
    const { params, slot } = context
    const { confirm, every } = params
    const over = finished(context)
    if (over !== undefined) return wait(over)
    const market = believed(context)
    const isDoubted = typeof market === 'string'
    const mark = marked(context, isDoubted ? undefined : market)
    const seen = isDoubted ? { says: market } : crossing(context, { ...mark, market })
    const yes = seen.least !== undefined
    const withinSeconds = (confirm?.of ?? 0) * every
    const votes = confirm && countVotes(context.memory, { ...confirm, yes, slot, withinSeconds })
    const memory = { ...mark.notes, ...votes?.memory }
    const decision = answer(context, { ...seen, back: mark.back, votes })
    return Object.keys(memory).length === 0 ? decision : remember(memory, decision)
  },
})

/** These modes follow the market down; the others wait for it to pay more. */
const followsDown = ({ when }: Params) => when === 'stop' || when === 'trailing'

/** Why there is nothing to do any more; from what was really sold. */
function finished({ params: { sell, repeat, limit }, totals }: Context<Params>) {
  const sold = totalSold({ totals, inflight: [] }, sell.token)
  if (repeat === 'once' && sold.wei > 0n)
    return `Sold ${show(sold)}: once was asked for. Another order takes another name.`
  if (limit !== undefined && sold.wei >= limit.wei)
    return `Sold ${show(sold)} of at most ${show(limit)}: finished.`
  return undefined
}

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
  const swaps = countSwaps(context, sell.token)
  const last = typeof memory?.swaps === 'number' ? memory.swaps : swaps
  const filled = last !== swaps
  const back = backAt(context)
  const order = market && back ? comparePrices(market, back) : 0
  const hasGoneBack = followsDown(params) ? order >= 0 : order <= 0
  const armed = !filled || (market !== undefined && hasGoneBack)
  // A fill ends what was followed. The best is never less than before.
  const known = filled ? undefined : recallPrice(memory, 'best', params)
  const follows = when === 'trailing' && armed && market !== undefined
  const begins = follows && (price === undefined || comparePrices(market, price) >= 0)
  const best = follows && known ? maxPrice(known, market) : begins ? market : known
  const counts = when === 'trailing' || hysteresis !== undefined
  const notes = {
    ...(counts && { swaps: armed ? swaps : last }),
    ...(best && notePrice('best', best)),
  }
  return { back: armed ? undefined : back, best, notes }
}

/** Where the market has to go after a fill before it is armed again; undefined where it always is. */
function backAt({ params, fills }: Context<Params>): Price | undefined {
  const { when, hysteresis } = params
  if (hysteresis === undefined) return undefined
  const lastFill = fills.find(({ price }) => isOfPair(price, params))
  const from = when === 'trailing' ? lastFill?.price : boundOf(params)
  return from && shiftPrice(from, followsDown(params) ? hysteresis : -hysteresis)
}

function boundOf({ when, price, entry, gain = 0, trail = 0 }: Params, best?: Price) {
  if (when === 'take-profit') return entry && shiftPrice(entry, gain)
  return when === 'trailing' ? best && shiftPrice(best, -trail) : price
}

/** What a look shows, and the least it accepts where the bound is crossed. */
type Seen = { readonly says: string; readonly least?: Price | undefined }

/** How a bound is called that the market has to rise to. */
const boundNames = { limit: 'price', 'take-profit': 'target', balance: 'worst' }

function crossing(
  context: Context<Params>,
  { market, back, best }: { market: Price; back: Price | undefined; best: Price | undefined },
): Seen {
  const { params } = context
  const { when = 'limit', price, tolerance = 0 } = params
  const overflow = when === 'balance' ? overflowing(context) : undefined
  if (overflow?.met === false) return overflow
  const about = shiftPrice(market, -tolerance)
  const bound = boundOf(params, best)
  const from = back ?? price
  const words = wordsFor(bound ?? from ?? market)
  const now = `${overflow ? `${overflow.says}; the` : 'The'} ${words.market(market)}`
  if (bound === undefined)
    return overflow
      ? { says: `${now}.`, least: about }
      : { says: `${now}: it is followed from ${words.show(from ?? market)} on.` }

  const isDown = when === 'stop' || when === 'trailing'
  const after = best && when === 'trailing' ? ` after a best of ${words.show(best)}` : ''
  const says = `${now}, the ${isDown ? 'stop' : boundNames[when]} is ${words.show(bound)}${after}`
  const order = comparePrices(market, bound)
  if (isDown && order > 0) return { says: `${says}: ${showGap(market, bound)} away.` }
  if (!isDown && order < 0) return { says: `${says}: short by ${showGap(market, bound)}.` }
  return { says: `${says}.`, least: isDown ? about : overflow ? maxPrice(bound, about) : bound }
}

/** Whether the wallet holds enough above the bound to be worth a swap. */
function overflowing({ params, balances, ...own }: Context<Params>) {
  const { sell, minimum = sell, limit } = params
  const least = minAmount(minimum, limit && leftOf(own, limit))
  const says = `Holds ${show(held(balances, sell.token))}, ${show(keptOf(params))} is enough`
  return heldAbove(balances, keptOf(params)).wei < least.wei
    ? { met: false, says: `${says}: sells ${show(least)} or more above it.` }
    : { met: true, says }
}

type Answer = Seen & { readonly back: Price | undefined; readonly votes: VoteCount | undefined }

function answer(context: Context<Params>, { says, least, back, votes }: Answer): Decision {
  const { sell, buy, when, keep, limit } = context.params
  const open = inFlight(context)
  if (open !== undefined) return wait(open)
  if (least === undefined) return wait(says)
  if (back !== undefined)
    return wait(`${says} Sold before: armed again at ${wordsFor(back).show(back)}.`)
  if (votes?.enough === false)
    return wait(`${says} Seen ${votes.count} of the ${votes.need} times in ${votes.of} it takes.`)

  const spare = heldAbove(context.balances, keptOf(context.params))
  const left = limit && leftOf(context, limit)
  const amount = minAmount(sell, left, when === 'balance' ? spare : undefined)
  const floor = minimumAt(least, amount)
  if (spare.wei >= amount.wei)
    return swap({ sell: amount, buy, floor, reason: `${says} Accepts ${show(floor)}.` })
  const holds = `Holds ${show(held(context.balances, sell.token))}`
  return wait(
    keep === undefined
      ? `${holds}, less than the ${show(amount)} to sell.`
      : `${holds} and keeps ${show(keep)}: ${show(amount)} would be too much.`,
  )
}

/** The amount that is never sold. */
function keptOf({ sell: { token }, above, keep }: Params): Amount {
  return { token, wei: maxOf(keep?.wei ?? 0n, above?.wei ?? 0n) }
}
