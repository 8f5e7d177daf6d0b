import { dirname, resolve } from 'node:path'
import { usageError } from '../core/errors.ts'
import { database } from './database.ts'
import { type Environment, showVariable, variables } from './file/variables.ts'

type Named = {
  /** As a person wrote it on the command line, where everybody on this machine can read it. */
  readonly option: string | undefined
  /** The variable that is read without the option: it may carry a password. */
  readonly variable: string
  readonly environment: Environment
  /** The configuration: paths are relative to it, as those of `database:` are. */
  readonly file: string
  readonly cwd: string
}

/** A database beside the configured one, written as `database:` is. Throws USAGE, without a word of the address. */
export function readDatabase({ option, variable, environment, file, cwd }: Named) {
  const set = variables({ environment, file, cwd })(variable)
  const written = option ?? set?.value
  if (written === undefined)
    throw usageError(`Nothing says where to: name --to, or set ${variable} in the environment.`)
  const name = option === undefined && set !== undefined ? showVariable(set, cwd) : '--to'
  const { data, error } = database((path) => resolve(dirname(file), path)).safeParse(written)
  if (data === undefined)
    throw usageError(`${name} ${error?.issues[0]?.message ?? 'is not a database.'}`)
  if (option !== undefined && data.dialect === 'postgres' && new URL(option).password !== '')
    throw usageError(
      `--to carries a password, which every account of this machine can read: set ${variable} in the environment.`,
    )
  return data
}
