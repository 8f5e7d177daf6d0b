import { type Amount, show } from '../../core/amount.ts'
import type { Checklist } from '../../core/check.ts'
import { countOpinions } from '../../core/countOpinions.ts'
import { comparePrices, minimumAt, type Price, shiftPrice, worthAt } from '../../core/price.ts'
import { oneWhole, sameToken, type Token } from '../../core/token.ts'
import { type Appraisal, type ReferencePrice, rateOfReference } from '../stages.ts'
import type { Policy } from './policy.ts'

/** An appraisal older than this describes another market. Approvals happen before it, so it is taken seconds before the quote. */
const ageMsMax = 30_000

/**
 * Holds the amount that the calldata guarantees to its worth by sources other than the quote.
 *
 * Every source that answered must agree, to both sides: a quote far above the market is a mistake in decimals or a lie
 * that another check has yet to find.
 */
export function checkWorth(
  {
    appraisal,
    intent: { sell },
    amountOut,
    minimum,
    now,
  }: {
    readonly appraisal: Appraisal
    readonly intent: { readonly sell: Amount }
    readonly amountOut: Amount
    readonly minimum: Amount
    readonly now: number
  },
  policy: Policy,
  checks: Checklist,
): void {
  const age = now - appraisal.askedAt
  checks.holds('appraisal-age', age >= 0 && age <= ageMsMax, `at most ${ageMsMax} ms`, `${age} ms`)
  const priced = appraisal.references.filter(
    ({ fair }) => sameToken(fair.token, minimum.token) && fair.wei > 0n,
  )
  const absent = appraisal.absent.map(({ source, reason }) => `${source}: ${reason}`)
  const independent = countOpinions(priced.filter((one) => one.independent))
  checks.holds(
    'references',
    independent >= policy.referencesMin,
    `at least ${policy.referencesMin} endpoints (policy.minReferences) independent of the service`,
    [independent, ...absent].join('; '),
  )
  const { deviationBpsMax } = policy
  const rated = priced.map((one) => ({ ...one, price: rateOfReference(one, sell) }))
  const dearest = furthest(rated, (a, b) => comparePrices(a, b) > 0)
  const cheapest = furthest(rated, (a, b) => comparePrices(a, b) < 0)
  if (dearest !== undefined) {
    const least = minimumAt(shiftPrice(dearest.price, -deviationBpsMax), sell)
    checks.holds(
      'not-below-reference',
      minimum.wei >= least.wei,
      `at least ${show(least)}, ${deviationBpsMax} bps (policy.maxDeviation) below ${show(dearest.fair)} of ${dearest.source}`,
      show(minimum),
    )
  }
  if (cheapest !== undefined) {
    const most = worthAt(shiftPrice(cheapest.price, deviationBpsMax), sell)
    checks.holds(
      'not-above-reference',
      amountOut.wei <= most.wei,
      `at most ${show(most)}, ${deviationBpsMax} bps (policy.maxDeviation) above ${show(cheapest.fair)} of ${cheapest.source}`,
      show(amountOut),
    )
  }
  checkBands({ sell, amountOut, minimum, notional: appraisal.notional }, policy, checks)
  checkPegs(appraisal, policy, checks)
}

/** The prices a person wrote down bound the swap, no matter what any source says; of a token without any, its worth by the sources. */
export function checkBands(
  {
    sell,
    amountOut,
    minimum,
    notional,
  }: {
    readonly sell: Amount
    readonly amountOut: Amount
    readonly minimum: Amount
    /** What is sold, in the unit of account; undefined where nobody says. */
    readonly notional?: Amount | undefined
  },
  { bands }: Policy,
  checks: Checklist,
): void {
  const bandOf = (token: Token) => bands.find((one) => sameToken(one.token, token))
  const [sold, bought] = [bandOf(sell.token), bandOf(minimum.token)]
  if (sold === undefined || bought === undefined) {
    if (notional === undefined) return
    if (sold !== undefined) checkBand(sold, { least: sell, most: sell, worth: notional }, checks)
    if (bought !== undefined)
      checkBand(bought, { least: minimum, most: amountOut, worth: notional }, checks)
    return
  }
  /** The sold amount at one price, in the bought token at another: both round against the quote. */
  const at = (price: Amount, per: Amount) => ({
    worth: sell.wei * price.wei * oneWhole(minimum.token),
    per: per.wei * oneWhole(sell.token),
  })
  const [low, high] = [at(sold.min, bought.max), at(sold.max, bought.min)]
  const least = { ...minimum, wei: (low.worth + low.per - 1n) / low.per }
  const most = { ...amountOut, wei: high.worth / high.per }
  checks.holds(
    'within-bands',
    least.wei <= minimum.wei && amountOut.wei <= most.wei,
    `from ${show(least)} to ${show(most)} (policy.bands)`,
    `${show(minimum)} to ${show(amountOut)}`,
  )
}

/** So much of a token, the least and the most of it, against its worth. */
function checkBand(
  { min, max }: Policy['bands'][number],
  { least, most, worth }: { least: Amount; most: Amount; worth: Amount },
  checks: Checklist,
): void {
  const scaled = worth.wei * oneWhole(least.token)
  checks.holds(
    'within-bands',
    most.wei * min.wei <= scaled && scaled <= least.wei * max.wei,
    `${show(min)} to ${show(max)} for one ${least.token.symbol} (policy.bands)`,
    `${show(worth)} for ${show(least)} to ${show(most)}`,
  )
}

/** A dollar that is not one makes every limit in dollars wrong. */
export function checkPegs(
  { pegs }: Pick<Appraisal, 'pegs'>,
  { stablecoins }: Policy,
  checks: Checklist,
): void {
  const broken = pegs.flatMap(({ token, offBps }) => {
    const bpsMax = stablecoins.find((one) => sameToken(one.token, token))?.deviationBpsMax ?? 0
    if (offBps !== undefined && Math.abs(offBps) <= bpsMax) return []
    const found = offBps === undefined ? 'unknown' : `${offBps} bps off`
    return [`${token.symbol} ${found}, allowed ${bpsMax} bps`]
  })
  checks.equal('pegs', 'every stablecoin at its peg', broken.join('; ') || pegged)
}

const pegged = 'every stablecoin at its peg'

type Rated = ReferencePrice & { readonly price: Price }

function furthest(
  rated: readonly Rated[],
  beats: (a: Price, b: Price) => boolean,
): Rated | undefined {
  return rated.reduce<Rated | undefined>(
    (best, one) => (best === undefined || beats(one.price, best.price) ? one : best),
    undefined,
  )
}
