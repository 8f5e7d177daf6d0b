import { display } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'

/** That the file has no strategy of this name, and which one may have been meant. */
export function unknownStrategy(name: string, known: readonly string[]): BallastError {
  const meant = nearest(name, known)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  return new BallastError(`There is no strategy '${display(name, 64)}' in the file.${hint}`, {
    code: 'UNKNOWN_STRATEGY',
    remedy: 'skip',
    fault: 'usage',
    facts: { known: known.join(', ') || 'none' },
  })
}
