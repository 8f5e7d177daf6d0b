import { addressField } from '../../../api/fields.ts'
import type { OrderLevel, OrderPair, PublishedPair } from '../../../api/orderbook.ts'
import { isRecord } from '../../../core/json.ts'

/** Every name of a row in the contract. */
const rowNames = 7

/** A text with more lists is judged before it is parsed: within one another, two characters each, they fill a heap. */
const listsMax = 2_000_000

/**
 * Reads order books at about the price of `JSON.parse`.
 *
 * A body that came before is the value it was then: its bytes are compared, nothing is read. A new one whose every row
 * is exactly as the contract says is taken after one look at each number. It says nothing about any other text, which
 * then goes the thorough way, whose refusals have words.
 */
export function createBookDecoder() {
  let last:
    | {
        readonly bytes: Uint8Array
        readonly text: string
        rows: readonly PublishedPair[] | undefined
      }
    | undefined
  return {
    /** The text of a body; the very same text again for the same bytes, so that comparing the two costs nothing. */
    decode(bytes: Buffer): string {
      if (last === undefined || !bytes.equals(last.bytes))
        last = { bytes, text: bytes.toString('utf8'), rows: undefined }
      return last.text
    },

    /** Undefined: the thorough way decides. */
    read(text: string): readonly PublishedPair[] | undefined {
      const known = text === last?.text ? last.rows : undefined
      if (known !== undefined) return known
      const rows = plainBook(text)
      if (rows !== undefined) this.keep(text, rows)
      return rows
    },

    /** Remembers what a text was read as, if it is the newest. */
    keep(text: string, rows: readonly PublishedPair[]): void {
      if (text === last?.text) last.rows = rows
    },
  }
}

/** The rows of a text whose grammar, names and values leave no doubt. Undefined: it may be good or bad. */
function plainBook(text: string): readonly OrderPair[] | undefined {
  if (text.length > 2 * listsMax && countOf(text, '[') > listsMax) return undefined
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // The thorough way says what is wrong.
    return undefined
  }
  if (!Array.isArray(body)) return undefined
  let names = 0
  for (const row of body) {
    if (!isPlainRow(row)) return undefined
    let own = 0
    for (const name in row) {
      if (name === '__proto__') return undefined
      own += 1
    }
    // What the contract does not know may be nested without end.
    if (own !== rowNames && hasMoreThanLevels(row)) return undefined
    names += own
  }
  // A name that is there twice has two colons and one field.
  return names === countOf(text, ':') ? body : undefined
}

const hasMoreThanLevels = (row: OrderPair) =>
  Object.values(row).some((one) => typeof one === 'object' && one !== row.levels)

function countOf(text: string, mark: string): number {
  let count = 0
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + 1)) count += 1
  return count
}

/** Accepts less than the contract does, and nothing that it refuses. Writes the side in the first generation's case. */
function isPlainRow(row: unknown): row is OrderPair {
  if (!isRecord(row) || !isLevels(row.levels) || !isSize(row.minimum_in_base)) return false
  if (typeof row.base_symbol !== 'string' || typeof row.quote_symbol !== 'string') return false
  if (!isPlainAddress(row.base_address) || !isPlainAddress(row.quote_address)) return false
  if (row.side !== 'bid' && row.side !== 'ask') {
    if (row.side !== 'BID' && row.side !== 'ASK') return false
    row.side = row.side.toLowerCase()
  }
  return true
}

/** Mixed case has a checksum, which is worth computing once per address and not once per book. */
const checked = new Set<string>()
const checkedMax = 20_000

function isPlainAddress(value: unknown): boolean {
  if (typeof value !== 'string') return false
  if (/^0x[0-9a-f]{40}$/.test(value) || checked.has(value)) return true
  if (!addressField.safeParse(value).success) return false
  if (checked.size >= checkedMax) checked.clear()
  checked.add(value)
  return true
}

function isLevels(value: unknown): value is OrderLevel[] {
  if (!Array.isArray(value)) return false
  for (let at = 0; at < value.length; at += 1) {
    const level: unknown = value[at]
    if (!Array.isArray(level) || level.length !== 2) return false
    if (!isSize(level[0]) || !isSize(level[1])) return false
  }
  return true
}

/** `1e999` is read as Infinity. */
const isSize = (value: unknown) => typeof value === 'number' && value >= 0 && value < Infinity
