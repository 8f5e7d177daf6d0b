import { type BallastError, ballastError } from './errors.ts'
import { withoutPossibleKeys } from './secret.ts'

/** Every problem of a configuration at once, each with its place. */
export function invalidConfig(lines: readonly string[]): BallastError {
  const shown = lines.map(withoutPossibleKeys)
  const [first = 'The configuration is not right.', ...others] = shown
  const shownCount = 30
  return ballastError('CONFIG_INVALID', first, {
    ...(others.length > 0 ? { problems: lines.length } : {}),
    ...Object.fromEntries(others.slice(0, shownCount).map((line, i) => [`problem${i + 2}`, line])),
  })
}
