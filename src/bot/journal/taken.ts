import type { Kysely } from 'kysely'
import type { Address } from '../../core/token.ts'
import type { BooksScope, CountedSwap } from '../books.ts'
import { deadStates } from '../state.ts'
import { openIds } from './openIds.ts'
import type { Tables } from './tables.ts'

const day = 24 * 60 * 60 * 1_000

/** Every swap that counts against a limit at `at`: what is open, however old, and what was signed within a day and is not dead. */
export async function countedSwaps(
  db: Kysely<Tables>,
  { chainId, wallet, at }: BooksScope & { at: number },
): Promise<readonly CountedSwap[]> {
  const counted = db
    .selectFrom('swap')
    .select(['id', 'strategy', 'sell_token', 'amount_in', 'notional', 'notional_unit', 'signed_at'])
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
  const open = await openIds(db)
  // Asked apart; `openIds` says why. A swap that was signed within a day and is open comes with both.
  const found = [
    ...(open.length === 0 ? [] : await counted.where('id', 'in', open).execute()),
    ...(await counted
      .where('signed_at', '>', at - day)
      .where('state', 'not in', [...deadStates])
      .execute()),
  ]
  const rows = [...new Map(found.map((row) => [row.id, row])).values()]
  return rows.map((row) => ({
    swapId: row.id,
    strategy: row.strategy,
    sellToken: row.sell_token as Address,
    amountIn: BigInt(row.amount_in),
    notional: BigInt(row.notional ?? 0),
    unit: row.notional_unit ?? undefined,
    signedAt: row.signed_at ?? undefined,
  }))
}
