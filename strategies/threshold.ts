import {
  type Amount,
  comparePrices,
  defineStrategy,
  held,
  minimumAt,
  type Price,
  sameToken,
  show,
  swap,
  type Token,
  wait,
} from '#strategy'

type Params = {
  readonly sell: Amount
  readonly buy: Token
  /** The least one sold unit has to bring. */
  readonly price: Price
  readonly every: number
  /** Never sold; for the native token it also pays the gas. */
  readonly keep?: Amount | undefined
}

/**
 * Sells one slice whenever the market pays at least the price.
 *
 * A slice in flight blocks the next one, so a slow confirmation cannot turn one decision into two swaps.
 */
export default defineStrategy<Params>({
  name: 'threshold',
  summary: 'Sells one slice whenever the market pays at least a price.',

  params: (fields) =>
    fields.check(
      fields.trade({
        price: fields.price,
        every: fields.seconds,
        keep: fields.optional(fields.amount),
      }),
      {
        keep: ({ keep, sell }) =>
          keep === undefined || sameToken(keep.token, sell.token)
            ? undefined
            : `keeps ${keep.token.symbol}, but it sells ${sell.token.symbol}.`,
      },
    ),

  schedule: ({ every }) => ({ kind: 'every', seconds: every }),

  watch: ({ sell, buy }) => [{ sell, buy }],

  decide({ params: { sell, buy, price, keep }, indications: [market], balances, inflight }) {
    const [open] = inflight
    const holds = held(balances, sell.token)
    const kept = keep?.wei ?? 0n
    const floor = minimumAt(price, sell)

    if (open !== undefined) return wait(`Swap ${open.swapId} of ${show(open.sell)} is in flight.`)
    if (holds.wei - kept < sell.wei)
      return wait(
        keep === undefined
          ? `Holds ${show(holds)}, less than the ${show(sell)} to sell.`
          : `Holds ${show(holds)} and keeps ${show(keep)}: ${show(sell)} would be too much.`,
      )
    if (market === undefined) return wait(`No price for ${show(sell)}.`)
    if (comparePrices(market, price) < 0)
      return wait(`${show(sell)} brings ${show(market.bought)}, below ${show(floor)}.`)

    const reason = `${show(sell)} brings ${show(market.bought)}, at least ${show(floor)}.`
    return swap({ sell, buy, floor, reason })
  },
})
