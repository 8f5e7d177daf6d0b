import { type Amount, show } from '../core/amount.ts'
import { differencePpm, type Price, showPrice } from '../core/price.ts'
import { sameToken, type Token } from '../core/token.ts'
import type { Zone } from './createZone.ts'
import type { Course, Known } from './forecastTypes.ts'

/**
 * What parameters that every reader understands come to: how far the market is from each price among them, and what
 * becomes of a budget. A strategy that has neither has no facts.
 */
export function factsOf(course: Course & { readonly zone: Zone }, known: Known): readonly string[] {
  const { params } = course.loaded
  if (typeof params !== 'object' || params === null) return []
  return Object.entries(params).flatMap(([key, value]: [string, unknown]) => {
    if (isPrice(value)) return distance(key, value, { course, known })
    if (key === 'budget' && isAmount(value)) return [burnDown(value, { course, known })]
    return []
  })
}

type Around = { readonly course: Course & { readonly zone: Zone }; readonly known: Known }

function distance(key: string, price: Price, { course, known }: Around): readonly string[] {
  const market = known.views
    .get(course.loaded.name)
    ?.indications.find(
      (one) =>
        one !== undefined &&
        sameToken(one.sold.token, price.sold.token) &&
        sameToken(one.bought.token, price.bought.token),
    )
  if (market === undefined)
    return [`${key}: ${showPrice(price)}; what the market pays is not known.`]
  const ppm = differencePpm(market, price)
  const size = (Math.abs(Number(ppm)) / 10_000).toFixed(2)
  const side = ppm < 0n ? `${size} % below it` : `${size} % above it`
  return [`${key}: ${showPrice(price)}; the market pays ${showPrice(market)}, ${side}.`]
}

/** What was sold before counts: a budget is for the life of the strategy. */
function burnDown(budget: Amount, { course, known }: Around): string {
  const isOf = (token: Token) => sameToken(token, budget.token)
  const before = known
    .standing(course.loaded.name)
    .totals.filter(({ sold }) => isOf(sold.token))
    .reduce((sum, { sold }) => sum + sold.wei, 0n)
  const spends = course.asks.flatMap(({ at, swaps }) =>
    swaps
      .filter(({ sell, blocks }) => isOf(sell.token) && blocks.length === 0)
      .map(({ sell }) => ({ at, wei: sell.wei })),
  )
  const planned = spends.reduce((sum, { wei }) => sum + wei, 0n)
  const amount = (wei: bigint) => show({ ...budget, wei })
  const head = `budget: ${show(budget)}, ${amount(before)} spent before, ${amount(planned)} planned`
  const left = budget.wei - before - planned
  const last = spends.at(-1)
  if (left > 0n || last === undefined) return `${head}, ${amount(left)} left at the end.`
  return `${head}; used up on ${course.zone.show(last.at)}, its last slice ${amount(last.wei)}.`
}

const isAmount = (value: unknown): value is Amount => {
  const { token, wei } = (value ?? {}) as Partial<Amount>
  return typeof wei === 'bigint' && typeof token?.address === 'string'
}

const isPrice = (value: unknown): value is Price => {
  const { sold, bought } = (value ?? {}) as Partial<Price>
  return isAmount(sold) && isAmount(bought)
}
