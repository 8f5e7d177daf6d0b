import { createChecklist } from '../../core/check.ts'
import type { Clock } from '../../core/clock.ts'
import { type Means, proofOf } from '../proof.ts'
import { type Permitted, pass, type Verified } from '../stages.ts'
import { checkPlan, checkProof } from './checkPlan.ts'
import { checkWorth } from './checkWorth.ts'
import type { Policy, Spending } from './policy.ts'

/**
 * Applies the whole policy to a verified quote: the plan's rules again, as they stand now, and what the decoded amounts
 * are worth. Limits are looked at here; they were reserved when the swap was planned, in one transaction with the check.
 */
export function createPermit({
  policy,
  spending,
  means,
  clock,
}: {
  policy: Policy
  spending: Spending
  means: Means
  clock: Clock
}) {
  return async function permit(verified: Verified): Promise<Permitted> {
    const checks = createChecklist('policy', { earlier: verified.checks, remedy: 'skip' })
    const now = clock.now()
    const spent = await spending.spent(verified)
    const { absent } = verified.appraisal
    checkPlan(verified, { policy, spent, now, absent }, checks)
    checkWorth({ ...verified, now }, policy, checks)
    checkProof(verified, { policy, proof: proofOf(verified, means) }, checks)
    const { chainId } = verified.intent.sell.token
    const { swapId, call, quoteId } = verified
    const seen = await spending.quoteSeen({ chainId, router: call.to, quoteId, swapId })
    checks.holds('quote-unseen', !seen, 'a quote id never seen before', quoteId)
    return pass<Permitted>({ ...verified, checks: checks.conclude() })
  }
}
