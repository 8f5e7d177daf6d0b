import type { Amount } from '../../core/amount.ts'
import { divideUp } from '../../core/decimal.ts'
import { assetOf, oneWhole, sameToken, type Token } from '../../core/token.ts'
import type { BookEntry, BookedFill, BookFacts } from './bookFacts.ts'

type Worth = Pick<BookEntry, 'worth' | 'by'>

/** A price: so much was worth so much, in the unit of account. */
type Point = { readonly at: number; readonly wei: bigint; readonly worth: bigint }

const unknown: Worth = { worth: undefined, by: undefined }

/**
 * Values amounts in the unit of account: swaps by their quotes, all else at the price of the nearest instant that has one, a
 * valuation or a fill; of two as near the later. Rounded down once; gas, which is a cost, up.
 */
export function createWorths({ unit, coin, valuations, fills }: BookFacts) {
  const points = pointsOf({ unit, coin, valuations, fills })
  const nearest = (token: Token, at: number): Point | undefined => {
    const own = points.get(keyOf(token)) ?? []
    let [low, high] = [0, own.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((own[middle]?.at ?? 0) < at) low = middle + 1
      else high = middle
    }
    const [before, after] = [own[low - 1], own[low]]
    if (before === undefined || after === undefined) return after ?? before
    return after.at - at <= at - before.at ? after : before
  }
  function keyOf(token: Token): string {
    return assetOf(token, coin).address.toLowerCase()
  }
  const of = ({ token, wei }: Amount, at: number): Worth => {
    if (sameToken(token, unit)) return { worth: wei, by: 'unit' }
    const point = nearest(token, at)
    return point === undefined
      ? unknown
      : { worth: (wei * point.worth) / point.wei, by: 'valuation' }
  }
  return {
    of,
    ofSwap(fill: BookedFill | undefined, sold: Amount, at: number): Worth {
      if (fill?.worth !== undefined) return { worth: fill.worth.wei, by: fill.worth.by }
      const bySold = of(sold, at)
      return bySold.worth !== undefined || fill?.received === undefined
        ? bySold
        : of(fill.received, at)
    },
    ofGas(fill: BookedFill | undefined, gas: Amount, at: number): Worth {
      if (sameToken(gas.token, unit)) return { worth: gas.wei, by: 'unit' }
      // Its quote says nothing of what an approval cost that came later.
      if (fill?.coin !== undefined && at <= fill.ended)
        return { worth: divideUp(gas.wei * fill.coin, oneWhole(gas.token)), by: 'quote' }
      const point = nearest(gas.token, at)
      return point === undefined
        ? unknown
        : { worth: divideUp(gas.wei * point.worth, point.wei), by: 'valuation' }
    },
  }
}

/** Every price that is known, by token and in the order of time; the coin's two names have one. */
function pointsOf({
  unit,
  coin,
  valuations,
  fills,
}: Pick<BookFacts, 'unit' | 'coin' | 'valuations' | 'fills'>): ReadonlyMap<string, Point[]> {
  const points = new Map<string, Point[]>()
  const note = (at: number, held: Amount | undefined, worth: bigint | undefined) => {
    if (held === undefined || worth === undefined || held.wei === 0n) return
    const key = assetOf(held.token, coin).address.toLowerCase()
    const own = points.get(key) ?? []
    own.push({ at, wei: held.wei, worth })
    points.set(key, own)
  }
  for (const { at, unit: own, holdings } of valuations)
    if (sameToken(own, unit)) for (const { held, worth } of holdings) note(at, held, worth?.wei)
  for (const { ended, sold, received, worth } of fills.values()) {
    // What was taken has no price.
    if (received?.wei === 0n) continue
    note(ended, sold, worth?.wei)
    note(ended, received, worth?.wei)
  }
  for (const [key, own] of points) {
    // Dust is worth a rounded unit or none: no price, unless there is no other.
    const fine = own.filter(({ worth }) => worth >= fineFrom)
    points.set(
      key,
      (fine.length > 0 ? fine : own).toSorted((a, b) => a.at - b.at),
    )
  }
  return points
}

/** Smallest units of worth of which one more or less is a hundredth of a percent. */
const fineFrom = 10_000n
