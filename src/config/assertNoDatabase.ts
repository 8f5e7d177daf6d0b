import { usageError } from '../core/errors.ts'
import { type Environment, showVariable, variables } from './file/variables.ts'

/** Throws USAGE where a variable would lead made-up money into the journal of a bot. */
export function assertNoDatabase(source: {
  environment: Environment
  file: string
  cwd: string
}): void {
  const set = variables(source)('DATABASE_URL')
  if (set === undefined) return
  const shown = showVariable(set, source.cwd)
  throw usageError(`${shown} names another journal than the market's own: unset it.`)
}
