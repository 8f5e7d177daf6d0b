import type { Kysely } from 'kysely'
import type { Address, Token } from '../../core/token.ts'
import { deadStates } from '../state.ts'
import type { Tables } from './tables.ts'

const day = 24 * 60 * 60 * 1_000

/** What a wallet sold of a token in the 24 hours before `at`, in the token's smallest unit. What is undecided counts as sold. */
export async function spentPerDay(
  db: Kysely<Tables>,
  { token, wallet, at, except }: { token: Token; wallet: Address; at: number; except: string },
): Promise<bigint> {
  const rows = await db
    .selectFrom('swap')
    .select('amount_in')
    .where('chain_id', '=', token.chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .where('sell_token', '=', token.address.toLowerCase())
    .where('created_at', '>', at - day)
    .where('state', 'not in', [...deadStates])
    .where('id', '!=', except)
    .execute()
  return rows.reduce((total, { amount_in }) => total + BigInt(amount_in), 0n)
}
