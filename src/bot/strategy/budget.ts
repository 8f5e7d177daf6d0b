import { type Amount, show } from '../../core/amount.ts'
import { leftOf, minAmount, totalSold } from './amounts.ts'
import { type Fields, type GroupOf, notNothing } from './fields.ts'
import type { Own } from './strategy.ts'

const keys = ({ optional, ...kinds }: Fields) => ({
  budget: optional(kinds.soldAmount, {
    doc: 'The most that is ever sold, exact. What settled and what is in flight never exceed it; less than `minimum` left is the end.',
    example: '26000 USDC',
    rule: notNothing('is nothing, so nothing is ever sold: leave it out for no limit.'),
  }),
  reserve: optional(kinds.soldAmount, {
    doc: 'Hidden from strategies of the same or a lower priority. Never more than the budget still allows, and nothing after `end`.',
    example: '2000 USDC',
  }),
})
type Budget = GroupOf<typeof keys> & { readonly minimum?: Amount | undefined }

/** The reserve, as far as the budget allows to sell it. */
function reserved(own: Own, { budget, reserve }: Budget): readonly Amount[] {
  return reserve === undefined ? [] : [minAmount(reserve, budget && leftOf(own, budget))]
}

/** Why the budget allows nothing any more; undefined while it does, and without one. */
function spentUp(own: Own, { budget, minimum }: Budget): string | undefined {
  if (budget === undefined) return undefined
  const rest = leftOf(own, budget)
  const sold = `Sold ${show(totalSold(own, budget.token))} of ${show(budget)}: finished.`
  if (rest.wei === 0n) return sold
  if (minimum === undefined || rest.wei >= minimum.wei) return undefined
  return `${sold} The rest of ${show(rest)} is less than the minimum of ${show(minimum)}.`
}

/** A limit of all sales, and a reserve: keys, the reserved amount, and why nothing may be sold any more. */
export const budget = { keys, reserved, spentUp }
