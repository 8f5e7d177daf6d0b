import type { Context, Decision } from '../bot/stages.ts'
import { invertPrice, type Price } from '../core/price.ts'
import { sameToken } from '../core/token.ts'
import { differenceOf, type PriceDifference, priceText } from './figures.ts'

/** One bound that the market's price was, or could have been, held to. */
export type Comparison = {
  readonly market: string
  /** `floor of intent 1`, `params.price`, `reference`. */
  readonly bound: string
  readonly at: string
  readonly apart: PriceDifference
}

type Bound = {
  readonly name: string
  readonly price: Price
  /** Of one direction only: what a sale accepts at least is no bound of the purchase. */
  readonly oneWay?: true
}

/**
 * The comparisons possible for any strategy: every price it was shown beside every bound of the same pair, which are
 * the floors of its intents, the prices among its parameters, the independent reference and its last fill.
 */
export function comparisonsOf(
  { indications, references, params, lastFill }: Context<unknown>,
  decision: Decision,
): readonly Comparison[] {
  const floors =
    decision.kind !== 'swap'
      ? []
      : decision.intents.map(({ sell, floor }, index) => ({
          name: decision.intents.length === 1 ? 'floor' : `floor of intent ${index + 1}`,
          price: { sold: sell, bought: floor },
          oneWay: true as const,
        }))
  const last = lastFill === undefined ? [] : [{ name: 'last fill', price: lastFill.price }]
  const bounds: readonly Bound[] = [...floors, ...pricesIn(params, 'params'), ...last]
  return indications.flatMap((market, index): readonly Comparison[] => {
    if (market === undefined || market.sold.wei === 0n) return []
    const reference = references[index]
    const own: readonly Bound[] =
      reference === undefined ? [] : [{ name: 'reference', price: reference }]
    return [...bounds, ...own].flatMap(({ name, price, oneWay }) => {
      const ways = oneWay === true ? [price] : [price, invertPrice(price)]
      const turned = ways.find((one) => isOf(one, market))
      if (turned === undefined || turned.sold.wei === 0n || turned.bought.wei === 0n) return []
      return {
        market: priceText(market),
        bound: name,
        at: priceText(turned),
        apart: differenceOf(market, turned),
      }
    })
  })
}

const isOf = (price: Price, { sold, bought }: Price) =>
  sameToken(price.sold.token, sold.token) && sameToken(price.bought.token, bought.token)

/** Prices anywhere among the parameters, by the way to them. */
function pricesIn(value: unknown, path: string): readonly Bound[] {
  if (typeof value !== 'object' || value === null) return []
  if (isPrice(value)) return [{ name: path, price: value }]
  return Object.entries(value).flatMap(([key, part]) => pricesIn(part, `${path}.${key}`))
}

function isPrice(value: object): value is Price {
  return (
    'sold' in value &&
    'bought' in value &&
    [value.sold, value.bought].every((side) => isAmount(side))
  )
}

const isAmount = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  'wei' in value &&
  typeof value.wei === 'bigint' &&
  'token' in value
