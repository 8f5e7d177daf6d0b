import { checkPlan, checkUnvalued } from '../bot/policy/checkPlan.ts'
import { checkBands, checkPegs } from '../bot/policy/checkWorth.ts'
import type { Appraisal, Appraise } from '../bot/stages.ts'
import { cutToLimit } from '../bot/strategy/amounts.ts'
import type { LoadedStrategy } from '../bot/strategy/load.ts'
import type { TypicalSwap } from '../bot/strategy/strategy.ts'
import type { Config } from '../config/config.ts'
import type { Amount } from '../core/amount.ts'
import { createChecklist, Refused, refusalSentence } from '../core/check.ts'
import type { Clock } from '../core/clock.ts'
import { minimumAt, type Price } from '../core/price.ts'
import { oneWhole, sameToken, type Token } from '../core/token.ts'
import { planOf } from '../engine/planOf.ts'

type Screening = { readonly config: Config; readonly appraise: Appraise; readonly clock: Clock }

/** A strategy whose swaps policy would refuse, in the words of the refusal. */
export type StrategyRefusal = { readonly name: string; readonly sentence: string }

/** Holds the swaps that a strategy foresees to policy, as if nothing had been spent yet. */
export async function screenStrategy(
  screening: Screening,
  { name, strategy, params, watches }: LoadedStrategy,
): Promise<readonly StrategyRefusal[]> {
  const swapLimits = screening.config.policy.perSwap
  const foreseen =
    strategy.typicalSwaps?.({ params, swapLimits }) ??
    watches.map(({ sell, buy }) => ({ sell: cutToLimit({ swapLimits }, sell), buy }))
  const sentences: string[] = []
  for (const swap of foreseen) sentences.push(...(await refusalsOf(screening, { name, swap })))
  return [...new Set(sentences)].map((sentence) => ({ name, sentence }))
}

const unspent = { sold: 0n, hour: 0n, day: 0n, strategy: 0n, otherUnit: 0, lastAt: undefined }

async function refusalsOf(
  { config, appraise, clock }: Screening,
  { name, swap: { sell, buy, price, market, recipient } }: { name: string; swap: TypicalSwap },
): Promise<readonly string[]> {
  // Without a price of a person the strategy makes its floor of the market's.
  const floor = price === undefined ? { token: buy, wei: 1n } : minimumAt(price, sell)
  const { plan, rules } = await planOf(
    { config, market: { appraise } },
    { strategy: name, intent: { sell, buy, floor, recipient, reason: '' }, indication: undefined },
  )
  const checks = createChecklist('policy')
  // At its own price it may be worth more than now, and policy would refuse it just then.
  const isDollars = config.policy.stablecoins.some(({ token }) => sameToken(token, buy))
  const bought =
    price !== undefined && isDollars
      ? (await appraise({ sell: floor, buy: sell.token })).notional
      : undefined
  const notional = dearer(plan.notional, bought)
  const check = notional === undefined ? checkUnvalued : checkPlan
  check({ ...plan, notional }, { ...rules, spent: unspent, now: clock.now() }, checks)
  if (price !== undefined)
    checkBands({ sell, amountOut: floor, minimum: floor }, config.policy, checks)
  if (market !== undefined) checkPegs({ pegs: pegsAt(market, config) }, config.policy, checks)
  try {
    checks.conclude()
    return []
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    return error.checks.filter(({ ok }) => !ok).map(refusalSentence)
  }
}

/** Of two values in one unit; one in another unit says nothing of the first. */
function dearer(one: Amount | undefined, other: Amount | undefined): Amount | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return sameToken(one.token, other.token) && other.wei > one.wei ? other : one
}

/** How far off a dollar the sold coin is at this price, where both are to be one and the bought coin is. Rounds up. */
function pegsAt({ sold, bought }: Price, { policy }: Config): Appraisal['pegs'] {
  const isPegged = (token: Token) => policy.stablecoins.some((one) => sameToken(one.token, token))
  if (!isPegged(sold.token) || !isPegged(bought.token)) return []
  const par = sold.wei * oneWhole(bought.token)
  const apart = bought.wei * oneWhole(sold.token) - par
  const off = (apart < 0n ? -apart : apart) * 10_000n
  return [{ token: sold.token, offBps: Number((off + par - 1n) / par) }]
}

/** Values a sale without asking anybody: the least it may be worth by `policy.bands`, nothing where there is no band. */
export const appraiseByBands =
  ({ policy }: Pick<Config, 'policy'>, clock: Clock): Appraise =>
  async ({ sell: { token, wei } }) => {
    const band = policy.bands.find((one) => sameToken(one.token, token))
    const whole = oneWhole(token)
    const notional = band && {
      token: band.min.token,
      wei: (wei * band.min.wei + whole - 1n) / whole,
    }
    const silent = { references: [], absent: [], coin: undefined, pegs: [] }
    return { askedAt: clock.now(), notional, ...silent }
  }

/** Why one form of the chain's own currency counts and the other does not; undefined where both count, or neither. */
export function halfWeighed(
  { strategy, params }: LoadedStrategy,
  { native, wrapped }: Config['tokens'],
): { readonly left: Token; readonly sentence: string } | undefined {
  const weighed = strategy.weighs?.(params) ?? []
  const counts = (token: Token) => weighed.some((one) => sameToken(one, token))
  if (counts(native) === counts(wrapped)) return undefined
  const isNativeLeft = !counts(native)
  const [left, other] = isNativeLeft ? [native, wrapped] : [wrapped, native]
  const way = isNativeLeft ? `keep: 0.1 ${native.symbol}` : `wrapped: ${wrapped.symbol}`
  return {
    left,
    sentence: `the weights name ${other.symbol} and not ${left.symbol}, so ${left.symbol} of the wallet counts as nothing: with ${way} the two are one asset`,
  }
}
