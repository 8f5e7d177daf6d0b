import { type Amount, show } from '../../core/amount.ts'
import { type Checklist, createChecklist } from '../../core/check.ts'
import { showDuration } from '../../core/duration.ts'
import { oneWhole, sameAddress, sameToken, type Token } from '../../core/token.ts'
import { capOf as capOfProof, fitsCap, type Proof } from '../proof.ts'
import { type Appraisal, type Plan, type Planned, pass, type Spent } from '../stages.ts'
import type { Policy } from './policy.ts'

/** The facts known before a quote is requested: parties, tokens, amounts, frequency. */
export type PlanBounds = {
  /** Why sources gave no value, for the refusal. */
  readonly absent: Appraisal['absent']
  readonly policy: Policy
  readonly spent: Spent
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Screens a plan, and marks it as one that policy allows. Throws before any quote is requested. */
export function draft(plan: Plan, bounds: PlanBounds): Planned {
  screen(plan, bounds)
  return pass<Planned>(plan)
}

/**
 * The rules before a quote is requested: an intent that policy would refuse never reaches the service. Throws Refused.
 */
export function screen(plan: Plan, bounds: PlanBounds): void {
  const checks = createChecklist('policy')
  checkPlan(plan, bounds, checks)
  checks.conclude()
}

/** Holds a plan to the rules that need no quote. */
export function checkPlan(plan: Plan, bounds: PlanBounds, checks: Checklist): void {
  checkUnvalued(plan, bounds, checks)
  checkNotional(plan, bounds, checks)
}

/** The rules that need no value either: parties, tokens, amounts and frequency. */
export function checkUnvalued(plan: Plan, bounds: PlanBounds, checks: Checklist): void {
  checkParties(plan, bounds.policy, checks)
  checkCaps(plan, bounds, checks)
}

function checkParties(
  { intent: { sell, buy, floor }, wallet, recipient, slippageBps }: Plan,
  policy: Policy,
  checks: Checklist,
): void {
  const listed = (token: Token) => policy.tokens.some((one) => sameToken(one, token))
  const allowed = policy.tokens.map(({ symbol }) => symbol).join(', ')
  checks.holds('token-sold', listed(sell.token), `one of ${allowed}`, sell.token.symbol)
  checks.holds('token-bought', listed(buy), `one of ${allowed}`, buy.symbol)
  checks.holds(
    'pair',
    policy.pairs.some(
      ([a, b]) =>
        (sameToken(a, sell.token) && sameToken(b, buy)) ||
        (sameToken(b, sell.token) && sameToken(a, buy)),
    ),
    policy.pairs.length === 0
      ? 'a pair of policy.pairs, which lists none'
      : `one of ${policy.pairs.map(([a, b]) => `${a.symbol}/${b.symbol}`).join(', ')}`,
    `${sell.token.symbol}/${buy.symbol}`,
  )
  checks.holds(
    'recipient',
    [wallet, ...policy.recipients].some((one) => sameAddress(one, recipient)),
    'the wallet or a listed recipient',
    recipient,
  )
  checks.holds(
    'floor',
    sameToken(floor.token, buy) && floor.wei > 0n,
    `more than 0 ${buy.symbol}`,
    show(floor),
  )
  checks.holds(
    'slippage',
    slippageBps <= policy.slippageBpsMax,
    `at most ${policy.slippageBpsMax} bps`,
    `${slippageBps} bps`,
  )
}

/** Per token, in the token's own units: these hold even where nothing prices it. */
function checkCaps(
  { intent: { sell } }: Plan,
  { policy, spent, now }: PlanBounds,
  checks: Checklist,
): void {
  const { token } = sell
  const perSwap = capOf(policy.perSwap, token)
  checks.holds(
    'per-swap',
    sell.wei > 0n && sell.wei <= perSwap,
    perSwap === 0n
      ? `a limit of more than 0 ${token.symbol} in policy.perSwap`
      : `more than 0, at most ${show({ token, wei: perSwap })}`,
    show(sell),
  )
  const perDay = capOf(policy.perDay, token)
  checks.holds(
    'per-day',
    spent.sold + sell.wei <= perDay,
    `at most ${show({ token, wei: perDay })} in 24 hours`,
    `${show(sell)} on top of ${show({ token, wei: spent.sold })}`,
  )
  const since = spent.lastAt === undefined ? undefined : now - spent.lastAt
  checks.holds(
    'cooldown',
    // Without a cooldown no clock that was set back refuses: the last swap may be later than now.
    policy.cooldownMs === 0 || since === undefined || since >= policy.cooldownMs,
    `${showDuration(policy.cooldownMs)} (policy.cooldown) after the strategy's last swap of this pair`,
    since === undefined ? 'no swap before' : `${Math.floor(since / 1_000)} s after it`,
  )
}

/** In the unit of account, over all tokens. A swap that cannot be valued cannot be limited, and is refused. */
function checkNotional(
  { notional, intent: { sell } }: Plan,
  { policy: { notional: limits, bands }, spent, absent }: PlanBounds,
  checks: Checklist,
): void {
  const unit = limits.perSwap.token
  const valued = notional !== undefined && sameToken(notional.token, unit) && notional.wei > 0n
  checks.holds(
    'valued',
    valued,
    `a value in ${unit.symbol} from an independent reference`,
    notional === undefined
      ? ['none', ...absent.map(({ source, reason }) => `${source}: ${reason}`)].join('; ')
      : show(notional),
  )
  const { otherUnit } = spent
  const stale = `${otherUnit} of the last 24 hours, counted in another unit than ${unit.symbol} (policy.unit): they leave the limits when they are a day old`
  checks.holds('one-unit', otherUnit === 0, '0', otherUnit === 0 ? '0' : stale)
  const band = bands.find((one) => sameToken(one.token, sell.token))
  if (valued && band !== undefined) {
    const [least, most] = [band.min, band.max].map(({ wei: price }) => sell.wei * price)
    const scaled = notional.wei * oneWhole(sell.token)
    checks.holds(
      'worth-within-band',
      least !== undefined && most !== undefined && least <= scaled && scaled <= most,
      `${show(band.min)} to ${show(band.max)} for one ${sell.token.symbol} (policy.bands)`,
      `${show(notional)} for ${show(sell)}`,
    )
  }
  const wei = valued ? notional.wei : 0n
  const within = (name: string, limit: Amount, [used, span]: readonly [bigint, string]) =>
    checks.holds(
      name,
      used + wei <= limit.wei,
      `at most ${show(limit)} ${span}`,
      used === 0n ? inUnit(wei) : `${inUnit(wei)} on top of ${inUnit(used)}`,
    )
  const inUnit = (sum: bigint) => show({ token: unit, wei: sum })
  within('notional-per-swap', limits.perSwap, [0n, 'a swap'])
  within('notional-per-hour', limits.perHour, [spent.hour, 'an hour'])
  within('notional-per-day', limits.perDay, [spent.day, 'in 24 hours'])
  within('notional-per-strategy', limits.perStrategy, [
    spent.strategy,
    'in 24 hours for one strategy',
  ])
}

/** The less of a swap is seen before it is signed, the less it may be worth. Of unknown worth it may be any. */
export function checkProof(
  plan: Pick<Plan, 'notional'>,
  { policy, proof }: { policy: Policy; proof: Proof },
  checks: Checklist,
): void {
  const cap = capOfProof(proof, policy)
  checks.holds(
    'proof',
    cap === undefined || fitsCap(plan, cap),
    cap === undefined
      ? 'any worth: proof is full'
      : `at most ${show(cap)} where proof is ${proof} (policy.proof)`,
    plan.notional === undefined ? 'unknown worth' : show(plan.notional),
  )
}

const capOf = (caps: readonly Amount[], token: Token) =>
  caps.find((cap) => sameToken(cap.token, token))?.wei ?? 0n
