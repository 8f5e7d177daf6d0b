import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { leavesOf, redacted } from '../config/effective.ts'
import type { Variable } from '../config/file/variables.ts'
import { type ReadConfig, readConfig } from '../config/readConfig.ts'
import type { Path } from '../core/problem.ts'
import { table } from '../core/textLayout.ts'
import { defineCommand } from './command.ts'

type Value = { readonly key: string; readonly value: unknown; readonly origin: string }

export const configShow = defineCommand({
  name: 'show',
  summary: 'every effective value and where it comes from; secrets stay hidden',
  example: 'ballast config show',
  isForEach: () => true,
  async run({ configFile, environment, cwd, wallet }) {
    const read = readConfig({ file: configFile, environment, cwd, wallet })
    const { file, hash } = read.config
    const origin = originsOf(read, cwd)
    const values: readonly Value[] = [
      ...leavesOf(redacted(read.text)).map(({ path, value }) => ({
        key: path.join('.'),
        value,
        origin: origin(path),
      })),
      ...secretsOf(read, cwd),
    ]
    return { file, hash, values }
  },
  text({ hash, values }, { terminal }) {
    const rows = values.map(({ key, value, origin }) => [key, textOf(value), origin])
    return `${table([['key', 'value', 'from'], ...rows], terminal.columns)}\n\nhash ${hash}`
  },
})

/** `ballast.yaml:12:5`, a variable and where it is set, or `default`. */
function originsOf({ config, originOf }: ReadConfig, cwd: string): (path: Path) => string {
  return (path) => {
    const source = originOf(path)
    if (source === 'file') return config.locate(path)
    return source === 'default' ? source : nameOf(source, cwd)
  }
}

function secretsOf({ secrets, config }: ReadConfig, cwd: string): readonly Value[] {
  const { apiKey, key, passwordFile, operator, viewer } = secrets
  const { signer } = config.wallet
  const one = (name: string, variable: Variable | undefined, shown: string): Value => ({
    key: name,
    value: variable === undefined ? 'not set' : shown,
    origin: variable === undefined ? 'default' : nameOf(variable, cwd),
  })
  return [
    one('service.apiKey', apiKey, '[secret]'),
    one('wallet.key', key, '[secret]'),
    one('dashboard.token', operator, '[secret]'),
    one('dashboard.viewerToken', viewer, '[secret]'),
    ...(signer.kind === 'keystore'
      ? [one('wallet.signer.passwordFile', passwordFile, pathOf(passwordFile, signer.passwordFile))]
      : []),
  ]
}

/** A path that leads to no file may be the password itself, written in its place. */
const pathOf = (written: Variable | undefined, file: string | undefined): string =>
  written !== undefined && existsSync(file ?? '') ? written.value : 'no file is there (not shown)'

function textOf(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value)
}

function nameOf({ written, source }: Variable, cwd: string): string {
  const place = source === 'environment' ? source : relative(cwd, source)
  return `${written} (${place})`
}
