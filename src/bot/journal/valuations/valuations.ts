import type { Kysely, Selectable } from 'kysely'
import { z } from 'zod'
import type { Amount } from '../../../core/amount.ts'
import { sumWei } from '../../../core/holdings.ts'
import { compactJson } from '../../../core/json.ts'
import { dayMs, hourMs } from '../../../core/spans.ts'
import type { Address, Token } from '../../../core/token.ts'
import { packed } from '../store/packed.ts'
import { bound, type Store } from '../store/store.ts'
import type { Tables } from '../store/tables.ts'
import { amountText, tokenText } from '../store/text.ts'

/** An amount that a wallet holds, and its worth; undefined where no independent source gives one. */
export type Holding = {
  readonly held: Amount
  readonly worth: Amount | undefined
  /** The independent sources that its worth is of; absent in older rows, and of the unit itself. */
  readonly sources?: readonly string[] | undefined
}

/** What a wallet held and was worth at an instant, in milliseconds since the epoch. */
export type Valuation = {
  readonly at: number
  readonly unit: Token
  readonly holdings: readonly Holding[]
  /** Of all holdings; undefined where the worth of one is unknown. */
  readonly total: Amount | undefined
  /** Whether it was made up for a demonstration. */
  readonly seeded: boolean
}

type Unrecorded = Omit<Valuation, 'total' | 'seeded'>
type Owner = { readonly chainId: number; readonly wallet: Address }

export const createValuationsReader = (store: Store) =>
  bound(store, { since: valuationsSince, page: pageValuations, last: lastValuation })

export const createValuations = (store: Store) => ({
  ...createValuationsReader(store),
  ...bound(store, { record: recordValuation, seed: seedValuations }),
})

/** All of them are kept for so long, then the first of each hour: a year is at most some 9,000 rows. */
const allMs = 2 * dayMs

/** Looked back at to thin: a process that was away for longer leaves its last days as they were. */
const thinnedMs = 30 * dayMs

/** Writes down a valuation, and thins those that are older than two days. */
async function recordValuation(
  db: Kysely<Tables>,
  { chainId, wallet, ...valuation }: Owner & Unrecorded,
): Promise<void> {
  const owner = { chain_id: chainId, wallet: wallet.toLowerCase() }
  const { at } = valuation
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('valuation')
      .values({ ...owner, ...columnsOf(valuation) })
      .onConflict((conflict) => conflict.columns(['chain_id', 'wallet', 'at']).doNothing())
      .execute()
    const old = await trx
      .selectFrom('valuation')
      .select('at')
      .where('chain_id', '=', owner.chain_id)
      .where('wallet', '=', owner.wallet)
      .where('at', '>=', at - allMs - thinnedMs)
      .where('at', '<', at - allMs)
      .orderBy('at')
      .execute()
    const surplus = old.filter((row, index) => hourOf(row.at) === hourOf(old[index - 1]?.at ?? 0))
    for (const row of surplus)
      await trx
        .deleteFrom('valuation')
        .where('chain_id', '=', owner.chain_id)
        .where('wallet', '=', owner.wallet)
        .where('at', '=', row.at)
        .execute()
  })
}

/** Made-up valuations of a wallet that has none: before the first that is real, and never a second time. */
async function seedValuations(
  db: Kysely<Tables>,
  { chainId, wallet, past }: Owner & { readonly past: readonly Unrecorded[] },
): Promise<void> {
  const owner = { chain_id: chainId, wallet: wallet.toLowerCase() }
  await db.transaction().execute(async (trx) => {
    const known = await trx
      .selectFrom('valuation')
      .select('at')
      .where('chain_id', '=', owner.chain_id)
      .where('wallet', '=', owner.wallet)
      .limit(1)
      .executeTakeFirst()
    if (known !== undefined) return
    const rows = past.map((valuation) => ({ ...owner, ...columnsOf(valuation), seeded: 1 }))
    if (rows.length > 0) await trx.insertInto('valuation').values(rows).execute()
  })
}

const columnsOf = ({ at, unit, holdings }: Unrecorded) => ({
  at,
  unit: compactJson(unit),
  total: totalOf(holdings, unit)?.wei.toString() ?? null,
  holdings: packed(compactJson(holdings)),
})

const hourOf = (at: number) => Math.floor(at / hourMs)

function totalOf(holdings: readonly Holding[], unit: Token): Amount | undefined {
  const worths = holdings.flatMap(({ worth }) => worth ?? [])
  return worths.length < holdings.length ? undefined : { token: unit, wei: sumWei(worths) }
}

const holdingsText = z.array(
  z.object({
    held: amountText,
    worth: amountText.optional(),
    sources: z.array(z.string()).optional(),
  }),
)

/** Valuations of a wallet from an instant on, oldest first; of more than `limit` as many, evenly chosen, and the newest. */
async function valuationsSince(
  db: Kysely<Tables>,
  { chainId, wallet, since, limit }: Owner & { readonly since: number; readonly limit: number },
): Promise<readonly Valuation[]> {
  const instants = await db
    .selectFrom('valuation')
    .select('at')
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .where('at', '>=', since)
    .orderBy('at')
    .execute()
  const step = Math.max(1, Math.ceil(instants.length / limit))
  const chosen = instants.flatMap(({ at }, index) =>
    index % step === 0 || index === instants.length - 1 ? [at] : [],
  )
  if (chosen.length === 0) return []
  const rows = await db
    .selectFrom('valuation')
    .select(['at', 'unit', 'total', 'holdings', 'seeded'])
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .where('at', 'in', chosen)
    .orderBy('at')
    .execute()
  return rows.map(readValuation)
}

type ValuationPage = Owner & {
  readonly after?: { readonly at: number } | undefined
  readonly until: number
  readonly limit: number
}

/** What a wallet really held before an instant, oldest first, a page of it: a seeded past is in no statement. */
async function pageValuations(
  db: Kysely<Tables>,
  { chainId, wallet, after, until, limit }: ValuationPage,
): Promise<readonly Valuation[]> {
  const rows = await db
    .selectFrom('valuation')
    .select(['at', 'unit', 'total', 'holdings', 'seeded'])
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .where('seeded', '=', 0)
    .where('at', '>', after?.at ?? -1)
    .where('at', '<', until)
    .orderBy('at')
    .limit(limit)
    .execute()
  return rows.map(readValuation)
}

/** The last valuation of a wallet that was not made up. */
export async function lastValuation(
  db: Kysely<Tables>,
  { chainId, wallet }: Owner,
): Promise<Valuation | undefined> {
  const last = await db
    .selectFrom('valuation')
    .select(['at', 'unit', 'total', 'holdings', 'seeded'])
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .where('seeded', '=', 0)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last && readValuation(last)
}

type Row = Pick<Selectable<Tables['valuation']>, 'at' | 'unit' | 'total' | 'holdings' | 'seeded'>

function readValuation({ at, unit: unitText, total, holdings, seeded }: Row): Valuation {
  const unit = tokenText.parse(JSON.parse(unitText))
  return {
    at,
    unit,
    total: total === null ? undefined : { token: unit, wei: BigInt(total) },
    holdings: holdingsText
      .parse(JSON.parse(holdings))
      .map(({ held, worth, sources }) => ({ held, worth, ...(sources && { sources }) })),
    seeded: seeded === 1,
  }
}
