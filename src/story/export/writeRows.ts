import { csvLine } from './csvLine.ts'
import type { Column, Export, Row, Wanted } from './exports.ts'
import { jsonLine } from './jsonLine.ts'

export type Format = 'csv' | 'json'

/** Takes a piece of the document; false when nobody reads it any more. */
export type Sink = (text: string) => Promise<boolean>

/** So much is gathered before it is written, in characters. */
const piece = 64 * 1_024

/** Writes every row as it is read and keeps none. Returns how many. */
export async function writeRows(
  { columns, rows }: Export,
  {
    wanted,
    format,
    sink,
    signal,
  }: {
    readonly wanted: Wanted | undefined
    readonly format: Format
    readonly sink: Sink
    readonly signal: AbortSignal
  },
): Promise<number> {
  let count = 0
  let waiting = format === 'csv' ? `${columns.map(({ name }) => name).join(',')}\r\n` : '['
  const lineOf = linesOf(format, columns)
  if (wanted !== undefined)
    for await (const row of rows(wanted)) {
      signal.throwIfAborted()
      waiting += lineOf(row, count)
      count += 1
      if (waiting.length < piece) continue
      if (!(await sink(waiting))) return count
      waiting = ''
    }
  await sink(format === 'csv' ? waiting : `${waiting}\n]\n`)
  return count
}

function linesOf(format: Format, columns: readonly Column[]) {
  return format === 'csv'
    ? (row: Row) => csvLine(columns, row)
    : (row: Row, index: number) => `${index === 0 ? '' : ','}\n${jsonLine(columns, row)}`
}
