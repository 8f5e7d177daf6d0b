import { type Amount, show } from '../../core/amount.ts'
import { minimumAt, type Price, worthAt } from '../../core/price.ts'
import { dayMs } from '../../core/spans.ts'
import { isWrapperOf, oneWhole, sameToken, type Token } from '../../core/token.ts'
import { fillsMax } from '../fillsMax.ts'
import { countsIn, maxOf, minAmount, minOf, swapMax } from './amounts.ts'
import { readMarket, type WatchedMarket } from './market.ts'
import { middlePrice, showShare } from './prices.ts'
import type { Context, Memory, Watch } from './strategy.ts'

/** One asset as it stands. Values are in the smallest unit of what the portfolio is counted in. */
export type PortfolioAsset = {
  readonly token: Token
  /** Where it lies: the token itself, or the native coin and its wrapped form. The first part is sold first. */
  readonly parts: readonly Amount[]
  /** In what the portfolio is counted in. */
  readonly price: Price
  readonly value: bigint
  /** Its target, the drift that is tolerated, and the distance at which it is left: in parts of {@link wholeShare}. */
  readonly share: bigint
  readonly band: bigint
  readonly edge: bigint
}

/** Assets that are kept in proportion. */
export type Portfolio = {
  readonly assets: readonly PortfolioAsset[]
  /** The place of what everything is counted in and traded through. */
  readonly hub: number
  readonly whole: bigint
  /** The market of selling one for the other, by their places; undefined where there is none. */
  readonly marketOf: (from: number, into: number) => WatchedMarket | undefined
  /** The most of a token that one swap may sell; undefined without a limit. */
  readonly swapMax: (token: Token) => Amount | undefined
  /** The most that one swap may be worth by the policy; undefined where none of the assets says what that is. */
  readonly swapWorth: bigint | undefined
  /** The gas of a swap; undefined without a price for it. */
  readonly gas: bigint | undefined
}

/** Shares are counted in hundred-millionths of the whole: a part in bps of a part in bps stays exact. */
export const wholeShare = 100_000_000n

/** Rounds down. */
export function worthOf({ token, price }: PortfolioAsset, wei: bigint): bigint {
  return worthAt(price, { token, wei }).wei
}

/** The sum of it, wherever it lies. */
export function sumOf({ parts }: PortfolioAsset): bigint {
  return parts.reduce((sum, { wei }) => sum + wei, 0n)
}

/** Whether a token is this asset, or the other form of it. */
export function isOf({ parts }: PortfolioAsset, token: Token): boolean {
  return parts.some((part) => sameToken(part.token, token))
}

/**
 * The most that one swap may sell of each of its forms, in their order. A form without a limit is left out beside one that has
 * one: the policy refuses to sell it.
 */
export function sellableOf({ parts }: PortfolioAsset, portfolio: Portfolio): readonly Amount[] {
  const limited = parts.flatMap((part) => {
    const max = portfolio.swapMax(part.token)
    return max === undefined ? [] : minAmount(part, max)
  })
  return limited.length === 0 ? parts : limited
}

/** Whether it has drifted out of its band. On the edge of it it has not. */
export function isBeyond({ value, share, band }: PortfolioAsset, { whole }: Portfolio): boolean {
  const off = value * wholeShare - share * whole
  return maxOf(off, -off) > band * whole
}

/** `WETH 56.21 % of 50 %` */
export function showWeight({ token, value, share }: PortfolioAsset, { whole }: Portfolio): string {
  return `${token.symbol} ${showShare(value, whole)} of ${showShare(share, wholeShare)}`
}

type Given = {
  readonly assets: readonly Omit<PortfolioAsset, 'price' | 'value'>[]
  /** The unit of all values: one of the assets, watched with every other in both directions. */
  readonly hub: Token
  /** The strategy's own. */
  readonly watches: readonly Watch[]
  readonly maxDeviation: number | undefined
}

type Find = (sell: Token, buy: Token) => WatchedMarket | string

/**
 * The holdings and their value, or a sentence why they cannot be valued: by the references where they are watched,
 * otherwise by the middle of both directions. One price that is missing or in doubt is enough to know nothing.
 */
