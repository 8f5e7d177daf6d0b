import type { Amount } from '../../core/amount.ts'
import { minimumAt, type Price } from '../../core/price.ts'
import { sameToken, type Token } from '../../core/token.ts'
import type { Context, Watch } from './strategy.ts'
import type { Market } from './market.ts'
import { middlePrice } from './middlePrice.ts'
import { type Asset, isOf, type Portfolio, sumOf, worthOf } from './portfolio.ts'
import { readMarket } from './readMarket.ts'

type Given = {
  readonly assets: readonly Omit<Asset, 'price' | 'value'>[]
  /** What everything is counted in: one of the assets, watched with every other in both directions. */
  readonly hub: Token
  /** The strategy's own. */
  readonly watches: readonly Watch[]
  readonly maxDeviation: number | undefined
}

type Find = (sell: Token, buy: Token) => Market | string

/**
 * What there is and what it is worth, or a sentence why that cannot be said: by the references where they are watched,
 * otherwise by the middle of both directions. One price that is missing or in doubt is enough to know nothing.
 */
export function readPortfolio(context: Context<unknown>, given: Given): Portfolio | string {
  const { hub } = given
  const find = finder(context, given)
  const assets: Asset[] = []
  for (const asset of given.assets) {
    const price = priceOf(asset.token, { hub, find })
    if (typeof price === 'string') return price
    const priced = { ...asset, price, value: 0n }
    assets.push({ ...priced, value: worthOf(priced, sumOf(priced)) })
  }
  const whole = assets.reduce((sum, { value }) => sum + value, 0n)
  if (whole === 0n) return 'There is nothing to keep in balance.'
  return {
    assets,
    hub: assets.findIndex(({ token }) => sameToken(token, hub)),
    whole,
    marketOf: (from, into) => {
      const [sell, buy] = [assets[from]?.token, assets[into]?.token]
      if (sell === undefined || buy === undefined) return undefined
      const market = find(sell, buy)
      return typeof market === 'string' ? undefined : market
    },
    gas: context.swapCost && gasIn(context.swapCost, { assets, find, hub }),
  }
}

function finder(context: Context<unknown>, { watches, maxDeviation }: Given): Find {
  const markets = watches.map((watch, place) => readMarket(context, { watch, place, maxDeviation }))
  return (sell, buy) => {
    const place = watches.findIndex(
      (watch) => sameToken(watch.sell.token, sell) && sameToken(watch.buy, buy),
    )
    return markets[place] ?? `${sell.symbol} is not watched in ${buy.symbol}.`
  }
}

function priceOf(
  token: Token,
  { hub, find }: { readonly hub: Token; readonly find: Find },
): Price | string {
  const one = { token, wei: 1n }
  if (sameToken(token, hub)) return { sold: one, bought: one }
  const [selling, buying] = [find(token, hub), find(hub, token)]
  if (typeof selling === 'string') return selling
  if (typeof buying === 'string') return buying
  return selling.reference ?? middlePrice(selling.indication, buying.indication)
}

/**
 * By the price of the native coin, or of the asset that is its wrapped form by its name: WETH for ETH. Undefined where
 * there is neither. Rounds up: gas costs at least that.
 */
function gasIn(
  swapCost: Amount,
  { assets, find, hub }: { assets: readonly Asset[]; find: Find; hub: Token },
): bigint | undefined {
  const market = find(swapCost.token, hub)
  const native =
    assets.find((asset) => isOf(asset, swapCost.token)) ??
    assets.find(({ token }) => token.symbol === `W${swapCost.token.symbol}`)
  const price = native?.price ?? (typeof market === 'string' ? undefined : market.indication)
  return price && minimumAt(price, { ...swapCost, token: price.sold.token }).wei
}
