import { type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** A lease is of one server and its clock: a copy has none. */
export type CopiedTable = Exclude<keyof Tables, 'wallet_lease'>

/** A row as its bytes are stored: packed texts stay packed. */
export type StoredRow = Readonly<Record<string, unknown>>

/** The columns that order the rows of each table; the tables in an order in which no row refers to one that is not there yet. */
const keys = {
  journal_kind: ['id'],
  wallet: ['chain_id', 'address'],
  swap: ['id'],
  quote: ['swap_id'],
  attempt: ['hash'],
  allowance: ['chain_id', 'wallet', 'token', 'spender'],
  permit: ['swap_id', 'digest'],
  decision: ['id'],
  refusal: ['id'],
  price: ['chain_id', 'sell_token', 'buy_token', 'hour'],
  valuation: ['chain_id', 'wallet', 'at'],
  slot: ['strategy', 'slot'],
  strategy_total: ['strategy', 'chain_id', 'sell_token', 'buy_token'],
  event: ['seq'],
  lock: ['id'],
  baseline: ['chain_id', 'wallet', 'token'],
  reconciled: ['chain_id', 'wallet'],
  paper_balance: ['chain_id', 'wallet', 'token'],
  alert: ['id'],
  alert_delivery: ['alert_id', 'channel'],
  aftermath: ['subject'],
} as const satisfies { readonly [table in CopiedTable]: readonly (keyof Tables[table])[] }

/** Every table that is copied, in the order of copying. */
export const copiedTables = Object.keys(keys) as readonly CopiedTable[]

/** Rows read at a time: of the longest some megabytes. */
const page = 200

/** The rows of a table in the order of its key, which both dialects compare byte by byte. */
export async function* storedRows(
  db: Kysely<Tables>,
  table: CopiedTable,
): AsyncGenerator<readonly StoredRow[]> {
  const columns: readonly string[] = keys[table]
  const key = sql.join(columns.map((column) => sql.ref(column)))
  let behind = sql``
  for (;;) {
    const { rows } = await sql<StoredRow>`
      SELECT * FROM ${sql.table(table)} ${behind} ORDER BY ${key} LIMIT ${sql.lit(page)}`.execute(
      db.withoutPlugins(),
    )
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < page) return
    behind = sql`WHERE (${key}) > (${sql.join(columns.map((column) => last[column]))})`
  }
}
