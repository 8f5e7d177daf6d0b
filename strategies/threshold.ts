import {
  type Amount,
  type Context,
  comparePrices,
  countVotes,
  crossCheck,
  type Decision,
  defineStrategy,
  differencePpm,
  held,
  leftOf,
  type Memory,
  minAmount,
  minimumAt,
  modeRules,
  type Price,
  remember,
  sameToken,
  shiftPrice,
  show,
  showPercent,
  swap,
  type Token,
  totalSold,
  type VoteCount,
  type Votes,
  wait,
  wordsFor,
} from '#strategy'

type Params = {
  /** One slice: what is sold at a time. */
  readonly sell: Amount
  readonly buy: Token
  readonly every: number
  readonly when?: 'limit' | 'take-profit' | 'stop' | 'trailing' | 'balance' | undefined
  /** The least (limit), the trigger (stop), where it begins to follow (trailing), the worst (balance). */
  readonly price?: Price | undefined
  readonly entry?: Price | undefined
  readonly gain?: number | undefined
  readonly trail?: number | undefined
  readonly above?: Amount | undefined
  readonly minimum?: Amount | undefined
  /** How much less than indicated it accepts, in basis points. */
  readonly tolerance?: number | undefined
  readonly confirmWithin?: number | undefined
  readonly hysteresis?: number | undefined
  readonly confirm?: Votes | undefined
  readonly repeat?: 'once' | 'always' | undefined
  readonly limit?: Amount | undefined
  /** Never sold; for the native token it also pays the gas. */
  readonly keep?: Amount | undefined
}

/** Independent sources and the service are rarely further apart in a market that works. */
const confirmWithinUsual = 100

/** Beyond a tenth, "about the market" has become "at any price". */
const toleranceMax = 1_000

const modes = {
  limit: { needs: ['price'], takes: ['hysteresis'] },
  'take-profit': { needs: ['entry', 'gain'], takes: ['hysteresis'] },
  stop: { needs: ['price', 'tolerance'], takes: ['confirmWithin', 'hysteresis'] },
  trailing: { needs: ['trail', 'tolerance'], takes: ['price', 'confirmWithin', 'hysteresis'] },
  balance: { needs: ['above', 'tolerance'], takes: ['price', 'minimum'] },
} as const

const only = modeRules<Params>(modes, ({ when = 'limit' }) => when)

/**
 * Sells slices when a bound is crossed: by the market (limit, take-profit, stop, trailing) or by the wallet (balance).
 *
 * What waits for a price is held to it exactly. What follows the market down is held to the market less a tolerance,
 * and acts only where an independent reference says the same: a service that errs must not sell out a treasury.
 * A slice in flight blocks the next one, so a slow confirmation cannot turn one decision into two swaps.
 */
export default defineStrategy<Params>({
  name: 'threshold',
  summary: 'Sells slices when the market, or what the wallet holds, crosses a bound.',
  example: `
sell: 1 WETH                # one slice
buy: USDC
price: 3000 USDC per WETH   # the least it accepts
every: 5s                   # how often it looks
# when: limit               # or take-profit, stop, trailing, balance, which need other keys: docs/STRATEGIES.md
# keep: 5 WETH              # never sold
# limit: 10 WETH            # the most that is ever sold
# repeat: once              # ends with the first; without it, slice after slice
# confirm: 2 of 3           # so many of the last looks must agree
# hysteresis: 1 %           # how far the price must go back before the next slice
`,

  params: ({ optional, ...fields }) =>
    fields.check(
      fields.trade({
        price: optional(fields.price),
        every: fields.seconds,
        keep: optional(fields.amount),
        when: optional(fields.choice('limit', 'take-profit', 'stop', 'trailing', 'balance')),
        entry: optional(fields.price),
        gain: optional(fields.share),
        trail: optional(fields.share),
        above: optional(fields.amount),
        minimum: optional(fields.amount),
        tolerance: optional(fields.bps),
        confirmWithin: optional(fields.share),
        hysteresis: optional(fields.share),
        confirm: optional(fields.votes),
        repeat: optional(fields.choice('once', 'always')),
        limit: optional(fields.amount),
      }),
      {
        price: only('price'),
        entry: only('entry'),
        gain: only('gain', ({ gain }) => (gain === 0 ? 'is nothing: write a limit.' : undefined)),
        trail: only('trail', ({ trail }) => (trail === 0 ? 'is nothing.' : undefined)),
        above: only('above', (params) => foreign(params, params.above)),
        minimum: only('minimum', (params) => foreign(params, params.minimum)),
        tolerance: only('tolerance', ({ tolerance = 0 }) =>
          tolerance <= toleranceMax ? undefined : `is more than ${toleranceMax} bps.`,
        ),
        confirmWithin: only('confirmWithin'),
        hysteresis: only('hysteresis'),
        limit: (params) => foreign(params, params.limit),
        keep: (params) => foreign(params, params.keep),
      },
    ),

  schedule: ({ every }) => ({ kind: 'every', seconds: every }),

  watch: ({ sell, buy, when }) => [
    when === 'stop' || when === 'trailing' ? { sell, buy, wants: ['reference'] } : { sell, buy },
  ],

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

const foreign = ({ sell }: Params, amount: Amount | undefined): string | undefined =>
  amount === undefined || sameToken(amount.token, sell.token)
    ? undefined
    : `is in ${amount.token.symbol}, but it sells ${sell.token.symbol}.`

/** Why there is nothing to do any more; from what was really sold. */
function finished({ params: { sell, repeat, limit }, totals }: Context<Params>) {
  const sold = totalSold({ totals, inflight: [] }, sell.token)
  if (repeat === 'once' && sold.wei > 0n)
    return `Sold ${show(sold)}: once was asked for. Another order takes another name.`
  if (limit !== undefined && sold.wei >= limit.wei)
    return `Sold ${show(sold)} of at most ${show(limit)}: finished.`
  return undefined
}

/** Why this look says nothing about the market. What is in doubt moves no mark and confirms nothing. */
function doubted({ params, indications: [market], references: [reference] }: Context<Params>) {
  const { sell, when, confirmWithin = confirmWithinUsual } = params
  if (market === undefined || market.bought.wei === 0n) return `No price for ${show(sell)}.`
  if (when !== 'stop' && when !== 'trailing') return undefined
  return crossCheck(market, { reference, within: confirmWithin })
}

/** What lasts from tick to tick: whether it is armed, since which fill, and the best price it follows. */
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
  const best = filled ? undefined : bestOf(context)
  const follows = params.when === 'trailing' && believed && armed
  return {
    armed,
    swaps: armed ? swaps : last,
    best: follows ? bestWith(context, best) : best,
  }
}

function bestOf({ params: { sell, buy }, memory }: Context<Params>): Price | undefined {
  const { bestSold, bestBought } = memory ?? {}
  if (typeof bestSold !== 'string' || typeof bestBought !== 'string') return undefined
  return {
    sold: { token: sell.token, wei: BigInt(bestSold) },
    bought: { token: buy, wei: BigInt(bestBought) },
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
    ...(best && { bestSold: `${best.sold.wei}`, bestBought: `${best.bought.wei}` }),
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

/** What is never sold. */
function keptOf({ sell: { token }, when, above, keep }: Params): Amount {
  const none = { token, wei: 0n }
  const [kept, enough] = [keep ?? none, when === 'balance' && above !== undefined ? above : none]
  return kept.wei > enough.wei ? kept : enough
}

function spareOf({ params, balances }: Context<Params>): Amount {
  const { token } = params.sell
  return { token, wei: held(balances, token).wei - keptOf(params).wei }
}
