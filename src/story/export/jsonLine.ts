import { displayJson } from '../../core/display.ts'
import { compactJson } from '../../core/json.ts'
import type { Column, Row } from './exports.ts'

/** One row as JSON on a line of its own: every column in order, null where there is nothing. Amounts are text. */
export function jsonLine(columns: readonly Column[], row: Row): string {
  return displayJson(
    compactJson(Object.fromEntries(columns.map(({ name }) => [name, row[name] ?? null]))),
  )
}
