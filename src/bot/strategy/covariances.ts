import { hourMs } from '../../core/spans.ts'
import { minOf } from './amounts.ts'
import type { Portfolio, PortfolioAsset } from './portfolio.ts'
import type { Context, Memory } from './strategy.ts'

/** The unit of a variance of a year: 70 % are 0.49 of it. */
export const wholeVariance = 10n ** 12n

const yearMs = 31_536_000_000n

/** Prices of a month count, the newest as much as the oldest until then; what was expected counts as those of a day. */
const [samplesMax, samplesExpected] = [720n, 24n]

/** The covariance of two assets against the hub, by their places, and the prices it comes from for the next decision. */
type Covariances = {
  readonly covarianceOf: (one: number, other: number) => bigint
  readonly notes: Memory
}

/**
 * How assets moved together, from one price an hour in the notes: the mean of the products of their moves, of a year.
 *
 * Before there are prices any two assets are taken to move against each other by one volatility, so each by it against
 * the hub and any two with half its square. In whole numbers, so that every engine finds the same.
 */
export function covariances(
  { memory = {}, now }: Pick<Context<unknown>, 'memory' | 'now'>,
  { assets, hub }: Portfolio,
  volatilityBps: number,
): Covariances {
  const others = assets.flatMap((asset, place) => (place === hub ? [] : { asset, place }))
  const pairs = others.flatMap((one, at) => others.slice(at).map((other) => [one, other] as const))
  const expected = (BigInt(volatilityBps) ** 2n * wholeVariance) / 10_000n ** 2n
  const number = (key: string) => (memory[key] === undefined ? undefined : BigInt(`${memory[key]}`))
  const keyOf = (one: Place, other: Place) =>
    `covariance:${one.asset.token.symbol}:${other.asset.token.symbol}`

  const pricedAt = typeof memory.pricedAt === 'number' ? memory.pricedAt : undefined
  const isNew = pricedAt === undefined || now - pricedAt >= hourMs
  const samples = number('samples') ?? 0n
  const weight = minOf(samplesMax, samplesExpected + samples)
  const moves = new Map(
    others.flatMap(({ asset, place }) => {
      const before = number(`price:${asset.token.symbol}`)
      return pricedAt === undefined || !isNew || !before
        ? []
        : [[place, ((priceOf(asset) - before) * moveUnit) / before]]
    }),
  )
  const found = pairs.map(([one, other]) => {
    const known = number(keyOf(one, other)) ?? (one === other ? expected : expected / 2n)
    const [first, second] = [moves.get(one.place), moves.get(other.place)]
    if (first === undefined || second === undefined) return known
    const seen =
      (first * second * yearMs * wholeVariance) / (moveUnit ** 2n * BigInt(now - (pricedAt ?? 0)))
    return (known * weight + seen) / (weight + 1n)
  })

  const table = new Map(pairs.map(([one, other], at) => [`${one.place}:${other.place}`, found[at]]))
  const notes = isNew
    ? {
        pricedAt: now,
        samples: `${moves.size > 0 ? minOf(samples + 1n, samplesMax) : samples}`,
        ...Object.fromEntries([
          ...others.map(({ asset }) => [`price:${asset.token.symbol}`, `${priceOf(asset)}`]),
          ...pairs.map(([one, other], at) => [keyOf(one, other), `${found[at]}`]),
        ]),
      }
    : Object.fromEntries(Object.entries(memory).filter(([key]) => ownKey.test(key)))
  return {
    covarianceOf: (one, other) =>
      table.get(one < other ? `${one}:${other}` : `${other}:${one}`) ?? 0n,
    notes,
  }
}

type Place = { readonly asset: PortfolioAsset; readonly place: number }

const ownKey = /^(pricedAt|samples|price:.*|covariance:.*)$/

/** Of a move, as a part of the price before it; and of the price of one token in the smallest unit of the hub. */
const [moveUnit, priceUnit] = [10n ** 9n, 10n ** 9n]

function priceOf({ token, price: { sold, bought } }: PortfolioAsset): bigint {
  return (bought.wei * 10n ** BigInt(token.decimals) * priceUnit) / sold.wei
}
