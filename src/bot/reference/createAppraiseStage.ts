import type { Amount } from '../../core/amount.ts'
import { sameToken } from '../../core/token.ts'
import { type Appraise, type Appraised, type Funded, pass } from '../stages.ts'

/**
 * Asks the sources anew for every quote: what they say must be as fresh as what it is compared with.
 *
 * Between the plan and its quote lie approvals, which may take an hour. From here on the swap is worth the larger of
 * what it was planned at and what it is now: limits hold at both prices.
 */
export function createAppraiseStage(appraise: Appraise) {
  return async function appraiseFunded(funded: Funded): Promise<Appraised> {
    const appraisal = await appraise(funded.intent)
    const notional = larger(funded.notional, appraisal.notional)
    return pass<Appraised>({ ...funded, notional, appraisal })
  }
}

function larger(planned: Amount | undefined, now: Amount | undefined): Amount | undefined {
  if (planned === undefined || now === undefined || !sameToken(planned.token, now.token))
    return undefined
  return planned.wei > now.wei ? planned : now
}
