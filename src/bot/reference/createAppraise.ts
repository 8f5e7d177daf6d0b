import type { Rpc } from '../../chain/rpc/rpc.ts'
import { type Amount, medianAmount } from '../../core/amount.ts'
import type { Clock } from '../../core/clock.ts'
import { crossPrices, invertPrice, type Price, worthAt } from '../../core/price.ts'
import { isNative, sameToken, type Token, usdOf } from '../../core/token.ts'
import {
  type Appraisal,
  type Appraise,
  type Appraised,
  type Funded,
  pass,
  type ReferencePrice,
} from '../stages.ts'
import { readReferences, sourceOf } from './readReferences.ts'
import type { Reference, ReferenceAnswer } from './reference.ts'
import { type Way, waysBetween } from './waysBetween.ts'

type Sources = {
  readonly rpc: Rpc
  readonly references: readonly Reference[]
  /** The unit of account. */
  readonly unit: Token
  /** Tokens that are to be worth a US dollar. */
  readonly stablecoins: readonly { readonly token: Token }[]
  readonly tokens: { readonly native: Token; readonly wrapped: Token }
  readonly clock: Clock
}

/** A way's statement about its two ends. */
type Rate = {
  readonly source: string
  readonly price: Price
  readonly at: number
  readonly independent: boolean
  readonly through: readonly string[]
}

/**
 * Prices a swap from the configured references. Never throws: a source that fails is absent with its reason, and where
 * all are, there are no prices, which policy refuses.
 *
 * Prices stay fractions until the last step, which rounds what is sold down to the unit it is worth.
 */
export function createAppraise(sources: Sources): Appraise {
  const { references, unit, stablecoins, tokens, clock } = sources
  const { native, wrapped } = tokens
  const usd = usdOf(native.chainId)
  const assetOf = (token: Token) => (isNative(token) ? wrapped : token)
  const isSame = (a: Token, b: Token) => sameToken(assetOf(a), assetOf(b))
  const waysOf = (from: Token, to: Token) =>
    waysBetween(references, { from: assetOf(from), to: assetOf(to) })

  return async ({ sell, buy }): Promise<Appraisal> => {
    const askedAt = clock.now()
    const pegged = stablecoins
      .map(({ token }) => token)
      .filter((token) => [sell.token, buy, unit].some((one) => isSame(one, token)))
    const wanted = [
      ...[
        [sell.token, buy],
        [sell.token, unit],
        [native, unit],
      ],
      ...pegged.map((token) => [token, usd]),
    ].flatMap(([from = usd, to = usd]) => (isSame(from, to) ? [] : [{ from, to }]))
    const ways = wanted.map(({ from, to }) => waysOf(from, to))
    const needed = [...new Set(ways.flat(2))]
    const readings = await readReferences({ ...sources, wrapped }, needed)
    const told = new Map(readings.map((reading) => [reading.reference, reading.told]))

    const ratesOf = (from: Token, to: Token): readonly Rate[] =>
      waysOf(from, to).flatMap((way) => rateOf(way, { from: assetOf(from), told }) ?? [])
    const worthOf = ({ token, wei }: Amount, to: Token): readonly ReferencePrice[] =>
      ratesOf(token, to).map(({ price, ...rate }) => ({
        ...rate,
        fair: { token: to, wei: worthAt(price, { token: assetOf(token), wei }).wei },
      }))
    const inUnit = (amount: Amount): Amount | undefined =>
      isSame(amount.token, unit)
        ? { token: unit, wei: amount.wei }
        : medianAmount(
            worthOf(amount, unit)
              .filter(({ independent }) => independent)
              .map(({ fair }) => fair),
          )

    const worth = worthOf(sell, buy)
    return {
      askedAt,
      references: worth.filter(({ fair }) => fair.wei > 0n),
      absent: [
        ...worth
          .filter(({ fair }) => fair.wei === 0n)
          .map(({ source }) => ({ source, reason: `it says that this is worth no ${buy.symbol}` })),
        ...readings.flatMap(({ reference, told: answer }) =>
          'reason' in answer ? [{ source: sourceOf(reference), reason: answer.reason }] : [],
        ),
        ...wanted
          .filter((_, index) => ways[index]?.length === 0)
          .map(({ from, to }) => ({
            source: 'policy.references',
            reason: `no reference prices ${from.symbol} in ${to.symbol}`,
          })),
      ],
      notional: inUnit(sell),
      coin: inUnit({ token: native, wei: 10n ** BigInt(native.decimals) }),
      pegs: pegged.map((token) => ({
        token,
        offBps: worst(ratesOf(token, usd).filter(({ independent }) => independent)),
      })),
    }
  }
}

