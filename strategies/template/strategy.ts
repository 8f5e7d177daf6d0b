import {
  defineStrategy,
  type Fields,
  floorFor,
  held,
  inFlight,
  type ParamsOf,
  postpone,
  readMarket,
  show,
  swap,
  type Watch,
  wait,
} from '#strategy'

const keys = ({ trade, required, ...kinds }: Fields) =>
  trade({
    sell: required(kinds.amount, { doc: 'The amount of one swap.', example: '1 WETH' }),
    buy: required(kinds.token, { doc: 'What it is sold for.', example: 'USDC' }),
    every: required(kinds.seconds, { doc: 'How often it looks.', example: '1h' }),
    tolerance: required(kinds.tolerance, {
      doc: 'How much less than indicated it accepts. At most 1000 bps.',
      example: '50 bps',
    }),
  })
type Params = ParamsOf<typeof keys>

const watchOf = ({ sell, buy }: Params): Watch => ({ sell, buy })

/** Say in one sentence what it trades, when, and at what price at least. */
export default defineStrategy({
  name: 'my-strategy',
  summary: 'Sells one amount at every slot.',
  writtenFor: '1.2.0',
  params: keys,

  schedule: ({ every }) => ({ kind: 'every', seconds: every }),

  watch: (params) => [watchOf(params)],

  decide(context) {
    const { sell, buy, tolerance } = context.params
    const watched = { watch: watchOf(context.params), place: 0, maxDeviation: undefined }
    const market = inFlight(context) ?? readMarket(context, watched)
    if (typeof market === 'string') return postpone(market)
    const balance = held(context.balances, sell.token)
    if (balance.wei < sell.wei) return wait(`The wallet holds ${show(balance)}.`)
    return swap({ sell, buy, floor: floorFor(market, sell, tolerance), reason: 'The slot is due.' })
  },
})
