import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { distinct } from '../core/distinct.ts'
import { invalidConfig } from '../core/invalidConfig.ts'
import type { Path, Problem } from '../core/problem.ts'
import { secret } from '../core/secret.ts'
import { showKey } from '../core/showKey.ts'
import { buildConfig } from './buildConfig.ts'
import type { Config } from './config.ts'
import { crossCheck } from './crossCheck.ts'
import type { Environment } from './environment.ts'
import { type FileText, fileSchema } from './fileSchema.ts'
import { findSecrets } from './findSecrets.ts'
import { mainnetChainIds } from './mainnetChainIds.ts'
import { keyVariables, overridesOf, type Variable, variables } from './overrides.ts'
import { type ParsedYaml, parseYaml } from './parseYaml.ts'
import { readPrivateKey } from './readPrivateKey.ts'
import { readText } from './readText.ts'
import { rightStrategies } from './rightStrategies.ts'
import { sentencesOf } from './sentencesOf.ts'
import { showPath } from './showPath.ts'
import { showVariable } from './showVariable.ts'

/** Where a configuration comes from. `file` is relative to `cwd`. */
export type ConfigSource = {
  readonly file: string
  readonly environment: Environment
  readonly cwd: string
  /**
   * What the caller needs of it; everything, without it. Who reads the journal alone is not stopped by an address or a
   * key that is wrong: `journal` gets addresses nobody listens at, and like `chain` no secret at all. `market` gets all that
   * quotes need, and no secret of the wallet.
   */
  readonly needs?: 'everything' | 'market' | 'chain' | 'journal'
  /** The text of the file where somebody has read it already: what was looked at is what is read. */
  readonly text?: string
  /** What else may be wrong with the strategies, said together with the rest. Asked where the tokens are right. */
  readonly problemsOf?: (parts: Pick<Config, 'tokens' | 'strategies'>) => readonly Problem[]
}

/** A configuration with what `ballast config show` explains it by. */
export type ReadConfig = {
  readonly config: Config
  /** The effective file: every key as text with its unit. Holds URLs with their keys. */
  readonly text: FileText
  /** Which source decided a key: `default`, `file`, or a variable. */
  readonly originOf: (path: Path) => 'default' | 'file' | Variable
  /** The variables that hold secrets, where set. */
  readonly secrets: {
    readonly apiKey: Variable | undefined
    readonly key: Variable | undefined
    /** A path, and no secret itself. */
    readonly passwordFile: Variable | undefined
  }
}

