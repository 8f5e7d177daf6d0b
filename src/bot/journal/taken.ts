import type { Kysely } from 'kysely'
import type { Address } from '../../core/token.ts'
import type { BooksScope, Taken } from '../books.ts'
import { deadStates, openStates } from '../state.ts'
import type { Tables } from './tables.ts'

const day = 24 * 60 * 60 * 1_000

/** Every swap that counts against a limit at `at`: what is open, however old, and what was signed within a day and is not dead. */
export async function taken(
  db: Kysely<Tables>,
  { chainId, wallet, at }: BooksScope & { at: number },
): Promise<readonly Taken[]> {
  const rows = await db
    .selectFrom('swap')
    .select(['id', 'strategy', 'sell_token', 'amount_in', 'notional', 'notional_unit', 'signed_at'])
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .where(({ eb, or }) => or([eb('state', 'in', [...openStates]), eb('signed_at', '>', at - day)]))
    .where('state', 'not in', [...deadStates])
    .execute()
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
