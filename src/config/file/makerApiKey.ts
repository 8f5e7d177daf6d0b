import { invalidConfig } from '../../core/invalidConfig.ts'
import { type Secret, secret } from '../../core/secret.ts'
import { showVariable, type Variable } from './variables.ts'

/** Reads the key that a maker requires; undefined where none is set. Throws CONFIG_INVALID where no header can carry it. */
export function makerApiKey(variable: Variable | undefined, cwd: string): Secret | undefined {
  if (variable === undefined) return undefined
  const key = variable.value.trim()
  // Before anything is said of it.
  const kept = secret(key)
  if (/^[\x21-\x7e]{16,512}$/.test(key)) return kept
  throw invalidConfig([
    `${showVariable(variable, cwd)}: is no key of 16 to 512 characters without spaces (its value is not shown).`,
  ])
}
