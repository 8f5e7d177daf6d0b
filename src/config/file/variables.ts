import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'dotenv'
import { ballastError } from '../../core/errors.ts'
import { carriesKey } from '../../core/secret.ts'
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
  const sources = [{ source: 'environment', values: environment }, ...envFiles({ file, cwd })]
  return (name) => {
    for (const { source, values } of sources) {
      const value = values[name]
      if (value !== undefined && value !== '') return { name, value, source }
    }
    return undefined
  }
}

type Place = { readonly file: string; readonly cwd: string }

const envFiles = ({ file, cwd }: Place) =>
  [...new Set([join(dirname(file), '.env'), join(cwd, '.env')])]
    .filter((path) => existsSync(path))
    .map((path) => ({ source: path, values: parse(read(path, cwd)) as Environment }))

/** `WALLET_KEY_TREASURY`, `DASHBOARD_TOKEN`; not `WALLET_PASSWORD_FILE`, which is a path. */
const secretName = /_(?:KEY|TOKEN|PASSWORD|SECRET)(?:_(?!FILE$)|$)/

/** A sentence for each `.env` that holds a secret and that other accounts can read. Windows has no such mode. */
export function exposedSecrets({ file, cwd }: Place): readonly string[] {
  if (process.platform === 'win32') return []
  return envFiles({ file, cwd }).flatMap(({ source, values }): readonly string[] => {
    const mode = statSync(source).mode & 0o777
    const held = Object.entries(values).find(
      ([name, value = '']) =>
        value !== '' && (secretName.test(name) || value.split(',').some(carriesKey)),
    )
    if (held === undefined || (mode & 0o077) === 0) return []
    const [name] = held
    const shown = showPath(source, cwd)
    return [
      `${name} in ${shown}: others can read this file (mode ${mode.toString(8)}): run chmod 600 ${shown}.`,
    ]
  })
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
