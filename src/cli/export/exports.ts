import type { JournalReader } from '../../bot/journal/readJournal.ts'
import type { Config } from '../../config/config.ts'
import { decisionRows } from './decisionRows.ts'
import { ledgerRows } from './ledgerRows.ts'
import { slotRows } from './slotRows.ts'
import { swapRows } from './swapRows.ts'

/** A cell: text, or digits that a spreadsheet may count with; undefined where there is nothing. */
export type Cell = string | number | undefined

/** A column by its name. What is in a column of numbers is a plain decimal number; all else is text. */
export type Column = { readonly name: string; readonly kind: 'text' | 'number' }

export type Row = Readonly<Record<string, Cell>>

/** What is asked for. Instants in milliseconds since the epoch. */
export type Wanted = {
  readonly journal: JournalReader
  readonly config: Pick<Config, 'tokens'>
  readonly since: number | undefined
  readonly until: number | undefined
}

/** One kind of export: its columns, and its rows in an order that is always the same, read in pages. */
export type Export = {
  readonly columns: readonly Column[]
  readonly rows: (wanted: Wanted) => AsyncGenerator<Row>
}

export const exports = {
  swaps: swapRows,
  decisions: decisionRows,
  slots: slotRows,
  ledger: ledgerRows,
} as const satisfies Readonly<Record<string, Export>>
