import { checkPlan, type PlanBounds } from '../bot/policy/checkPlan.ts'
import { checkWorth } from '../bot/policy/checkWorth.ts'
import type { Appraisal, Plan } from '../bot/stages.ts'
import type { Config } from '../config/config.ts'
import { type Amount, show } from '../core/amount.ts'
import { bpsOf, wholeBps } from '../core/bps.ts'
import { type Check, createChecklist, Refused } from '../core/check.ts'
import { balanceIn } from '../core/holdings.ts'
import { isNative, oneWhole } from '../core/token.ts'

/** Why a planned swap would not be done. */
export type PlanBlock = {
  /** Stable: the name of the check, or `funds`, `gas`, `lock`, `treasury`. */
  readonly rule: string
  /** One sentence, without its date. */
  readonly sentence: string
  /** The key that decides it, for `config.locate`; undefined where no key does. */
  readonly path: readonly (string | number)[] | undefined
}

type Candidate = {
  readonly plan: Plan
  readonly appraisal: Appraisal
  readonly bounds: PlanBounds
  /** The amount it would bring. */
  readonly received: Amount
  readonly balances: readonly Amount[]
  readonly swapCost: Amount | undefined
  readonly knownCost: Amount | undefined
  readonly valued: boolean
  /** Of the strategy in the file. */
  readonly strategyPath: readonly (string | number)[]
}

/** Holds a planned swap to the rules a live one is held to before its signature, as far as they need no quote. */
export function findBlocks(config: Config, judged: Candidate): readonly PlanBlock[] {
  const { plan, strategyPath } = judged
  const { sell, buy } = plan.intent
  const what = `${show(sell)} for ${buy.symbol}`
  const refusals = failed(judged).map(({ name, expected, actual }): PlanBlock => {
    const rule = name.slice(name.indexOf('.') + 1)
    const path = pathOf[rule]
    return {
      rule,
      sentence: `would refuse ${what}: expected ${expected}, got ${actual}.`,
      path: path === undefined ? strategyPath : path,
    }
  })
  return [...refusals, ...lacking(judged, strategyPath), ...tooDear(config, judged)]
}

/** The key of the configuration behind each rule of the policy; what is not here is the strategy's own. */
const pathOf: Readonly<Record<string, readonly string[]>> = {
  'token-sold': ['policy', 'tokens'],
  'token-bought': ['policy', 'tokens'],
  pair: ['policy', 'pairs'],
  recipient: ['policy', 'recipients'],
  slippage: ['policy', 'maxSlippage'],
  'per-swap': ['policy', 'perSwap'],
  'per-day': ['policy', 'perDay'],
  cooldown: ['policy', 'cooldown'],
  valued: ['policy', 'references'],
  'one-unit': ['policy', 'unit'],
  'notional-per-swap': ['policy', 'notional', 'perSwap'],
  'notional-per-hour': ['policy', 'notional', 'perHour'],
  'notional-per-day': ['policy', 'notional', 'perDay'],
  'notional-per-strategy': ['policy', 'notional', 'perStrategy'],
  references: ['policy', 'minReferences'],
  'not-below-reference': ['policy', 'maxDeviation'],
  'not-above-reference': ['policy', 'maxDeviation'],
  pegs: ['policy', 'stablecoins'],
  'worth-within-band': ['policy', 'bands'],
  'within-bands': ['policy', 'bands'],
}

/** Rules that show nothing where the worth of the swap was not queried. */
const ofWorth =
  /\.(valued|one-unit|notional-.*|references|.*within-bands?|not-.*-reference|pegs|appraisal-age)$/

/** The real checks; all that failed. */
function failed(judged: Candidate): readonly Check[] {
  const { plan, appraisal, bounds, received, valued } = judged
  const checks = createChecklist('policy')
  checkPlan(plan, bounds, checks)
  if (valued) {
    const quoted = received.wei - bpsOf(received.wei, plan.slippageBps)
    const { intent } = plan
    const { floor } = intent
    const minimum = quoted > floor.wei ? { ...received, wei: quoted } : floor
    const now = appraisal.askedAt
    checkWorth({ appraisal, intent, amountOut: received, minimum, now }, bounds.policy, checks)
  }
  const all = conclusionOf(checks)
  // Without a query, only the gaps in the file itself count.
  const unpriceable = appraisal.absent.length > 0
  return all.filter(
    ({ ok, name }) =>
      !ok && (valued || !ofWorth.test(name) || (unpriceable && /\.valued$/.test(name))),
  )
}

function conclusionOf(checks: ReturnType<typeof createChecklist>): readonly Check[] {
  try {
    return checks.conclude()
  } catch (error) {
    if (error instanceof Refused) return error.checks
    throw error
  }
}

function lacking(
  { plan, balances, swapCost }: Candidate,
  path: readonly (string | number)[],
): readonly PlanBlock[] {
  const { sell } = plan.intent
  const holds = balanceIn(balances, sell.token)
  if (holds < sell.wei)
    return [
      {
        rule: 'funds',
        sentence: `the wallet would hold ${show({ ...sell, wei: holds })}, less than the ${show(sell)} to sell.`,
        path,
      },
    ]
  if (swapCost === undefined) return []
  const coin = balances.find(({ token }) => isNative(token))
  const left = (coin?.wei ?? 0n) - (isNative(sell.token) ? sell.wei : 0n)
  if (left >= swapCost.wei) return []
  return [
    {
      rule: 'gas',
      sentence: `the wallet would hold ${show({ ...swapCost, wei: left })}, less than the ${show(swapCost)} that a swap's gas costs now.`,
      path: ['wallet'],
    },
  ]
}

/**
 * Gas that eats more of the swap than policy allows: the amount is dust. Held to what swaps did cost: the most that
 * policy lets one cost refuses amounts that a live swap passes with.
 */
function tooDear(
  config: Config,
  { plan, appraisal, knownCost: swapCost }: Candidate,
): readonly PlanBlock[] {
  const { coin } = appraisal
  const { notional, intent } = plan
  if (coin === undefined || notional === undefined || swapCost === undefined) return []
  if (notional.wei === 0n) return []
  const one = oneWhole(swapCost.token)
  const worth = swapCost.wei * coin.wei * wholeBps
  const cost = (worth + notional.wei * one - 1n) / (notional.wei * one)
  const most = BigInt(config.policy.gasCostBpsMax)
  if (cost <= most) return []
  const least = most === 0n ? undefined : (worth + most * one - 1n) / (most * one)
  const hint =
    least === undefined
      ? ''
      : ` Sell at least ${show({ token: notional.token, wei: least })} at once.`
  return [
    {
      rule: 'gas-cost',
      sentence: `gas would cost ${cost} bps of ${show(intent.sell)}, more than the ${most} bps allowed.${hint}`,
      path: ['policy', 'maxGasCost'],
    },
  ]
}
