import {
  type Amount,
  defineStrategy,
  held,
  minimumAt,
  type Schedule,
  show,
  swap,
  type Token,
  wait,
} from '#strategy'
import type { LoadedStrategy } from '../../../src/bot/strategy/load.ts'

type Params = {
  readonly sell: Amount
  readonly buy: Token
  readonly schedule: Schedule
  /** Of the sold token, for ever. */
  readonly budget?: Amount
  /** Milliseconds since the epoch. */
  readonly start?: number
  readonly end?: number
}

/** Sells the same at every slot until its budget is used up; the last slice is what is left of it. */
const strategy = defineStrategy<Params>({
  name: 'slicer',
  summary: 'Sells a slice at every slot.',
  params: () => {
    throw new Error('the tests make its parameters')
  },
  schedule: ({ schedule }) => schedule,
  watch: ({ sell, buy }) => [{ sell, buy }],
  decide({
    params: { sell, buy, budget, start = 0, end = Infinity },
    slot,
    indications,
    balances,
    totals,
  }) {
    const [market] = indications
    const sold = totals.reduce((sum, total) => sum + total.sold.wei, 0n)
    const left = budget === undefined ? sell.wei : budget.wei - sold
    const slice = left < sell.wei ? { ...sell, wei: left } : sell
    if (slot < start) return wait('It has not begun.')
    if (slot >= end) return wait('It is over.')
    if (slice.wei <= 0n) return wait('The budget is used up.')
    if (held(balances, sell.token).wei < slice.wei)
      return wait(`Holds ${show(held(balances, sell.token))}, less than ${show(slice)}.`)
    if (market === undefined) return wait('There is no price.')
    const floor = minimumAt(
      { ...market, sold: { ...market.sold, wei: market.sold.wei * 2n } },
      slice,
    )
    return swap({ sell: slice, buy, floor, reason: 'a slice' })
  },
})

/** As `loadStrategies` would load it. */
export function slicer(name: string, params: Params): LoadedStrategy {
  return {
    name,
    strategy: strategy as LoadedStrategy['strategy'],
    params,
    schedule: params.schedule,
    watches: [{ sell: params.sell, buy: params.buy }],
    priority: 0,
  }
}
