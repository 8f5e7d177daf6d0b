import { divideUp } from '../../core/decimal.ts'
import { comparePrices, crossPrices } from '../../core/price.ts'
import { maxOf, minOf } from './amounts.ts'
import { wholeVariance } from './covariances.ts'
import { broughtBy, sliceOf, type WatchedMarket } from './market.ts'
import { type Portfolio, type PortfolioAsset, sumOf, wholeShare, worthOf } from './portfolio.ts'
import { gainOf, planTrades, type Transfer } from './trades.ts'

/** One swap of a plan: all that is to go this way, and the slice of it that can go at once. */
export type PortfolioTrade = {
  readonly from: PortfolioAsset
  readonly into: PortfolioAsset
  readonly market: WatchedMarket
  readonly amount: bigint
  readonly slice: bigint
}

/** The answer to a drift. Values are in what the portfolio is counted in. */
export type PortfolioPlan = {
  readonly legs: readonly PortfolioTrade[]
  /** Gas of all slices, and what they lose against the prices everything is valued at. */
  readonly gas: bigint
  readonly lost: bigint
  readonly benefit: bigint
  readonly turned: bigint
  /** The part of the hub that can be spent before anything is sold for it. */
  readonly budget: bigint
}

type Wish = {
  /** How far from its target each asset is left: its own edge, or nothing. */
  readonly until: 'edge' | 'target'
  /** The amount of each asset that is sold before any other, in its own unit. */
  readonly fresh: readonly bigint[]
  /** A swap that would be worth less is left out. */
  readonly minimum: bigint
  /** No slice is worth more. */
  readonly maximum: bigint | undefined
  readonly impactBps: number
  readonly aversion: Aversion
}

/**
 * The swaps that bring a portfolio back, what they cost in all and what that is worth.
 *
 * What is lost depends on the trades, and the trades on what is left after that: it goes around once, what is still off
 * then is a loss on the loss. Gas is paid from what is kept for it, and is not of the portfolio.
 */
export function planPortfolio(portfolio: Portfolio, wish: Wish): PortfolioPlan {
  return drawn(portfolio, wish, drawn(portfolio, wish, { lost: 0n, turned: 0n }))
}

function drawn(
  portfolio: Portfolio,
  wish: Wish,
  expected: { readonly lost: bigint; readonly turned: bigint },
): PortfolioPlan {
  const { hub, whole, gas = 0n } = portfolio
  const positions = positionsOf(portfolio, wish, expected)
  const transfers = planTrades(positions, {
    hub,
    tolerance: wish.minimum * wholeShare,
    direct: (from, into) => isDirect(portfolio, { from, into }),
  })
  const deltas = positions.map((_, place) => gainOf(transfers, place))
  const legs = transfers
    .flatMap((transfer) => legOf(portfolio, { transfer, wish }))
    .filter(({ from, amount }) => amount > 0n && worthOf(from, amount) >= wish.minimum)
  const before = positions.map(({ value, target }) => value - target)
  const after = before.map((off, place) => off + (deltas[place] ?? 0n))
  return {
    legs,
    gas: gas * sum(legs.map(({ amount, slice }) => divideUp(amount, slice))),
    lost: sum(legs.map(lostBy)),
    benefit: driftBenefit({ whole: whole * wholeShare, before, after }, wish.aversion) / wholeShare,
    turned: sum(legs.map(({ from, amount }) => worthOf(from, amount))),
    budget: maxOf(0n, -(deltas[hub] ?? 0n)) / wholeShare,
  }
}

function positionsOf(
  { assets, whole }: Portfolio,
  { until, fresh }: Wish,
  { lost, turned }: { readonly lost: bigint; readonly turned: bigint },
) {
  const after = maxOf(0n, whole - lost)
  return assets.map((asset, place) => {
    const width = until === 'target' ? 0n : asset.edge
    const value = asset.value * wholeShare
    const low = maxOf(0n, asset.share - width) * after
    const lacks = maxOf(0n, low - value)
    // More has to be sold for it than it is to gain.
    const gain = lost < turned ? divideUp(lacks * turned, turned - lost) : lacks
    return {
      value,
      low: low - lacks + gain,
      target: asset.share * after,
      high: (asset.share + width) * after,
      fresh: worthOf(asset, fresh[place] ?? 0n) * wholeShare,
    }
  })
}

/** Whether two trade at a price that is not worse than both ways through the hub. */
function isDirect(
  { marketOf, hub }: Portfolio,
  { from, into }: { readonly from: number; readonly into: number },
): boolean {
  const [direct, first, second] = [marketOf(from, into), marketOf(from, hub), marketOf(hub, into)]
  if (direct === undefined || first === undefined || second === undefined) return false
  return comparePrices(direct.indication, crossPrices(first.indication, second.indication)) >= 0
}

function legOf(
  portfolio: Portfolio,
  { transfer, wish }: { readonly transfer: Transfer; readonly wish: Wish },
): readonly PortfolioTrade[] {
  const { assets, marketOf, swapMax, swapWorth } = portfolio
  const [from, into] = [assets[transfer.from], assets[transfer.to]]
  const market = marketOf(transfer.from, transfer.to)
  if (from === undefined || into === undefined || market === undefined) return []
  const { sold, bought } = from.price
  const amount = minOf(sumOf(from), divideUp(transfer.value * sold.wei, bought.wei * wholeShare))
  const { maximum, impactBps } = wish
  const limits = from.parts.flatMap(({ token }) => swapMax(token)?.wei ?? [])
  const cap = minOf(
    sliceOf(market, impactBps).wei,
    ...[maximum, swapWorth].flatMap((worth) =>
      worth === undefined ? [] : (worth * sold.wei) / bought.wei,
    ),
    ...(limits.length === 0 ? [] : [maxOf(0n, ...limits)]),
  )
  const slice = minOf(amount, maxOf(1n, cap))
  return [{ from, into, market, amount, slice }]
}

/** The loss of all slices against the valuation prices, if each is like the first. */
function lostBy({ from, into, market, amount, slice }: PortfolioTrade): bigint {
  const { wei: brings } = broughtBy(market, { token: from.token, wei: slice })
  return divideUp(maxOf(0n, worthOf(from, slice) - worthOf(into, brings)) * amount, slice)
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}

const yearSeconds = 31_536_000n

/** The cost of a drift to its owner. */
export type Aversion = {
  /** Risk aversion, in ten thousandths. */
  readonly gamma: number
  readonly horizonSeconds: number
  /** Of two assets against the hub, by their places, in a year: in parts of {@link wholeVariance}. */
  readonly covarianceOf: (one: number, other: number) => bigint
}

/** How far each asset is from its target, below zero where it lacks. */
type Change = {
  readonly whole: bigint
  readonly before: readonly bigint[]
  readonly after: readonly bigint[]
}

/**
 * The benefit of bringing a drift down, in the unit of `whole`: gamma/2 · (variance before − variance after) · horizon
 * of it, where the variance is that of the drift as a part of the whole. Rounds down: a trade has to be worth its cost.
 */
export function driftBenefit({ whole, before, after }: Change, aversion: Aversion): bigint {
  const { gamma, covarianceOf, horizonSeconds } = aversion
  const varianceOf = (off: readonly bigint[]) =>
    sum(off.flatMap((one, at) => off.map((other, to) => one * other * covarianceOf(at, to))))
  const less = varianceOf(before) - varianceOf(after)
  if (whole <= 0n || less <= 0n) return 0n
  return (
    (BigInt(gamma) * less * BigInt(horizonSeconds)) /
    (2n * 10_000n * wholeVariance * whole * yearSeconds)
  )
}
