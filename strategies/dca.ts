import {
  type Amount,
  comparePrices,
  defineStrategy,
  held,
  minimumAt,
  type Price,
  show,
  swap,
  type Token,
  wait,
} from '#strategy'

type Params = {
  readonly sell: Amount
  readonly buy: Token
  readonly cron: string
  readonly timeZone: string
  /** How much less than indicated it accepts, in basis points. */
  readonly tolerance: number
  /** The worst price it ever accepts, whatever the market says. */
  readonly price?: Price | undefined
  /** How long after its slot it still buys; one hour when not given. */
  readonly late?: number | undefined
}

/** A slot missed by more than this is skipped: yesterday's purchase is not today's. */
const lateSeconds = 3_600

/** Beyond a tenth, "about the market" has become "at any price". */
const toleranceMax = 1_000

/**
 * Sells the same amount at every slot of a calendar, at about the market.
 *
 * The floor is the indicated amount less the tolerance, and never below the worst price where one is given.
 */
export default defineStrategy<Params>({
  name: 'dca',
  summary: 'Sells the same amount at every slot of a calendar, at about the market.',

  params: (fields) =>
    fields.check(
      fields.trade({
        cron: fields.cron,
        timeZone: fields.timeZone,
        tolerance: fields.bps,
        price: fields.optional(fields.price),
        late: fields.optional(fields.seconds),
      }),
      {
        tolerance: ({ tolerance }) =>
          tolerance <= toleranceMax ? undefined : `is more than ${toleranceMax} bps.`,
      },
    ),

  schedule: ({ cron, timeZone }) => ({ kind: 'cron', expression: cron, timeZone }),

  watch: ({ sell, buy }) => [{ sell, buy }],

  decide({ params, now, slot, indications: [market], balances, inflight }) {
    const { sell, buy, tolerance, price, late = lateSeconds } = params
    const [open] = inflight
    const holds = held(balances, sell.token)
    const day = new Date(slot).toISOString()

    if (now - slot > late * 1_000)
      return wait(`The slot of ${day} is over: more than ${late} s have passed.`)
    if (open !== undefined) return wait(`Swap ${open.swapId} of ${show(open.sell)} is in flight.`)
    if (holds.wei < sell.wei)
      return wait(`Holds ${show(holds)}, less than the ${show(sell)} to sell.`)
    if (market === undefined || market.bought.wei === 0n) return wait(`No price for ${show(sell)}.`)
    if (price !== undefined && comparePrices(market, price) < 0)
      return wait(
        `${show(sell)} brings ${show(market.bought)}, below ${show(minimumAt(price, sell))}.`,
      )

    const about = lessBps(market.bought, tolerance)
    const worst = price === undefined ? about : minimumAt(price, sell)
    const floor = about.wei > worst.wei ? about : worst
    const reason = `Slot ${day}: ${show(sell)} brings ${show(market.bought)}, accepts ${show(floor)}.`
    return swap({ sell, buy, floor, reason })
  },
})

/** Rounds up: as a minimum it favours the seller. */
function lessBps({ token, wei }: Amount, bps: number): Amount {
  return { token, wei: (wei * BigInt(10_000 - bps) + 9_999n) / 10_000n }
}
