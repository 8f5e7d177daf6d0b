import { show } from '../../core/amount.ts'
import type { Checklist } from '../../core/check.ts'

import type { Permitted } from '../stages.ts'
import type { Deltas } from './deltasOf.ts'

/**
 * Exactly what is sold leaves the wallet, at least the minimum reaches the recipient, and nothing else moves.
 *
 * With maker legs alone nothing can slip, so then the received amount must be the quoted one to the wei.
 */
export function checkDeltas(
  { intent, amountOut, minimum, orders }: Permitted,
  { unreadable, spent, received, others }: Deltas,
  checks: Checklist,
): void {
  checks.equal('balances-readable', 0, unreadable)
  checks.equal('spent', show(intent.sell), show({ token: intent.sell.token, wei: spent }))
  const makersOnly = orders.length > 0 && orders.every(({ signature }) => signature !== '0x')
  checks.holds(
    'received',
    makersOnly ? received === amountOut.wei : received >= minimum.wei,
    makersOnly ? `exactly ${show(amountOut)}` : `at least ${show(minimum)}`,
    show({ token: intent.buy, wei: received }),
  )
  checks.equal(
    'nothing-else-moves',
    'nothing else',
    others.length === 0 ? 'nothing else' : others.map(show).join(', '),
  )
}
