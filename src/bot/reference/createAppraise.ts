import type { Rpc } from '../../chain/rpc/rpc.ts'
import { type Amount, medianAmount } from '../../core/amount.ts'
import type { Clock } from '../../core/clock.ts'
import type { Opinion } from '../../core/countOpinions.ts'
import { ballastError } from '../../core/errors.ts'
import { hostOf } from '../../core/hostOf.ts'
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
import { type ReferenceReading, readReferences, sourceOf } from './readReferences.ts'
import type { Reference, ReferenceAnswer } from './reference.ts'
import { type Way, waysBetween } from './waysBetween.ts'

type Sources = {
  readonly rpc: Rpc
  /** A second node, which must give the same price for the same block. */
  readonly witness?: Rpc | undefined
  /** Addresses of the nodes that answer in place of `rpc` where that is away. */
  readonly fallbacks?: readonly string[] | undefined
  readonly references: readonly Reference[]
  /** The unit of account. */
  readonly unit: Token
  /** Tokens that are to be worth a US dollar. */
  readonly stablecoins: readonly { readonly token: Token }[]
  readonly tokens: { readonly native: Token; readonly wrapped: Token }
  /** How long a block takes. */
  readonly blockTimeMs: number
  readonly clock: Clock
  /** Gets what each reading of the present came to, and when it began. */
  readonly onReadings?: ((readings: readonly ReferenceReading[], at: number) => void) | undefined
}

/** A price between two tokens by one way: a feed or a pool, or two of them over a token between. */
type Rate = {
  readonly source: string
  readonly price: Price
  readonly at: number
  readonly independent: boolean
  readonly endpoints: readonly string[]
  readonly liarsMin: number
}

/**
 * Prices a swap from the configured references. A source that fails is absent with its reason, and where all are, there
 * are no prices, which policy refuses. Throws REFERENCES_DISAGREE where two nodes contradict each other: one of them lies.
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

  return async ({ sell, buy, asOf }): Promise<Appraisal> => {
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
    const { readings, block } = await readReferences({ ...sources, wrapped, asOf }, needed)
    if (asOf === undefined) sources.onReadings?.(readings, askedAt)
    assertAgreed(readings)
    const told = new Map(readings.map((reading) => [reading.reference, reading.told]))

    const ratesOf = (from: Token, to: Token): readonly Rate[] =>
      waysOf(from, to).flatMap(
        (way) => rateOf(way, { ...sources, from: assetOf(from), told }) ?? [],
      )
    const worthOf = ({ token, wei }: Amount, to: Token): readonly ReferencePrice[] =>
      ratesOf(token, to).map(({ price, ...rate }) => {
        const fair = { token: to, wei: worthAt(price, { token: assetOf(token), wei }).wei }
        if (fair.wei >= roundedMin) return { ...rate, fair }
        const sold = { token, wei: price.sold.wei }
        return { ...rate, fair, exact: { sold, bought: { token: to, wei: price.bought.wei } } }
      })
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
      block,
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

/** From so many of the smallest units on, what is rounded off is a millionth of an amount at most. */
const roundedMin = 1_000_000n

/** Undefined when a reference on the way is silent. */
function rateOf(
  way: Way,
  {
    from,
    told,
    ...nodes
  }: Nodes & { readonly from: Token; readonly told: ReadonlyMap<Reference, ReferenceAnswer> },
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
  const source = way.map(sourceOf).join(' × ')
  return rate && { source, independent, ...opinionOf(way, nodes), ...rate }
}

type Nodes = Pick<Sources, 'rpc' | 'witness' | 'fallbacks'>

/**
 * The hosts a way rests on. Two nodes must lie together; of a way over different parties any one of them is enough. The
 * host of a fallback is one party with the node: it may be who answers.
 */
export function opinionOf(way: Way, { rpc, witness, fallbacks = [] }: Nodes): Opinion {
  const node = hostOf(rpc.label)
  const partyOf = (label: string) =>
    fallbacks.some((url) => hostOf(url) === hostOf(label)) ? node : hostOf(label)
  const chain = new Set([node, ...(witness === undefined ? [] : [partyOf(witness.label)])])
  const hosts = (one: Reference) =>
    one.kind === 'order-book' ? [partyOf(one.book.label)] : [...chain]
  const [first, ...others] = way.map(hosts)
  const endpoints = [...new Set([first ?? [], ...others].flat())]
  const alike = endpoints.length === first?.length
  return { endpoints, liarsMin: alike ? endpoints.length : 1 }
}

function assertAgreed(readings: readonly ReferenceReading[]): void {
  const disputed = readings.flatMap(({ reference, told }) =>
    'reason' in told && told.disputed === true ? [[sourceOf(reference), told.reason]] : [],
  )
  if (disputed.length === 0) return
  throw ballastError(
    'REFERENCES_DISAGREE',
    'Two nodes give different prices for one block: one of them is wrong, so no price is believed.',
    Object.fromEntries(disputed),
  )
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
