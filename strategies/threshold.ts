import {
  type Amount,
  type Context,
  comparePrices,
  countVotes,
  crossCheck,
  type Decision,
  defineStrategy,
  differencePpm,
  type Fields,
  held,
  leftOf,
  type Memory,
  minAmount,
  minimumAt,
  notePrice,
  type ParamsOf,
  type Price,
  recallPrice,
  remember,
  sameToken,
  shiftPrice,
  show,
  showPercent,
  swap,
  totalSold,
  type VoteCount,
  wait,
  wordsFor,
} from '#strategy'

/** Independent sources and the service are rarely further apart in a market that works. */
const confirmWithinUsual = 100

const isMore = (word: string) => (share: number) => (share === 0 ? word : undefined)

const keys = ({ trade, required, optional, ...kinds }: Fields) => {
  const { amount, soldAmount, token, price, share, tolerance, seconds, choice, votes } = kinds
  return trade({
    sell: required(amount, { doc: 'One slice.', example: '1 WETH' }),
    buy: required(token, { doc: 'What it is sold for.', example: 'USDC' }),
    price: optional(price, {
      doc: 'The least it accepts. The trigger of a `stop`, where a `trailing` begins to follow, the worst of a `balance`.',
      example: '3000 USDC per WETH',
      suggested: true,
      needs: ['limit', 'stop'],
      takes: ['trailing', 'balance'],
    }),
    every: required(seconds, { doc: 'How often it looks.', example: '5s' }),
    when: optional(choice('limit', 'take-profit', 'stop', 'trailing', 'balance'), {
      doc: 'Which bound; each has keys of its own: docs/STRATEGIES.md.',
      example: 'limit',
      default: 'limit',
      mode: true,
    }),
    entry: optional(price, {
      doc: 'The price of what is held, which a gain is counted from.',
      needs: ['take-profit'],
    }),
    gain: optional(share, {
      doc: 'How much more than `entry` the market must pay.',
      needs: ['take-profit'],
      rule: isMore('is nothing: write a limit.'),
    }),
    trail: optional(share, {
      doc: 'How far the market must fall from its best.',
      needs: ['trailing'],
      rule: isMore('is nothing.'),
    }),
    above: optional(soldAmount, {
      doc: 'What the wallet may hold: it sells what is above.',
      needs: ['balance'],
    }),
    minimum: optional(soldAmount, {
      doc: 'The least it sells above `above`.',
      default: { words: '`sell`' },
      takes: ['balance'],
    }),
    tolerance: optional(tolerance, {
      doc: 'How much less than indicated it accepts. At most 1000 bps.',
      needs: ['stop', 'trailing', 'balance'],
    }),
    confirmWithin: optional(share, {
      doc: 'How far the market may be from the middle of the independent sources, to either side.',
      default: confirmWithinUsual,
      takes: ['stop', 'trailing'],
    }),
    hysteresis: optional(share, {
      doc: 'How far the price must go back before the next slice.',
      example: '1 %',
      takes: ['limit', 'take-profit', 'stop', 'trailing'],
    }),
    confirm: optional(votes, {
      doc: 'How many of the last looks must have met the bound, this one among them.',
      example: '2 of 3',
    }),
    repeat: optional(choice('once', 'always'), {
      doc: '`once` ends with the first swap that settled. Otherwise it sells slice after slice.',
      example: 'once',
      default: 'always',
    }),
    limit: optional(soldAmount, { doc: 'The most that is ever sold.', example: '10 WETH' }),
    keep: optional(soldAmount, {
      doc: 'Never sold. Of the native token it also pays the gas.',
      example: '5 WETH',
    }),
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
    when === 'stop' || when === 'trailing' ? { sell, buy, wants: ['reference'] } : { sell, buy },
  ],

  // A stop and a trailing bound follow the market: their floor is the market's, less a tolerance.
  pricedByPerson: ({ when = 'limit', price }) =>
    when === 'limit' || when === 'take-profit' || (when === 'balance' && price !== undefined),

  decide(context) {
    const over = finished(context)
    if (over !== undefined) return wait(over)
    const doubt = doubted(context)
    const mark = marked(context, doubt === undefined)
    const seen = doubt === undefined ? crossing(context, mark) : { met: false, says: doubt }
    const { confirm, every } = context.params
    const votes =
      confirm &&
      countVotes(context.memory, {
        ...confirm,
        yes: seen.met,
        slot: context.slot,
        withinSeconds: confirm.of * every,
      })
    const memory = { ...remembered(context.params, mark), ...votes?.memory }
    const decision = answer(context, { ...seen, ...mark, votes })
    return Object.keys(memory).length === 0 ? decision : remember(memory, decision)
  },
})

