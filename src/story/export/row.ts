import type { JournalReader } from '../../bot/journal/readJournal.ts'
import type { Amount } from '../../core/amount.ts'
import { formatDecimal } from '../../core/decimal.ts'
import type { MonthSpan } from '../month/monthSpan.ts'
import type { BookConfig } from '../month/readBooks.ts'

/** A cell: text, or digits that a spreadsheet may count with; undefined where there is nothing. */
export type Cell = string | number | undefined

/** A column by its name. A column of numbers holds plain decimal numbers; all else is text. */
export type Column = { readonly name: string; readonly kind: 'text' | 'number' }

export type Row = Readonly<Record<string, Cell>>

/** Which rows are wanted. Instants in milliseconds since the epoch. */
export type Wanted = {
  readonly journal: JournalReader
  readonly config: BookConfig
  readonly since: number | undefined
  readonly until: number | undefined
  /** A month of the statement: `since` and `until` are its own. */
  readonly month?: MonthSpan | undefined
}

/** One kind of export: its columns, and its rows in an order that is always the same, read in pages. */
export type Export = {
  readonly columns: readonly Column[]
  readonly rows: (wanted: Wanted) => AsyncGenerator<Row>
}

/** Columns by name; one that ends in `#` is of numbers. */
export function columns(...names: readonly string[]): readonly Column[] {
  return names.map((name) =>
    name.endsWith('#')
      ? { name: name.slice(0, -1), kind: 'number' as const }
      : { name, kind: 'text' as const },
  )
}

/** An amount as two cells, `sold_amount` and `sold_wei`: exact decimal text, and the integer. */
export function amountCells(name: string, amount: Amount | undefined): Row {
  return {
    [`${name}_amount`]: amount && formatDecimal(amount.wei, amount.token.decimals),
    [`${name}_wei`]: amount?.wei.toString(),
  }
}
