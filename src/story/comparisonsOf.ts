import type { Context, Decision } from '../bot/stages.ts'
import { invertPrice, isPrice, type Price } from '../core/price.ts'
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
  context: Context<unknown>,
  decision: Decision,
): readonly Comparison[] {
  const { indications, references } = context
  const bounds = boundsIn(context, decision)
  return indications.flatMap((market, index): readonly Comparison[] => {
    if (market === undefined || market.sold.wei === 0n) return []
    const reference = references[index]
    const own: readonly Bound[] =
      reference === undefined ? [] : [{ name: 'reference', price: reference }]
    return [...bounds, ...own].flatMap((bound) => {
      const turned = alongside(bound, market)
      return turned === undefined
        ? []
        : {
            market: priceText(market),
            bound: bound.name,
            at: priceText(turned),
            apart: differenceOf(market, turned),
          }
    })
  })
}

/** The bounds of a decision that are of a market's pair, in its direction: what a chart draws beside its price. */
export const boundsOf = (
  context: Context<unknown>,
  decision: Decision,
  market: Price,
): readonly { readonly name: string; readonly price: Price }[] =>
  boundsIn(context, decision).flatMap((bound) => {
    const price = alongside(bound, market)
    return price === undefined ? [] : { name: bound.name, price }
  })

function boundsIn({ params, lastFill }: Context<unknown>, decision: Decision): readonly Bound[] {
  const floors =
    decision.kind !== 'swap'
      ? []
      : decision.intents.map(({ sell, floor }, index) => ({
          name: decision.intents.length === 1 ? 'floor' : `floor of intent ${index + 1}`,
          price: { sold: sell, bought: floor },
          oneWay: true as const,
        }))
  const last = lastFill === undefined ? [] : [{ name: 'last fill', price: lastFill.price }]
  return [...floors, ...pricesIn(params, 'params'), ...last]
}

/** The bound in the direction of the market; undefined where it is of another pair, or no price. */
function alongside({ price, oneWay }: Bound, market: Price): Price | undefined {
  const ways = oneWay === true ? [price] : [price, invertPrice(price)]
  const turned = ways.find((one) => isOf(one, market))
  return turned === undefined || turned.sold.wei === 0n || turned.bought.wei === 0n
    ? undefined
    : turned
}

const isOf = (price: Price, { sold, bought }: Price) =>
  sameToken(price.sold.token, sold.token) && sameToken(price.bought.token, bought.token)

/** Prices anywhere among the parameters, by the way to them. */
function pricesIn(value: unknown, path: string): readonly Bound[] {
  if (typeof value !== 'object' || value === null) return []
  if (isPrice(value)) return [{ name: path, price: value }]
  return Object.entries(value).flatMap(([key, part]) => pricesIn(part, `${path}.${key}`))
}