export function readPortfolio(context: Context<unknown>, given: Given): Portfolio | string {
  const { hub } = given
  const find = finder(context, given)
  const assets: PortfolioAsset[] = []
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
    swapMax: (token) => swapMax(context, token),
    swapWorth: context.swapWorth && worthWithin(context.swapWorth, assets),
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
  if (selling.reference !== undefined) return selling.reference
  const coarse = [selling.indication, buying.indication].find(({ bought }) => bought.wei < fineWei)
  if (coarse !== undefined)
    return `${show(coarse.sold)} brings ${show(coarse.bought)}, too little for an exact price: more in \`probes\` helps.`
  return middlePrice(selling.indication, buying.indication)
}

/** The least that a price may bring, smallest units: what is rounded off is half a percent of it at most, far inside any band. */
const fineWei = 200n

/** A worth by the assets that count as its unit, the least of them. A hundredth less, as in {@link swapMax}. */
function worthWithin(
  { token, wei }: Amount,
  assets: readonly PortfolioAsset[],
): bigint | undefined {
  const worths = assets
    .filter((one) => isOf(one, token) || countsIn(token, one.token))
    .map((one) => worthOf(one, (wei * oneWhole(one.token)) / oneWhole(token)))
  // A dollar by its name may be worth more than one.
  const [first, ...others] = worths
  return first === undefined ? undefined : (minOf(first, ...others) * 99n) / 100n
}

/**
 * By the price of the native coin, or of the asset that is its wrapped form by its name: WETH for ETH. Undefined where
 * there is neither. Rounds up: gas costs at least that.
 */
function gasIn(
  swapCost: Amount,
  { assets, find, hub }: { assets: readonly PortfolioAsset[]; find: Find; hub: Token },
): bigint | undefined {
  const market = find(swapCost.token, hub)
  const native =
    assets.find((asset) => isOf(asset, swapCost.token)) ??
    assets.find(({ token }) => isWrapperOf(token, swapCost.token))
  const price = native?.price ?? (typeof market === 'string' ? undefined : market.indication)
  return price && minimumAt(price, { ...swapCost, token: price.sold.token }).wei
}

/**
 * The inflow of each asset besides what was bought, as far as it is still there: by comparing what is there with what was there
 * at the last decision, as far as it was written down. What went out is taken off it.
 *
 * The notes are for the next decision; the purchases are the journal's own sum.
 */
export function inflows(
  { totals, memory = {} }: Pick<Context<unknown>, 'totals' | 'memory'>,
  assets: readonly PortfolioAsset[],
): { readonly fresh: readonly bigint[]; readonly notes: Memory } {
  const counted = assets.map((asset) => {
    const { symbol } = asset.token
    const before = (key: string) => BigInt(memory[`${key}:${symbol}`] ?? 0)
    const there = sumOf(asset)
    const bought = totals
      .map((total): Amount => total.bought)
      .filter(({ token }) => isOf(asset, token))
      .reduce((sum, { wei }) => sum + wei, 0n)
    const came = before('fresh') + there - before('there') - (bought - before('bought'))
    const isKnown = memory[`there:${symbol}`] !== undefined
    return { symbol, there, bought, fresh: isKnown ? minOf(there, maxOf(0n, came)) : 0n }
  })
  const notes = counted.flatMap(({ symbol, there, bought, fresh }) => [
    [`there:${symbol}`, `${there}`],
    [`bought:${symbol}`, `${bought}`],
    [`fresh:${symbol}`, `${fresh}`],
  ])
  return { fresh: counted.map(({ fresh }) => fresh), notes: Object.fromEntries(notes) }
}

/**
 * The turnover of the last 24 hours, at the prices of now; the dearer side of each swap counts. A sentence where
 * it cannot be said: too many swaps to know all, or one of tokens that are not of the portfolio.
 */
export function dailyTurnover(
  { fills, now }: Pick<Context<unknown>, 'fills' | 'now'>,
  { assets }: Portfolio,
): bigint | string {
  const today = fills.filter(({ at }) => now - at < dayMs)
  if (today.length >= fillsMax)
    return `The last ${today.length} swaps are of the last 24 h: what was turned over before them is not known.`
  let total = 0n
  for (const { price } of today) {
    const [worth, ...others] = [price.bought, price.sold].flatMap(({ token, wei }) =>
      assets.filter((asset) => isOf(asset, token)).map((asset) => worthOf(asset, wei)),
    )
    if (worth === undefined)
      return `${show(price.sold)} were sold in the last 24 h, and nobody says what they are worth.`
    total += maxOf(worth, ...others)
  }
  return total
}
