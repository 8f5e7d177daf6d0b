import { type Kysely, sql } from 'kysely'
import { writtenOff } from '../../state.ts'
import { approvalPaidAt } from '../store/approvalPaidAt.ts'
import type { Tables } from '../store/tables.ts'

/**
 * The books in numbers, for display, as far as they changed after an instant: swaps and calendar slots by state, the swaps
 * among them that a person wrote off, and the wei that gas cost a wallet in all. The coin is that of its chain.
 */
export async function countBooks(
  db: Kysely<Tables>,
  { chainId, wallet, since = 0 }: { chainId: number; wallet: string; since?: number },
) {
  const swaps = await db
    .selectFrom('swap')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .where('updated_at', '>', since)
    .groupBy('state')
    .execute()
  const slots = await db
    .selectFrom('slot')
    .select(({ fn }) => ['state', fn.sum<number>('slots').as('count')])
    .where('at', '>', since)
    .groupBy('state')
    .execute()
  const { off } = await db
    .selectFrom('swap')
    .select(({ fn }) => fn.countAll<number>().as('off'))
    .where('updated_at', '>', since)
    .where('code', '=', writtenOff)
    .executeTakeFirstOrThrow()
  const own = await db
    .selectFrom('swap')
    .select(paid)
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .where('updated_at', '>', since)
    .executeTakeFirst()
  const approvals = await db
    .selectFrom('attempt')
    .select(paid)
    .where('gas_paid', 'is not', null)
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    // What was signed behind the instant was paid behind it: of that the log need not be asked.
    .where((eb) => eb.or([eb('created_at', '>', since), eb(approvalPaidAt(eb), '>', since)]))
    .executeTakeFirst()
  const counted = (rows: readonly { state: string; count: number }[]) =>
    new Map(rows.map(({ state, count }) => [state, Number(count)]))
  return {
    swaps: counted(swaps),
    slots: counted(slots),
    writtenOff: Number(off),
    gasPaidWei: weiOf(own) + weiOf(approvals),
  }
}

/** Digits of the lower part of an amount. */
const lowDigits = 9

/** Integers in text outgrow those of SQLite: their upper and lower digits are added up apart, and both sums are exact. */
const paid = [
  sql<string | null>`CAST(sum(CAST(CASE WHEN length(gas_paid) > ${sql.lit(lowDigits)}
    THEN substr(gas_paid, 1, length(gas_paid) - ${sql.lit(lowDigits)}) ELSE '0' END AS bigint)) AS text)`.as(
    'high',
  ),
  sql<string | null>`CAST(sum(CAST(CASE WHEN length(gas_paid) > ${sql.lit(lowDigits)}
    THEN substr(gas_paid, length(gas_paid) - ${sql.lit(lowDigits - 1)}) ELSE gas_paid END AS bigint)) AS text)`.as(
    'low',
  ),
] as const

const weiOf = (sums: { high: string | null; low: string | null } | undefined): bigint =>
  BigInt(sums?.high ?? 0) * 10n ** BigInt(lowDigits) + BigInt(sums?.low ?? 0)
