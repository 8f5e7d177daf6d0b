import { type Amount, show } from '../../core/amount.ts'
import { sameToken, type Token } from '../../core/token.ts'
import { minOf } from './amounts.ts'
import { broughtBy, floorFor } from './market.ts'
import type { PortfolioPlan, PortfolioTrade } from './planPortfolio.ts'
import { type Portfolio, sellableOf, showWeight, worthOf } from './portfolio.ts'
import type { Intent } from './strategy.ts'

type Limits = {
  readonly toleranceBps: number
  /** In what the portfolio is counted in: the least one swap is worth, and the most all of them are. */
  readonly minimum: bigint
  readonly allowance: bigint
}

/**
 * A slice of every leg that can be paid for now, or a sentence why there is none: first the sales for the hub or
 * directly, then the hub's purchases with its own surplus. The proceeds of a sale are spent when they have arrived.
 */
export function sliceLegs(
  { legs, budget }: PortfolioPlan,
  portfolio: Portfolio,
  { toleranceBps, minimum, allowance }: Limits,
): readonly Intent[] | string {
  const hub = portfolio.assets[portfolio.hub]
  let [allowed, surplus] = [allowance, budget]
  const intents: Intent[] = []
  const reasons: string[] = []
  for (const leg of [...legs].sort((a, b) => Number(a.from === hub) - Number(b.from === hub))) {
    const isPaidByHub = leg.from === hub
    const cap = isPaidByHub ? minOf(allowed, surplus) : allowed
    // Parts of one token may round to more than there is of it.
    const taken = (token: Token) =>
      intents.reduce((sum, { sell }) => (sameToken(sell.token, token) ? sum + sell.wei : sum), 0n)
    const intent = intentOf(leg, portfolio, { toleranceBps, minimum, allowance: cap, taken })
    if (typeof intent === 'string') {
      reasons.push(intent)
      continue
    }
    intents.push(intent)
    const worth = worthOf(leg.from, intent.sell.wei)
    allowed -= worth
    if (isPaidByHub) surplus -= worth
  }
  return intents.length > 0 ? intents : (reasons[0] ?? 'What was sold is not there yet.')
}

/** What the intents before it sell of a token. */
type Taken = { readonly taken: (token: Token) => bigint }

function intentOf(
  { from, into, market, amount, slice }: PortfolioTrade,
  portfolio: Portfolio,
  { toleranceBps, minimum, allowance, taken }: Limits & Taken,
): Intent | string {
  const { sold, bought } = from.price
  const part = partFor(
    sellableOf(from, portfolio).map((one) => ({ ...one, wei: one.wei - taken(one.token) })),
    { token: from.token, wei: slice },
  )
  const wei = minOf(slice, part.wei, (allowance * sold.wei) / bought.wei)
  const [sell, worth] = [{ token: from.token, wei }, worthOf(from, wei)]
  const [brings, floor] = [broughtBy(market, sell), floorFor(market, sell, toleranceBps)]
  const shown = show({ ...part, wei })
  if (worth < minimum)
    return `Only ${shown} can go into ${into.token.symbol} at once, worth ${show({ ...bought, wei: worth })}, less than the least swap of ${show({ ...bought, wei: minimum })}.`
  if (brings.wei < floor.wei)
    return `${shown} bring ${show(brings)}, below the ${show(floor)} to accept.`
  return {
    sell: { ...part, wei },
    buy: into.token,
    floor,
    reason: `${showWeight(from, portfolio)}, ${showWeight(into, portfolio)}: ${shown} of ${show({ ...sell, wei: amount })} bring ${show(brings)}, accepts ${show(floor)}.`,
  }
}

/** Where it is taken from: the first form of which enough may be sold, otherwise the one with most. */
function partFor(parts: readonly Amount[], { token, wei }: Amount): Amount {
  const larger = (a: Amount, b: Amount) => (b.wei > a.wei ? b : a)
  return parts.find((part) => part.wei >= wei) ?? parts.reduce(larger, { token, wei: 0n })
}
