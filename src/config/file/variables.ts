import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parse } from 'dotenv'
import { ballastError } from '../../core/errors.ts'
import { invalidConfig } from '../../core/invalidConfig.ts'
import { nearest } from '../../core/nearest.ts'
import { openToOthers } from '../../core/openToOthers.ts'
import { carriesKey } from '../../core/secret.ts'
import { showPath } from './readText.ts'
import { readVariableFile } from './readVariableFile.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The environment of this process. Everything else is handed it as a value. */
export function processEnvironment(): Environment {
  return process.env
}

/** A variable that was set, and where: `environment` or the path of a `.env` file. */
export type Variable = {
  readonly name: string
  readonly value: string
  readonly source: string
  /** What was set: `name`, or `name_FILE` where the value lies in a file. */
  readonly written: string
}

export type LookUp = (name: string) => Variable | undefined

/**
 * Looks variables up in the environment, then in `.env` beside the configuration, then in `.env` of the working directory.
 * The first that has it decides; an empty one counts as not set. `<NAME>_FILE` in its place names a file with the value.
 * Throws CONFIG_INVALID where that is wrong.
 */
export function variables({
  environment,
  file,
  cwd,
  onLookUp = () => {},
}: {
  environment: Environment
  file: string
  cwd: string
  onLookUp?: ((name: string) => void) | undefined
}): LookUp {
  const sources = [{ source: 'environment', values: environment }, ...envFiles({ file, cwd })]
  return (name) => {
    onLookUp(name)
    const byFile = `${name}_FILE`
    for (const { source, values } of sources) {
      const [plain = '', path = ''] = [values[name], namesFile.test(name) ? '' : values[byFile]]
      const refuse = (sentence: string) =>
        invalidConfig([
          `${showVariable({ name, value: '', source, written: byFile }, cwd)}: ${sentence}`,
        ])
      if (plain !== '' && path !== '') throw refuse(`stands beside ${name}: remove one.`)
      if (plain !== '') return { name, value: plain, source, written: name }
      if (path === '') continue
      const { value, problem } = readVariableFile(resolve(dirname(file), path))
      if (problem !== undefined) throw refuse(problem)
      return { name, value, source, written: byFile }
    }
    return undefined
  }
}

/** `WALLET_PASSWORD_FILE_TREASURY`, whose value is a path already. */
const namesFile = /_FILE(?:_|$)/

type Place = { readonly file: string; readonly cwd: string }

const envFiles = ({ file, cwd }: Place) =>
  [...new Set([join(dirname(file), '.env'), join(cwd, '.env')])]
    .filter((path) => existsSync(path))
    .map((path) => ({ source: path, values: parse(read(path, cwd)) as Environment }))

/** `WALLET_KEY_TREASURY`, `DASHBOARD_TOKEN`; not `WALLET_PASSWORD_FILE` or `DASHBOARD_TOKEN_FILE`, which are paths. */
const secretName = /^(?!.*_FILE$).*_(?:KEY|TOKEN|PASSWORD|SECRET)(?:_|$)/
/** A wallet may have a name that ends in `file`. */
const keyLike = /^(?:0x)?[0-9a-f]{64}$/i

/** A sentence for each `.env` that holds a secret and that other accounts can read. Windows has no such mode. */
export function exposedSecrets({ file, cwd }: Place): readonly string[] {
  return envFiles({ file, cwd }).flatMap(({ source, values }): readonly string[] => {
    const status = statSync(source)
    const held = Object.entries(values).find(
      ([name, value = '']) =>
        value !== '' &&
        (secretName.test(name) ||
          keyLike.test(value) ||
          [value, ...value.split(',')].some(carriesKey)),
    )
    if (held === undefined || !openToOthers(status)) return []
    const [name] = held
    const mode = status.mode & 0o777
    const shown = showPath(source, cwd)
    return [
      `${name} in ${shown}: others can read this file (mode ${mode.toString(8)}): run chmod 600 ${shown}.`,
    ]
  })
}

/**
 * Names in a `.env` that are close to one that was looked up, and not that one; and those that only the working directory
 * sets: from another one they are not set.
 */
export function doubtfulNames(
  { file, cwd }: Place,
  lookedUp: ReadonlySet<string>,
): readonly string[] {
  const isKnown = (name: string) =>
    [...lookedUp].some((one) => name === one || name.startsWith(`${one}_`))
  return envFiles({ file, cwd }).flatMap(({ source, values }) => {
    const shown = showPath(source, cwd)
    const isBeside = source === join(dirname(file), '.env')
    return Object.entries(values).flatMap(([name, value = '']): readonly string[] => {
      if (value === '') return []
      if (isKnown(name))
        return isBeside
          ? []
          : [`${name} is of ${shown}, in the current folder: in another folder it is not set`]
      const meant = nearest(name, lookedUp)
      return meant === undefined
        ? []
        : [`${name} in ${shown} is read by nothing: did you mean ${meant}?`]
    })
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
export function showVariable({ written, source }: Variable, cwd: string): string {
  return source === 'environment'
    ? `${written} in the environment`
    : `${written} in ${showPath(source, cwd)}`
}

/** `bsc-testnet` as part of a variable's name: `BSC_TESTNET`. */
export function nameInVariable(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '_')
}
