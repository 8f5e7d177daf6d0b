import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'dotenv'
import { BallastError } from '../core/errors.ts'
import type { Path } from '../core/problem.ts'
import type { Environment } from './environment.ts'
import { showPath } from './showPath.ts'

/** A variable that was set, and where: `environment` or the path of a `.env` file. */
export type Variable = { readonly name: string; readonly value: string; readonly source: string }

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
}): (name: string) => Variable | undefined {
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
    throw new BallastError(
      `${showPath(path, cwd)} cannot be read: let this account read it, or remove it.`,
      {
        code: 'CONFIG_UNREADABLE',
        remedy: 'halt',
        fault: 'usage',
        facts: { file: path, reason: code ?? message },
        cause,
      },
    )
  }
}

/** Variables that stand for a key of the file, the more particular one first. */
export function overridesOf(
  chainName: string,
): readonly { path: Path; names: readonly string[]; read: (value: string) => unknown }[] {
  return [
    {
      path: ['chain', 'rpcUrl'],
      names: [`RPC_URL_${nameInVariable(chainName)}`, 'RPC_URL'],
      read: text,
    },
    { path: ['chain', 'witness', 'rpcUrl'], names: ['WITNESS_RPC_URL'], read: text },
    { path: ['chain', 'alsoSendTo'], names: ['ALSO_SEND_TO'], read: texts },
    { path: ['service', 'url'], names: ['QUOTE_API_URL'], read: text },
    { path: ['database'], names: ['DATABASE_URL'], read: text },
    { path: ['logLevel'], names: ['LOG_LEVEL'], read: text },
  ]
}

const text = (value: string) => value.trim()

/** Several, with commas between them: a comma inside a URL is written %2C. */
const texts = (value: string) =>
  value
    .split(',')
    .map(text)
    .filter((one) => one !== '')

/** Variables that hold the wallet's key, the more particular one first. */
export function keyVariables(walletName: string): readonly string[] {
  return [`WALLET_KEY_${nameInVariable(walletName)}`, 'WALLET_KEY']
}

/** `bsc-testnet` as part of a variable's name: `BSC_TESTNET`. */
export function nameInVariable(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '_')
}
