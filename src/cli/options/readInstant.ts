import { display } from '../../core/display.ts'
import { ballastError } from '../../core/errors.ts'

/** Reads an option that is an instant: `2026-11-20` is midnight UTC. Milliseconds since the epoch. */
export function readInstant(name: string) {
  return (text: string): number => {
    const form =
      /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/
    const day = form.exec(text)?.[1]
    const at = day === undefined ? Number.NaN : Date.parse(text)
    // Date rolls the 31st of a short month over into the next.
    const midnight = new Date(`${day}T00:00:00Z`).getTime()
    const rolled = Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day
    if (!Number.isNaN(at) && !rolled) return at
    throw ballastError(
      'USAGE',
      `${name} takes an instant such as 2026-11-20 (midnight UTC) or 2026-11-20T09:00:00Z, not '${display(text, 40)}'.`,
    )
  }
}
