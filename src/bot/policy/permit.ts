import { type Amount, show } from '../../core/amount.ts'
import { type Checklist, createChecklist } from '../../core/check.ts'
import { type Address, sameAddress, sameToken, type Token } from '../../core/token.ts'
import { type Permitted, type Plan, pass, type Verified } from '../stages.ts'

/** What this treasury allows. What is not listed is refused. */
export type Policy = {
  readonly tokens: readonly Token[]
  readonly recipients: readonly Address[]
  readonly perSwap: readonly Amount[]
  readonly perDay: readonly Amount[]
  readonly slippageBpsMax: number
}

/** How much of a token other swaps sold in the last 24 hours; undecided ones count as sold. */
type Spending = {
  spentPerDay(sold: Token, except: string): Promise<bigint>
}

/** Applies the policy to a verified quote. The day's budget is looked at here and reserved by the journal when a swap is planned. */
export function createPermit({ policy, spending }: { policy: Policy; spending: Spending }) {
  return async function permit(verified: Verified): Promise<Permitted> {
    const checks = createChecklist('policy', { earlier: verified.checks })
    const { sell } = verified.intent
    const spent = await spending.spentPerDay(sell.token, verified.swapId)
    checkPlan(verified, { policy, spent }, checks)
    return pass<Permitted>({ ...verified, checks: checks.conclude() })
  }
}

/** The same rules before a quote is asked for: an intent that policy would refuse does not bother the service. */
export function screen(plan: Plan, bounds: { policy: Policy; spent: bigint }): void {
  const checks = createChecklist('policy')
  checkPlan(plan, bounds, checks)
  checks.conclude()
}

function checkPlan(
  { intent: { sell, buy, floor }, wallet, recipient, slippageBps }: Plan,
  { policy, spent }: { policy: Policy; spent: bigint },
  checks: Checklist,
) {
  const listed = (token: Token) => policy.tokens.some((one) => sameToken(one, token))
  const allowed = policy.tokens.map(({ symbol }) => symbol).join(', ')
  checks.holds('token-sold', listed(sell.token), `one of ${allowed}`, sell.token.symbol)
  checks.holds('token-bought', listed(buy), `one of ${allowed}`, buy.symbol)
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
  const perSwap = capOf(policy.perSwap, sell.token)
  checks.holds(
    'per-swap',
    sell.wei > 0n && sell.wei <= perSwap,
    `more than 0, at most ${show({ token: sell.token, wei: perSwap })}`,
    show(sell),
  )
  const perDay = capOf(policy.perDay, sell.token)
  checks.holds(
    'per-day',
    spent + sell.wei <= perDay,
    `at most ${show({ token: sell.token, wei: perDay })} in 24 hours`,
    show({ token: sell.token, wei: spent + sell.wei }),
  )
  checks.holds(
    'slippage',
    slippageBps <= policy.slippageBpsMax,
    `at most ${policy.slippageBpsMax} bps`,
    `${slippageBps} bps`,
  )
}

const capOf = (caps: readonly Amount[], token: Token) =>
  caps.find((cap) => sameToken(cap.token, token))?.wei ?? 0n
