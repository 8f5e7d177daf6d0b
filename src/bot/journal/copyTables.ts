import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely'
import { type CopiedTable, copiedTables, type StoredRow, storedRows } from './store/copiedTables.ts'
import { inTransaction } from './store/inTransaction.ts'
import type { Tables } from './store/tables.ts'

/** Is told of each page, and may end the work by throwing. */
export type OnPage = (table: CopiedTable, rows: number) => Promise<void>

type Copying = {
  /** One moment: a transaction. */
  readonly from: Kysely<Tables>
  /** Has the tables, without a row. */
  readonly to: Kysely<Tables>
  readonly onPage?: OnPage
}

/** Copies every table as its bytes are stored, from either dialect into either, a page at a time. */
export async function copyTables({ from, to, onPage = async () => {} }: Copying): Promise<void> {
  const columns = await bytesColumns(to)
  for (const table of copiedTables)
    await inTransaction(to, async (trx) => {
      let copied = 0
      for await (const rows of storedRows(from, table)) {
        const values = rows.map((row) => inBytes(row, columns[table])) as never[]
        await trx.withoutPlugins().insertInto(table).values(values).execute()
        copied += rows.length
        await onPage(table, copied)
      }
      if (isServer(trx)) await settle(trx, table)
    })
}

const isServer = (db: Kysely<Tables>) => db.getExecutor().adapter instanceof PostgresAdapter

type Columns = Partial<Record<string, readonly string[]>>

/** The columns that take bytes alone. A column of SQLite takes text and bytes alike. */
async function bytesColumns(db: Kysely<Tables>): Promise<Columns> {
  if (!isServer(db)) return {}
  const { rows } = await sql<{ table: string; column: string }>`
    SELECT table_name AS table, column_name AS column FROM information_schema.columns
    WHERE table_schema = current_schema() AND data_type = 'bytea'`.execute(db)
  const grouped = Map.groupBy(rows, ({ table }) => table)
  return Object.fromEntries(
    [...grouped].map(([table, found]) => [table, found.map(({ column }) => column)]),
  )
}

/** Texts that are older than packing are the bytes of themselves: the driver would read a backslash in them as an escape. */
function inBytes(row: StoredRow, columns: readonly string[] = []): StoredRow {
  const texts = columns.filter((column) => typeof row[column] === 'string')
  if (texts.length === 0) return row
  return {
    ...row,
    ...Object.fromEntries(texts.map((column) => [column, Buffer.from(String(row[column]))])),
  }
}

/** Numbers that the server counts by itself go on behind the highest, and it plans by what the table has now. */
async function settle(trx: Transaction<Tables>, table: CopiedTable): Promise<void> {
  const { rows } = await sql<{ column: string }>`
    SELECT column_name AS column FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = ${table} AND is_identity = 'YES'`.execute(
    trx,
  )
  for (const { column } of rows)
    await sql`
      SELECT setval(pg_get_serial_sequence(${table}, ${column}), coalesce(max(${sql.ref(column)}), 0) + 1, false)
      FROM ${sql.table(table)}`.execute(trx)
  await sql`ANALYZE ${sql.table(table)}`.execute(trx)
}