/** Why there is nothing to do any more; from what was really sold. */
function finished({ params: { sell, repeat, limit }, totals }: Context<Params>) {
  const sold = totalSold({ totals, inflight: [] }, sell.token)
  if (repeat === 'once' && sold.wei > 0n)
    return `Sold ${show(sold)}: once was asked for. Another order takes another name.`
  if (limit !== undefined && sold.wei >= limit.wei)
    return `Sold ${show(sold)} of at most ${show(limit)}: finished.`
  return undefined
}

/** Why this look says nothing about the market. A doubtful price moves no mark and confirms nothing. */
function doubted({ params, indications: [market], references: [reference] }: Context<Params>) {
  const { sell, when, confirmWithin = confirmWithinUsual } = params
  if (market === undefined || market.bought.wei === 0n) return `No price for ${show(sell)}.`
  if (when !== 'stop' && when !== 'trailing') return undefined
  return crossCheck(market, { reference, within: confirmWithin })
}

/** The state that lasts from tick to tick: whether it is armed, since which fill, and the best price it follows. */
type Mark = { readonly armed: boolean; readonly swaps: number; readonly best: Price | undefined }

function marked(context: Context<Params>, believed: boolean): Mark {
  const { params, totals, memory } = context
  const { swaps: known } = memory ?? {}
  const swaps = totals
    .filter(({ sold }) => sameToken(sold.token, params.sell.token))
    .reduce((sum, total) => sum + total.swaps, 0)
  const last = typeof known === 'number' ? known : swaps
  const filled = last !== swaps
  const armed = !filled || (believed && hasGoneBack(context))
  // A fill ends what was followed.
  const best = filled ? undefined : recallPrice(memory, 'best', params)
  const follows = params.when === 'trailing' && believed && armed
  return {
    armed,
    swaps: armed ? swaps : last,
    best: follows ? bestWith(context, best) : best,
  }
}

/** Never less than before. */
function bestWith({ params: { price }, indications: [market] }: Context<Params>, best?: Price) {
  if (market === undefined) return best
  if (best !== undefined) return comparePrices(market, best) > 0 ? market : best
  return price === undefined || comparePrices(market, price) >= 0 ? market : undefined
}

function remembered({ when, hysteresis }: Params, { swaps, best }: Mark): Memory {
  return {
    ...(when === 'trailing' || hysteresis !== undefined ? { swaps } : {}),
    ...(best && notePrice('best', best)),
  }
}

function hasGoneBack(context: Context<Params>): boolean {
  const [market] = context.indications
  const back = backAt(context)
  if (back === undefined || market === undefined) return back === undefined
  const order = comparePrices(market, back)
  return waitsForMore(context.params) ? order <= 0 : order >= 0
}

/** Where the market has to go after a fill before it is armed again; undefined where it always is. */
function backAt({ params, fills }: Context<Params>): Price | undefined {
  const { sell, buy, when, hysteresis } = params
  if (hysteresis === undefined) return undefined
  const lastFill = fills.find(
    ({ price: { sold, bought } }) =>
      sameToken(sold.token, sell.token) && sameToken(bought.token, buy),
  )
  const from = when === 'trailing' ? lastFill?.price : boundOf(params)
  return from && shiftPrice(from, waitsForMore(params) ? -hysteresis : hysteresis)
}

const waitsForMore = ({ when = 'limit' }: Params) => when === 'limit' || when === 'take-profit'

function boundOf({ when, price, entry, gain = 0, trail = 0 }: Params, best?: Price) {
  if (when === 'take-profit') return entry && shiftPrice(entry, gain)
  return when === 'trailing' ? best && shiftPrice(best, -trail) : price
}

type Seen = {
  readonly met: boolean
  readonly says: string
  /** The least it accepts where it is met. */
  readonly least?: Price | undefined
}

