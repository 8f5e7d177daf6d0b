import { toText } from '../core/amount.ts'
import type { PlannedMonth } from '../dashboard/planView.ts'
import type { Zone } from './createZone.ts'
import type { Course } from './forecastTypes.ts'
import { createTally } from './groupAsks.ts'

/** What a strategy would do in each month in which it does anything. */
export function monthsOf({
  loaded,
  asks,
  zone,
}: Course & { readonly zone: Zone }): readonly PlannedMonth[] {
  const months = new Map<string, typeof asks>()
  for (const ask of asks) {
    const month = new Date(ask.at + zone.offsetAt(ask.at)).toISOString().slice(0, 7)
    months.set(month, [...(months.get(month) ?? []), ask])
  }
  return [...months].flatMap(([month, some]): PlannedMonth[] => {
    const swaps = some.flatMap((ask) => ask.swaps.filter(({ blocks }) => blocks.length === 0))
    if (swaps.length === 0) return []
    const [sold, received, impact, gas] = [
      createTally(),
      createTally(),
      createTally(),
      createTally(),
    ]
    for (const swap of swaps) {
      sold.add(swap.sell)
      if (swap.received !== undefined) received.add(swap.received)
      if (swap.received !== undefined && swap.atBest !== undefined)
        impact.add({ ...swap.atBest, wei: swap.atBest.wei - swap.received.wei })
      if (swap.gas !== undefined) gas.add(swap.gas)
    }
    const [paid] = gas.all()
    return [
      {
        month,
        strategy: loaded.name,
        swaps: swaps.length,
        sold: sold.all().map(toText),
        received: received.all().map(toText),
        impact: impact.all().map(toText),
        gas: paid === undefined ? null : toText(paid),
      },
    ]
  })
}
