import { type Kysely, sql } from 'kysely'
import { type Amount, show } from '../../../core/amount.ts'
import { type BallastError, ballastError } from '../../../core/errors.ts'
import { dayMs, hourMs } from '../../../core/spans.ts'
import { sameAddress, usdAddress } from '../../../core/token.ts'
import { walletOfSchema, walletSchemaPattern } from '../../../core/walletSchema.ts'
import { counts } from '../../spent.ts'
import type { Spent } from '../../stages.ts'
import { openStates, type SwapState } from '../../state.ts'
import type { Database } from '../store/database.ts'
import { advisoryKeys } from '../store/postgres/advisoryKeys.ts'
import type { Tables } from '../store/tables.ts'

/** Limits over all wallets whose journals share a database, in USD; one that is absent is no limit. */
export type Treasury = {
  readonly dialect: Database['dialect']
  readonly perHour: Amount | undefined
  readonly perDay: Amount | undefined
}

type Counted = {
  readonly notional: string
  readonly signed_at: number | null
  readonly state: SwapState
}

/**
 * Holds a swap to the limits over all wallets, inside the transaction that plans or signs it: what the others reserved or
 * signed until its commit counts. Throws TREASURY_LIMIT.
 */
export async function holdTreasury(
  trx: Kysely<Tables>,
  {
    treasury,
    swapId,
    notional,
    at,
  }: {
    treasury: Treasury | undefined
    swapId: string
    /** What it sells, in the unit of account; undefined where that is unknown, which policy refuses. */
    notional: Amount | undefined
    at: number
  },
): Promise<void> {
  const { perHour, perDay } = treasury ?? {}
  if (treasury === undefined || (perHour ?? perDay) === undefined) return
  if (notional === undefined || !sameAddress(notional.token.address, usdAddress)) return
  const { dialect } = treasury
  // Waits for another wallet that is at it, until that one commits: no two share out one limit.
  if (dialect === 'postgres')
    await sql`SELECT pg_advisory_xact_lock(${sql.lit(advisoryKeys.treasury.toString())}::bigint)`.execute(
      trx,
    )
  const uses = [await usedOfTreasury(trx, { dialect, except: swapId, at })]
  const beyond = beyondTreasury(treasury, { notional, uses })
  if (beyond !== undefined) throw beyond
}

/** TREASURY_LIMIT where a swap is beyond the limits over all wallets, by what others use of them; undefined where it is not. */
export function beyondTreasury(
  treasury: Omit<Treasury, 'dialect'> | undefined,
  {
    notional,
    uses,
  }: {
    readonly notional: Amount | undefined
    /** Of an hour and of a day, in the smallest unit of USD. Added up. */
    readonly uses: readonly Pick<Spent, 'hour' | 'day'>[]
  },
): BallastError | undefined {
  if (notional === undefined || !sameAddress(notional.token.address, usdAddress)) return undefined
  const limits = [
    {
      limit: treasury?.perHour,
      span: 'an hour',
      used: uses.reduce((sum, one) => sum + one.hour, 0n),
    },
    {
      limit: treasury?.perDay,
      span: '24 hours',
      used: uses.reduce((sum, one) => sum + one.day, 0n),
    },
  ]
  for (const { limit, used, span } of limits) {
    if (limit === undefined || used + notional.wei <= limit.wei) continue
    return ballastError(
      'TREASURY_LIMIT',
      `All wallets together may swap ${show(limit)} in ${span}.`,
      { swap: show(notional), others: show({ ...notional, wei: used }) },
    )
  }
  return undefined
}

/**
 * What the swaps of every wallet of the database, without one, use of an hour and of 24 hours, as far as they are valued
 * in USD and in its smallest unit.
 */
export async function usedOfTreasury(
  db: Kysely<Tables>,
  {
    dialect,
    except = '',
    at,
  }: { readonly dialect: Database['dialect']; readonly except?: string; readonly at: number },
): Promise<{ readonly hour: bigint; readonly day: bigint }> {
  const schemas = dialect === 'postgres' ? await schemasOf(db) : ['']
  const open = sql.join(openStates.map((state) => sql.lit(state)))
  // Two queries of each journal: one condition with both would read every swap there ever was.
  const parts = schemas.flatMap((schema) => {
    const table = sql.table(schema === '' ? 'swap' : `${schema}.swap`)
    // In the words of the index over what was signed.
    const wallet = walletOfSchema(schema)
    const owner =
      wallet === undefined
        ? sql`TRUE`
        : sql`chain_id = ${wallet.chainId} AND wallet = ${wallet.address}`
    return [sql`state IN (${open})`, sql`signed_at > ${at - dayMs}`].map(
      (condition) => sql`
        SELECT id, notional, signed_at, state FROM ${table}
        WHERE ${owner} AND ${condition} AND notional_unit = ${usdAddress.toLowerCase()} AND id <> ${except}`,
    )
  })
  const { rows } = await sql<Counted>`${sql.join(parts, sql` UNION `)}`.execute(db)
  const counted = rows.filter((row) =>
    counts({ state: row.state, signedAt: row.signed_at ?? undefined }, at),
  )
  const sumSince = (since: number) =>
    counted
      .filter(({ signed_at }) => signed_at === null || signed_at > since)
      .reduce((sum, { notional }) => sum + BigInt(notional), 0n)
  return { hour: sumSince(at - hourMs), day: sumSince(at - dayMs) }
}

/** The schemas of every journal of the database, this one's among them. */
async function schemasOf(db: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ schema: string }>`
    SELECT nspname AS schema FROM pg_namespace
    WHERE (nspname ~ ${sql.lit(walletSchemaPattern)} OR nspname = current_schema())
      AND to_regclass(nspname || '.swap') IS NOT NULL
    ORDER BY nspname`.execute(db)
  return rows.map(({ schema }) => schema)
}
