import type { Kysely } from 'kysely'
import type { Address } from '../../core/token.ts'
import { isOpen } from './isOpen.ts'
import type { Tables } from './tables.ts'

/** An allowance that no swap under way is going to use. Money within reach of a contract, however small that reach is. */
export type Liability = {
  readonly token: Address
  readonly spender: Address
  readonly wei: bigint
  /** The swap that it was set for, and that did not use it. */
  readonly swapId: string
}

/** What approvals of this wallet left behind. */
export async function liabilities(
  db: Kysely<Tables>,
  { wallet }: { wallet: Address },
): Promise<readonly Liability[]> {
  const rows = await db
    .selectFrom('allowance')
    .selectAll()
    .where('wallet', '=', wallet.toLowerCase())
    .where('wei', '!=', '0')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('swap')
            .select('swap.id')
            .whereRef('swap.wallet', '=', 'allowance.wallet')
            .whereRef('swap.sell_token', '=', 'allowance.token')
            .where(isOpen),
        ),
      ),
    )
    .orderBy('at')
    .execute()
  return rows.map(({ token, spender, wei, swap_id }) => ({
    token: token as Address,
    spender: spender as Address,
    wei: BigInt(wei),
    swapId: swap_id,
  }))
}
