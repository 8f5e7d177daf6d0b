import { createHash, type Hash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { assert } from '../../core/assert.ts'
import type { OnPage } from './copyTables.ts'
import { type CopiedTable, copiedTables, type StoredRow, storedRows } from './store/copiedTables.ts'
import type { Tables } from './store/tables.ts'

/** A table's rows, and the SHA-256 over all of them in the order of their key: the same on a server as in a file. */
export type Digest = { readonly rows: number; readonly sha256: string }

/** Reads every table whole. */
export async function digestTables(
  db: Kysely<Tables>,
  onPage: OnPage,
): Promise<ReadonlyMap<CopiedTable, Digest>> {
  const digests = new Map<CopiedTable, Digest>()
  for (const table of copiedTables) digests.set(table, await digestTable(db, { table, onPage }))
  return digests
}

async function digestTable(
  db: Kysely<Tables>,
  { table, onPage }: { table: CopiedTable; onPage: OnPage },
): Promise<Digest> {
  const hash = createHash('sha256')
  let rows = 0
  for await (const page of storedRows(db, table)) {
    for (const row of page) addRow(hash, row)
    rows += page.length
    await onPage(table, rows)
  }
  // Pages go by the key: one that is not unique would leave out the same rows on both sides.
  const counted = await sql<{ rows: number }>`
    SELECT count(*) AS rows FROM ${sql.table(table)}`.execute(db)
  assert(counted.rows[0]?.rows === rows, `every row of ${table} was read`)
  return { rows, sha256: hash.digest('hex') }
}

/** Each value with its length before it, so that no two rows come to the same bytes. */
function addRow(hash: Hash, row: StoredRow): void {
  for (const column of Object.keys(row).sort()) {
    const bytes = bytesOf(row[column])
    hash.update(`${column} ${bytes?.length ?? 'null'} `)
    if (bytes !== undefined) hash.update(bytes)
  }
}

/** A text is its bytes: columns of packed texts have some that are older. A server has no zero in a text. */
function bytesOf(value: unknown): Uint8Array | undefined {
  if (value === null) return undefined
  return value instanceof Uint8Array
    ? value
    : Buffer.from(String(value).replaceAll('\0', '\u{FFFD}'))
}