/** Reads the file and the environment. Throws every problem at once, as CONFIG_INVALID. */
export function readConfig({
  file,
  environment,
  cwd,
  needs = 'everything',
  text,
  problemsOf = () => [],
}: ConfigSource): ReadConfig {
  const path = resolve(cwd, file)
  const shown = showPath(path, cwd)
  const yaml = parseYaml(
    text ?? readText(path, { shown, init: "'ballast config init' writes one" }),
  )
  const locate = (at: Path) => {
    const { line, column } = yaml.position(at)
    return `${shown}:${line}:${column}`
  }
  if (yaml.problems.length > 0)
    throw invalidConfig(
      yaml.problems.map(({ line, column, sentence }) => `${shown}:${line}:${column} ${sentence}`),
    )

  const lookUp = variables({ environment, file: path, cwd })
  const { raw, overridden } = override(yaml, needs === 'journal' ? journalAlone(lookUp) : lookUp)
  if (needs === 'journal') leadNowhere(raw)
  const parsed = fileSchema.safeParse(raw)
  const secretsInFile = findSecrets(yaml.value)
  const strategies = isRecord(raw) ? rightStrategies(raw) : undefined
  const problems = [
    ...secretsInFile,
    ...(parsed.success
      ? []
      : parsed.error.issues.flatMap((issue) => sentencesOf(fileSchema, issue))),
    ...(isRecord(raw) ? crossCheck(raw) : []),
    ...(strategies === undefined ? [] : problemsOf(strategies)),
  ]
  const lines = distinct(problems)
    .map((problem) => ({ ...problem, ...yaml.position(problem.path) }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .map(({ path: at, sentence }) => {
      // An item of a list has no variable of its own.
      const variable = overridden.get(at.join('.')) ?? overridden.get(at.slice(0, -1).join('.'))
      return variable === undefined
        ? `${locate(at)} ${at.length === 0 ? 'the file' : showKey(at)}: ${sentence}`
        : `${showVariable(variable, cwd)} (${showKey(at)}): ${sentence}`
    })

  const ofService = needs === 'everything' || needs === 'market' ? lookUp : () => undefined
  const secretOf = needs === 'everything' ? lookUp : () => undefined
  const apiKeyVariable = ofService('QUOTE_API_KEY')
  const apiKey = apiKeyVariable === undefined ? undefined : secret(apiKeyVariable.value.trim())
  if (apiKeyVariable !== undefined && !/^[\x21-\x7e]{1,512}$/.test(apiKeyVariable.value.trim()))
    lines.push(
      `${showVariable(apiKeyVariable, cwd)}: holds characters no key has, such as spaces: set the key alone (its value is not shown).`,
    )
  const keyVariable = firstOf(keyVariables(textAt(raw, ['wallet', 'name']) ?? ''), secretOf)
  const key = keyVariable === undefined ? undefined : readPrivateKey(keyVariable.value)
  if (keyVariable !== undefined && key === undefined)
    lines.push(
      `${showVariable(keyVariable, cwd)}: is not a private key: set 0x and 64 hex digits (its value is not shown).`,
    )
  if (keyVariable !== undefined && textAt(raw, ['chain', 'chainId']) !== developmentChainId)
    lines.push(...openToOthers(keyVariable, cwd))
  if (keyVariable !== undefined && mainnetChainIds.has(Number(textAt(raw, ['chain', 'chainId']))))
    lines.push(
      `${showVariable(keyVariable, cwd)}: a plain key is for development, and chain ${textAt(raw, ['chain', 'chainId'])} is a main network: remove the variable.`,
    )
  const kind = textAt(raw, ['wallet', 'signer', 'kind']) ?? 'environment'
  if (keyVariable !== undefined && kind !== 'environment')
    lines.push(
      `${showVariable(keyVariable, cwd)}: a plain key lies here, but wallet.signer is ${kind}: remove the variable, or the section.`,
    )
  const passwordVariable = secretOf('WALLET_PASSWORD_FILE')
  const passwordFile = passwordVariable?.value

  if (lines.length > 0 || !parsed.success) throw invalidConfig(lines)
  return {
    config: buildConfig(parsed.data, { file: path, locate, apiKey, key, passwordFile }),
    text: parsed.data,
    originOf: (at) => overridden.get(at.join('.')) ?? (has(yaml.value, at) ? 'file' : 'default'),
    secrets: { apiKey: apiKeyVariable, key: keyVariable, passwordFile: passwordVariable },
  }
}

/** The key of a sandbox is in its source; any other is for the account that trades with it alone. */
const developmentChainId = '31337'

/** A file with a key is private like a keystore. */
function openToOthers(variable: Variable, cwd: string): readonly string[] {
  if (variable.source === 'environment') return []
  const mode = statSync(variable.source).mode & 0o777
  if ((mode & 0o077) === 0) return []
  return [
    `${showVariable(variable, cwd)}: others can read this file (mode ${mode.toString(8)}): chmod 600 it.`,
  ]
}

/** Puts variables over the file's keys and remembers which. */
function override(yaml: ParsedYaml, lookUp: (name: string) => Variable | undefined) {
  const raw = structuredClone(yaml.value)
  const overridden = new Map<string, Variable>()
  for (const { path, names, read } of overridesOf(textAt(raw, ['chain', 'name']) ?? '')) {
    const variable = firstOf(names, lookUp)
    const section = path.slice(0, -1).reduce<unknown>((part, step) => child(part, step), raw)
    // A witness that only the environment names would be left out without a word; its other key is asked for instead.
    if (variable !== undefined && section === undefined && path.length === 3) {
      const parent = child(raw, String(path[0]))
      if (isRecord(parent)) parent[String(path[1])] = { [String(path[2])]: read(variable.value) }
      overridden.set(path.join('.'), variable)
    }
    if (variable === undefined || !isRecord(section)) continue
    section[String(path.at(-1))] = read(variable.value)
    overridden.set(path.join('.'), variable)
  }
  return { raw, overridden }
}

const journalAlone =
  (lookUp: (name: string) => Variable | undefined) =>
  (name: string): Variable | undefined =>
    name === 'DATABASE_URL' ? lookUp(name) : undefined

/** Nobody asks these addresses: one that is wrong, or that only the bot's own environment has, is no obstacle. */
function leadNowhere(raw: unknown): void {
  for (const path of [
    ['chain', 'rpcUrl'],
    ['chain', 'witness', 'rpcUrl'],
    ['service', 'url'],
  ]) {
    const section = path.slice(0, -1).reduce<unknown>((part, step) => child(part, step), raw)
    if (isRecord(section)) section[path.at(-1) ?? ''] = `http://${path[path.length - 2]}.invalid`
  }
  const chain = child(raw, 'chain')
  if (isRecord(chain)) delete chain.alsoSendTo
}

function firstOf(
  names: readonly string[],
  lookUp: (name: string) => Variable | undefined,
): Variable | undefined {
  return names.map(lookUp).find((variable) => variable !== undefined)
}

function has(value: unknown, path: Path): boolean {
  return path.reduce<unknown>((part, step) => child(part, step), value) !== undefined
}

function textAt(value: unknown, path: Path): string | undefined {
  const found = path.reduce<unknown>((part, step) => child(part, step), value)
  return typeof found === 'string' ? found : undefined
}

function child(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
  return (value as Record<string | number, unknown>)[step]
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
