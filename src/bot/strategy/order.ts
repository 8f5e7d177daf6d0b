import { type Amount, show } from '../../core/amount.ts'
import { maxOf, totalSold } from './amounts.ts'
import { type Fields, type GroupOf, notNothing } from './fields.ts'
import type { Own } from './strategy.ts'

const keys = ({ optional, ...kinds }: Fields) => ({
  repeat: optional(kinds.choice('once', 'always'), {
    doc: '`once` ends with the first swap that settled. Otherwise it sells slice after slice.',
    example: 'once',
    default: 'always',
  }),
  limit: optional(kinds.soldAmount, {
    doc: 'The most that is ever sold.',
    example: '10 WETH',
    rule: notNothing('is nothing, so nothing is ever sold: leave it out for no limit.'),
  }),
  keep: optional(kinds.soldAmount, {
    doc: 'Never sold. Of the native token it also pays the gas.',
    example: '5 WETH',
  }),
})
type Order = GroupOf<typeof keys> & { readonly sell: Amount }

/** Why there is nothing to do any more; from what was really sold. */
function finished({ totals }: Own, { sell, repeat, limit }: Order): string | undefined {
  const sold = totalSold({ totals, inflight: [] }, sell.token)
  if (repeat === 'once' && sold.wei > 0n)
    return `Sold ${show(sold)}: repeat is once, so it is done. Another order takes another name.`
  if (limit !== undefined && sold.wei >= limit.wei)
    return `Sold ${show(sold)} of at most ${show(limit)}: finished.`
  return undefined
}

/** The amount that is never sold; where the wallet may hold more than that, all it may hold. */
function kept({ sell: { token }, keep }: Order, mayHold?: Amount): Amount {
  return { token, wei: maxOf(keep?.wei ?? 0n, mayHold?.wei ?? 0n) }
}

/** An order of slices out of the wallet: keys, why it is finished, and the amount that is never sold. */
export const order = { keys, finished, kept }
