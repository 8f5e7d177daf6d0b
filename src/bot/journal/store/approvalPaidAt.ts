import type { ExpressionBuilder } from 'kysely'
import type { Tables } from './tables.ts'

/** When the gas of an approval was paid: no two of a swap are under way at once, so its entry is the first since it was signed. */
export const approvalPaidAt = (eb: ExpressionBuilder<Tables, 'attempt'>) =>
  eb.fn.coalesce(
    eb
      .selectFrom('event')
      .select(({ fn }) => fn.min<number>('event.at').as('at'))
      .whereRef('event.swap_id', '=', 'attempt.swap_id')
      .where('event.type', '=', 'APPROVED')
      .whereRef('event.at', '>=', 'attempt.created_at'),
    'attempt.created_at',
  )
