import type { Amount } from '../../core/amount.ts'
import { sameToken } from '../../core/token.ts'
import type { Appraisal, Appraise } from '../stages.ts'

/**
 * Reads the references through two nodes. What a swap is worth decides whether it must be witnessed and whether it is
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
