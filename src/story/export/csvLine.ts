import { display } from '../../core/display.ts'
import type { Cell, Column, Row } from './exports.ts'

/** What a spreadsheet takes for the beginning of a formula; the wide forms are the same to it. */
const formula = /^[=+\-@\t\r＝＋－＠]/

const plainNumber = /^-?\d+(?:\.\d+)?$/

/** One line of RFC 4180. Text that a spreadsheet would run as a formula gets an apostrophe before it. */
export function csvLine(columns: readonly Column[], row: Row): string {
  return `${columns.map(({ name, kind }) => cellText(row[name], kind)).join(',')}\r\n`
}

function cellText(cell: Cell, kind: Column['kind']): string {
  if (cell === undefined) return ''
  const text = display(String(cell), Number.MAX_SAFE_INTEGER)
  // A number may begin with a minus; whatever else is in its column is text like any other.
  const safe =
    formula.test(text) && !(kind === 'number' && plainNumber.test(text)) ? `'${text}` : text
  return /^\s|\s$|[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