/** Undefined when a reference on the way is silent. */
function rateOf(
  way: Way,
  { from, told }: { from: Token; told: ReadonlyMap<Reference, ReferenceAnswer> },
): Rate | undefined {
  let rate: { readonly price: Price; readonly at: number } | undefined
  for (const reference of way) {
    const answer = told.get(reference)
    if (answer === undefined || 'reason' in answer) return undefined
    const start = rate?.price.bought.token ?? from
    const price = sameToken(reference.pair[0], start) ? answer.price : invertPrice(answer.price)
    rate =
      rate === undefined
        ? { price, at: answer.at }
        : { price: crossPrices(rate.price, price), at: Math.min(rate.at, answer.at) }
  }
  const independent = way.every((one) => one.kind !== 'order-book' || !one.book.own)
  const through = way.map(sourceOf)
  return rate && { source: through.join(' × '), through, independent, ...rate }
}

/** How far the farthest of several rates is from one dollar. Rounds up: any loss of the peg counts. */
function worst(rates: readonly Rate[]): number | undefined {
  if (rates.length === 0) return undefined
  const off = rates.map(({ price: { sold, bought } }) => {
    const par = sold.wei * 10n ** BigInt(bought.token.decimals)
    const worth = bought.wei * 10n ** BigInt(sold.token.decimals)
    const difference = (worth < par ? par - worth : worth - par) * 10_000n
    return Number((difference + par - 1n) / par)
  })
  return Math.max(...off)
}

/**
 * Queries the sources anew for every quote: their answers must be as fresh as the quote they are compared with.
 *
 * Between the plan and its quote lie approvals, which may take an hour. From here on the swap is worth the larger of
 * its planned and its current worth: limits hold at both prices.
 */
export function createAppraiseStage(appraise: Appraise) {
  return async function appraiseFunded(funded: Funded): Promise<Appraised> {
    const appraisal = await appraise(funded.intent)
    const notional = largerOf(funded.notional, appraisal.notional)
    return pass<Appraised>({ ...funded, notional, appraisal })
  }
}

function largerOf(planned: Amount | undefined, now: Amount | undefined): Amount | undefined {
  if (planned === undefined || now === undefined || !sameToken(planned.token, now.token))
    return undefined
  return planned.wei > now.wei ? planned : now
}

/**
 * Reads the references through two nodes. The worth of a swap decides whether it must be witnessed and whether it is
 * within its limits, so one node's word about that is not enough: the larger value counts, every price of both must
 * agree with the quote, and where one of them values nothing, nothing is valued.
 */
export function createWitnessedAppraise(own: Appraise, witness: Appraise): Appraise {
  return async (ask): Promise<Appraisal> => {
    const [mine, other] = await Promise.all([own(ask), witness(ask)])
    const named = <one extends { readonly source: string }>(all: readonly one[]) =>
      all.map((one) => ({ ...one, source: `by the witness: ${one.source}` }))
    return {
      askedAt: Math.min(mine.askedAt, other.askedAt),
      references: [...mine.references, ...named(other.references)],
      absent: [...mine.absent, ...named(other.absent)],
      notional: larger(mine.notional, other.notional),
      coin: larger(mine.coin, other.coin),
      pegs: mine.pegs.map(({ token, offBps }) => {
        const seen = other.pegs.find((one) => sameToken(one.token, token))?.offBps
        const known = offBps !== undefined && seen !== undefined
        return { token, offBps: known ? Math.max(Math.abs(offBps), Math.abs(seen)) : undefined }
      }),
    }
  }
}

function larger(a: Amount | undefined, b: Amount | undefined): Amount | undefined {
  if (a === undefined || b === undefined) return undefined
  return a.wei > b.wei ? a : b
}
