import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { type Hex, keccak256 } from 'viem'
import { chainHash } from '../../../src/bot/journal/log/log.ts'
import { packed, unpacked } from '../../../src/bot/journal/store/packed.ts'

type Row = Record<string, SQLInputValue>

/**
 * Makes many swaps of the last one of a journal in a file, each with bytes, hashes and entries of its own: through the
 * journal a hundred thousand would take an hour.
 */
export function multiplySwap(path: string, count: number): void {
  const file = new DatabaseSync(path)
  file.exec('PRAGMA synchronous = OFF; BEGIN')
  const rows = (sql: string, ...values: SQLInputValue[]) =>
    file.prepare(sql).all(...values) as Row[]
  const [swap = {}] = rows(`SELECT * FROM swap WHERE state = 'SETTLED' ORDER BY nonce DESC LIMIT 1`)
  const id = String(swap.id)
  const model = {
    ...{ id, swap, quotes: rows('SELECT * FROM quote WHERE swap_id = ?', id) },
    attempts: rows('SELECT * FROM attempt WHERE swap_id = ?', id),
    entries: rows('SELECT * FROM event WHERE swap_id = ? ORDER BY seq', id),
    decisions: rows('SELECT * FROM decision ORDER BY id DESC LIMIT 1'),
  }
  const insert = createInsert(file)
  let [last] = rows('SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1')
  for (let nth = 1; nth <= count; nth += 1)
    last = insertAnother({ ...model, nth, last: last ?? {}, insert })
  file.exec('COMMIT')
  file.close()
}

type Model = {
  readonly id: string
  readonly swap: Row
  readonly quotes: readonly Row[]
  readonly attempts: readonly Row[]
  readonly entries: readonly Row[]
  readonly decisions: readonly Row[]
  readonly nth: number
  /** The newest entry of the log. */
  readonly last: Row
  readonly insert: (table: string, row: Row) => void
}

/** Returns its last entry. */
function insertAnother({ id, swap, nth, insert, ...model }: Model): Row {
  const digits = nth.toString(16).padStart(12, '0')
  const other = `${id.slice(0, -12)}${digits}`
  const nonceOf = ({ nonce }: Row) => Number(nonce) + 10 * nth
  const anew = model.attempts.map((attempt) => {
    const raw = text(attempt.raw)
    const bytes = `${raw.slice(0, -80)}${digits}${raw.slice(-68)}` as Hex
    const row = { ...attempt, hash: keccak256(bytes), swap_id: other, raw: packed(bytes) }
    return { old: String(attempt.hash), row: { ...row, nonce: nonceOf(attempt) } }
  })
  const renewed = (facts: string) =>
    anew.reduce(
      (words, { old, row }) => words.replaceAll(old, row.hash),
      facts.replaceAll(id, other),
    )
  insert('swap', {
    ...{ ...swap, id: other, key: `${swap.key} ${nth}`, nonce: nonceOf(swap) },
    included_hash: renewed(String(swap.included_hash)),
  })
  for (const quote of model.quotes)
    insert('quote', { ...quote, swap_id: other, quote_id: `${quote.quote_id}${digits}` })
  for (const { row } of anew) insert('attempt', row)
  for (const { id: _, ...decision } of model.decisions) insert('decision', decision)
  let { seq, hash } = model.last
  for (const entry of model.entries) {
    const prev = text(hash)
    seq = Number(seq) + 1
    const facts = renewed(text(entry.facts))
    const [at, type] = [Number(entry.at), String(entry.type)]
    const next = chainHash(prev, { seq, swap_id: other, at, type, facts })
    const chained = { prev: packed(prev), hash: packed(next), facts: packed(facts) }
    insert('event', { ...entry, seq, swap_id: other, ...chained })
    hash = chained.hash
  }
  return { seq: seq ?? 0, hash: hash ?? '' }
}

const text = (value: SQLInputValue | undefined) =>
  value instanceof Uint8Array ? unpacked(value) : String(value)

function createInsert(file: DatabaseSync) {
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  return (table: string, row: Row) => {
    const columns = Object.keys(row).map((column) => `"${column}"`)
    const known = statements.get(table)
    const statement =
      known ??
      file.prepare(
        `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
      )
    statements.set(table, statement)
    statement.run(...Object.values(row))
  }
}
