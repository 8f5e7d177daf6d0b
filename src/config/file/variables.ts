import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'dotenv'
import { ballastError } from '../../core/errors.ts'
import { showPath } from './readText.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The environment of this process. Everything else is handed it as a value. */
export function processEnvironment(): Environment {
  return process.env
}

/** A variable that was set, and where: `environment` or the path of a `.env` file. */
export type Variable = { readonly name: string; readonly value: string; readonly source: string }

export type LookUp = (name: string) => Variable | undefined

/**
 * Looks variables up in the environment, then in `.env` beside the configuration, then in `.env` of the working directory.
 * The first that has it decides; an empty one counts as not set.
 */
export function variables({
  environment,
  file,
  cwd,
}: {
  environment: Environment
  file: string
  cwd: string
}): LookUp {
  const files = [...new Set([join(dirname(file), '.env'), join(cwd, '.env')])]
  const sources = [
    { source: 'environment', values: environment },
    ...files
      .filter((path) => existsSync(path))
      .map((path) => ({ source: path, values: parse(read(path, cwd)) as Environment })),
  ]
  return (name) => {
    for (const { source, values } of sources) {
      const value = values[name]
      if (value !== undefined && value !== '') return { name, value, source }
    }
    return undefined
  }
}

function read(path: string, cwd: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw ballastError(
      'CONFIG_UNREADABLE',
      `${showPath(path, cwd)} cannot be read: let this account read it, or remove it.`,
      { file: path, reason: code ?? message },
      cause,
    )
  }
}

export function firstOf(names: readonly string[], lookUp: LookUp): Variable | undefined {
  return names.map(lookUp).find((variable) => variable !== undefined)
}

/** A variable and where it was set. */
export function showVariable({ name, source }: Variable, cwd: string): string {
  return source === 'environment'
    ? `${name} in the environment`
    : `${name} in ${showPath(source, cwd)}`
}

/** `bsc-testnet` as part of a variable's name: `BSC_TESTNET`. */
export function nameInVariable(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '_')
}
