import { sql } from 'kysely'
import { openDatabase } from '../schema/openDatabase.ts'
import type { Database } from '../store/database.ts'
import { openPostgresToRead } from '../store/postgres/openPostgres.ts'
import type { Tables } from '../store/tables.ts'

/** Rows copied at a time. */
const page = 200

/** In an order in which no row refers to one that is not there yet. */
const tables = [
  ...(['journal_kind', 'wallet', 'wallet_lease', 'swap', 'quote', 'attempt', 'allowance'] as const),
  ...([
    'permit',
    'decision',
    'refusal',
    'price',
    'slot',
    'strategy_total',
    'event',
    'lock',
  ] as const),
  ...(['baseline', 'reconciled', 'paper_balance', 'alert', 'alert_delivery', 'aftermath'] as const),
] satisfies readonly (keyof Tables)[]

// A table that is forgotten here does not compile.
type Forgotten = Exclude<keyof Tables, (typeof tables)[number]>
const complete: [Forgotten] extends [never] ? true : never = true

/** Copies a journal from a server into a new file: one moment of it, every table, as its bytes are stored. */
export async function copyServer(
  { url }: Extract<Database, { dialect: 'postgres' }>,
  path: string,
): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const server = opened.adopt(openPostgresToRead(url), (one) => one.destroy())
  const file = opened.adopt(await openDatabase({ dialect: 'sqlite', path }), (one) => one.destroy())
  // One snapshot for all of it: the transaction of a reader is one moment.
  await server
    .withoutPlugins()
    .transaction()
    .execute(async (moment) => {
      for (const table of complete ? tables : []) {
        await sql`DECLARE copied NO SCROLL CURSOR FOR SELECT * FROM ${sql.table(table)}`.execute(
          moment,
        )
        for (;;) {
          const { rows } = await sql<never>`FETCH ${sql.lit(page)} FROM copied`.execute(moment)
          if (rows.length > 0)
            await file.transaction().execute((trx) => trx.insertInto(table).values(rows).execute())
          if (rows.length < page) break
        }
        await sql`CLOSE copied`.execute(moment)
      }
    })
}
