import type { Kysely } from 'kysely'
import type { Address } from '../../core/token.ts'
import { openIds } from './openIds.ts'
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
    .orderBy('at')
    .execute()
  const ids = rows.length === 0 ? [] : await openIds(db)
  const open =
    ids.length === 0
      ? []
      : await db
          .selectFrom('swap')
          .select(['wallet', 'sell_token'])
          .where('id', 'in', ids)
          .execute()
  const idle = rows.filter(
    (row) => !open.some((swap) => swap.wallet === row.wallet && swap.sell_token === row.token),
  )
  return idle.map(({ token, spender, wei, swap_id }) => ({
    token: token as Address,
    spender: spender as Address,
    wei: BigInt(wei),
    swapId: swap_id,
  }))
}
