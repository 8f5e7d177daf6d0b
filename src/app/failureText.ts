import { display } from '../core/display.ts'
import { BallastError } from '../core/errors.ts'

/** An error on one line. */
export function failureText(error: unknown): string {
  if (!(error instanceof BallastError))
    return error instanceof Error ? display(error.message) : String(error)
  const facts = Object.entries(error.facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}`)
  return facts.length === 0 ? error.summary : `${error.summary} (${facts.join(', ')})`
}
