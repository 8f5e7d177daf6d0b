import { createHash } from 'node:crypto'
import { printJson } from '../core/json.ts'
import type { FileText } from './fileSchema.ts'
import { redacted } from './redacted.ts'

/** SHA-256 of everything a configuration says, defaults and variables included, without what addresses may carry. */
export function hashOf(text: FileText): string {
  return createHash('sha256')
    .update(printJson(inOrder(redacted(text))))
    .digest('hex')
}

/** The order of keys says nothing; that of a list does. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, inOrder(part)]),
  )
}
