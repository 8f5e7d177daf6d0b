import { ballastError } from '../../core/errors.ts'

/** Reads `2026-01-10` (midnight UTC) or `2026-01-10T09:00:00Z` as milliseconds since the epoch. */
export function readInstant(text: string): number {
  const form = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?$/
  const at = form.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(at)) return at
  throw ballastError(
    'USAGE',
    `'${text.slice(0, 40)}' is not an instant: write '2026-01-10' for midnight UTC, or '2026-01-10T09:00:00Z'.`,
  )
}