function crossing(context: Context<Params>, { armed, best }: Mark): Seen {
  const { params, indications } = context
  const [market] = indications
  const { when, price, tolerance = 0 } = params
  if (market === undefined) return { met: false, says: 'No price.' }
  const about = shiftPrice(market, -tolerance)
  if (when === 'balance') return overflowing(context, { market, about })

  const bound = boundOf(params, best)
  const from = armed ? price : backAt(context)
  const { verb, show: say } = wordsFor(bound ?? from ?? market)
  const now = `The market ${verb} ${say(market)}`
  if (bound === undefined)
    return { met: false, says: `${now}: it is followed from ${say(from ?? market)} on.` }

  const more = waitsForMore(params)
  const order = comparePrices(market, bound)
  const met = more ? order >= 0 : order <= 0
  const name = { limit: 'price', 'take-profit': 'target', stop: 'stop', trailing: 'stop' }
  const after = best && when === 'trailing' ? ` after a best of ${say(best)}` : ''
  const missing = showPercent(differencePpm(market, bound))
  const gap = met ? '' : more ? `: short by ${missing}` : `: ${missing} away`
  const says = `${now}, the ${name[when ?? 'limit']} is ${say(bound)}${after}${gap}.`
  return { met, says, least: more ? bound : about }
}

/** Whether the wallet holds enough above the bound to be worth a swap, and the market is good enough for it. */
function overflowing(
  context: Context<Params>,
  { market, about }: { readonly market: Price; readonly about: Price },
): Seen {
  const { params, balances } = context
  const { sell, minimum = sell, price, limit } = params
  const holds = `Holds ${show(held(balances, sell.token))}, ${show(keptOf(params))} is enough`
  const from = minAmount(minimum, limit && leftOf(context, limit))
  if (spareOf(context).wei < from.wei)
    return { met: false, says: `${holds}: sells ${show(from)} or more above it.` }

  const { verb, show: say } = wordsFor(price ?? market)
  const now = `${holds}; the market ${verb} ${say(market)}`
  if (price === undefined) return { met: true, says: `${now}.`, least: about }
  const worst = `${now}, the worst is ${say(price)}`
  if (comparePrices(market, price) < 0)
    return { met: false, says: `${worst}: short by ${showPercent(differencePpm(market, price))}.` }
  return { met: true, says: `${worst}.`, least: comparePrices(about, price) < 0 ? price : about }
}

function answer(
  context: Context<Params>,
  { met, says, least, armed, votes }: Seen & Mark & { readonly votes: VoteCount | undefined },
): Decision {
  const { params, balances, inflight } = context
  const { sell, buy, when, keep, limit } = params
  const [open] = inflight
  if (open !== undefined) return wait(`Swap ${open.swapId} of ${show(open.sell)} is in flight.`)
  if (!met || least === undefined) return wait(says)
  const back = backAt(context)
  if (!armed && back !== undefined)
    return wait(`${says} Sold before: armed again at ${wordsFor(back).show(back)}.`)
  if (votes?.enough === false)
    return wait(`${says} Seen ${votes.count} of the ${votes.need} times in ${votes.of} it takes.`)

  const spare = spareOf(context)
  const amount = minAmount(
    sell,
    limit && leftOf(context, limit),
    when === 'balance' ? spare : undefined,
  )
  if (spare.wei < amount.wei) {
    const holds = show(held(balances, sell.token))
    return wait(
      keep === undefined
        ? `Holds ${holds}, less than the ${show(amount)} to sell.`
        : `Holds ${holds} and keeps ${show(keep)}: ${show(amount)} would be too much.`,
    )
  }
  const floor = minimumAt(least, amount)
  return swap({ sell: amount, buy, floor, reason: `${says} Accepts ${show(floor)}.` })
}

/** The amount that is never sold. */
function keptOf({ sell: { token }, when, above, keep }: Params): Amount {
  const none = { token, wei: 0n }
  const [kept, enough] = [keep ?? none, when === 'balance' && above !== undefined ? above : none]
  return kept.wei > enough.wei ? kept : enough
}

function spareOf({ params, balances }: Context<Params>): Amount {
  const { token } = params.sell
  return { token, wei: held(balances, token).wei - keptOf(params).wei }
}
