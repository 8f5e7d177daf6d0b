import { readFileSync, statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { z } from 'zod'
import { BallastError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import { type Secret, secret } from '../core/secret.ts'
import { buildConfig } from './buildConfig.ts'
import type { Config } from './config.ts'
import { crossCheck, type Problem } from './crossCheck.ts'
import type { Environment } from './environment.ts'
import { type FileText, fileSchema } from './fileSchema.ts'
import { findSecrets } from './findSecrets.ts'
import { mainnetChainIds } from './mainnetChainIds.ts'
import { keyVariables, overridesOf, type Variable, variables } from './overrides.ts'
import { type ParsedYaml, type Path, parseYaml } from './parseYaml.ts'

/** Where a configuration comes from. `file` is relative to `cwd`. */
export type ConfigSource = {
  readonly file: string
  readonly environment: Environment
  readonly cwd: string
}

/** A configuration with what `ballast config show` explains it by. */
export type ReadConfig = {
  readonly config: Config
  /** The effective file: every key as text with its unit. Holds URLs with their keys. */
  readonly text: FileText
  /** Which source decided a key: `default`, `file`, or a variable. */
  readonly originOf: (path: Path) => 'default' | 'file' | Variable
  /** The variables that hold secrets, where set. */
  readonly secrets: { readonly apiKey: Variable | undefined; readonly key: Variable | undefined }
}

/** No configuration is this long; a mistaken path may be. */
const maxBytes = 1024 * 1024

/** The order of the curve: a private key is below it. */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/** Reads the file and the environment. Throws every problem at once, as CONFIG_INVALID. */
export function readConfig({ file, environment, cwd }: ConfigSource): ReadConfig {
  const path = resolve(cwd, file)
  const shown = showPath(path, cwd)
  const yaml = parseYaml(readText(path, shown))
  const locate = (at: Path) => {
    const { line, column } = yaml.position(at)
    return `${shown}:${line}:${column}`
  }
  if (yaml.problems.length > 0)
    throw invalid(
      yaml.problems.map(({ line, column, sentence }) => `${shown}:${line}:${column} ${sentence}`),
    )

  const lookUp = variables({ environment, file: path, cwd })
  const { raw, overridden } = override(yaml, lookUp)
  const parsed = fileSchema.safeParse(raw)
  const secretsInFile = findSecrets(yaml.value)
  const problems = [
    ...secretsInFile,
    ...(parsed.success ? [] : parsed.error.issues.flatMap(sentencesOf)),
    ...(isRecord(raw) ? crossCheck(raw) : []),
  ]
  const lines = distinct(problems)
    .map((problem) => ({ ...problem, ...yaml.position(problem.path) }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .map(({ path: at, sentence }) => {
      const variable = overridden.get(at.join('.'))
      return variable === undefined
        ? `${locate(at)} ${at.length === 0 ? 'the file' : showKey(at)}: ${sentence}`
        : `${showVariable(variable, cwd)} (${showKey(at)}): ${sentence}`
    })

  const apiKeyVariable = lookUp('QUOTE_API_KEY')
  const apiKey = apiKeyVariable === undefined ? undefined : secret(apiKeyVariable.value.trim())
  if (apiKeyVariable !== undefined && !/^[\x21-\x7e]{1,512}$/.test(apiKeyVariable.value.trim()))
    lines.push(
      `${showVariable(apiKeyVariable, cwd)}: holds characters no key has, such as spaces: set the key alone (its value is not shown).`,
    )
  const keyVariable = firstOf(keyVariables(textAt(raw, ['wallet', 'name']) ?? ''), lookUp)
  const key = keyVariable === undefined ? undefined : readKey(keyVariable.value)
  if (keyVariable !== undefined && key === undefined)
    lines.push(
      `${showVariable(keyVariable, cwd)}: is not a private key: set 0x and 64 hex digits (its value is not shown).`,
    )
  if (keyVariable !== undefined && mainnetChainIds.has(Number(textAt(raw, ['chain', 'chainId']))))
    lines.push(
      `${showVariable(keyVariable, cwd)}: a plain key is for development, and chain ${textAt(raw, ['chain', 'chainId'])} is a main network: remove the variable.`,
    )

  if (lines.length > 0 || !parsed.success) throw invalid(lines)
  return {
    config: buildConfig(parsed.data, { file: path, locate, apiKey, key }),
    text: parsed.data,
    originOf: (at) => overridden.get(at.join('.')) ?? (has(yaml.value, at) ? 'file' : 'default'),
    secrets: { apiKey: apiKeyVariable, key: keyVariable },
  }
}

function readText(path: string, shown: string): string {
  try {
    if (statSync(path).size > maxBytes) throw new Error(`larger than ${maxBytes} bytes`)
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw code === 'ENOENT'
      ? new BallastError(
          `There is no ${shown}: 'ballast config init' writes one, --config FILE or BALLAST_CONFIG names another.`,
          { code: 'CONFIG_MISSING', remedy: 'halt', fault: 'usage', facts: { file: path } },
        )
      : new BallastError(`${shown} cannot be read.`, {
          code: 'CONFIG_UNREADABLE',
          remedy: 'halt',
          fault: 'usage',
          facts: { file: path, reason: code ?? message },
        })
  }
}

/** Puts variables over the file's keys and remembers which. */
function override(yaml: ParsedYaml, lookUp: (name: string) => Variable | undefined) {
  const raw = structuredClone(yaml.value)
  const overridden = new Map<string, Variable>()
  for (const { path, names } of overridesOf(textAt(raw, ['chain', 'name']) ?? '')) {
    const variable = firstOf(names, lookUp)
    const section = path.slice(0, -1).reduce<unknown>((part, step) => child(part, step), raw)
    if (variable === undefined || !isRecord(section)) continue
    section[String(path.at(-1))] = variable.value.trim()
    overridden.set(path.join('.'), variable)
  }
  return { raw, overridden }
}

function sentencesOf(issue: z.core.$ZodIssue): readonly Problem[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  switch (issue.code) {
    case 'unrecognized_keys': {
      const known = knownKeys(path)
      return issue.keys.map((key): Problem => {
        const meant = nearest(key, known)
        return meant === undefined
          ? {
              path: [...path, key],
              sentence: `is not a known key; known keys are ${known.join(', ')}.`,
            }
          : {
              path: [...path, key],
              sentence: `is not a known key; did you mean ${meant}?`,
              meant: [...path, meant],
            }
      })
    }
    case 'invalid_key':
      return issue.issues.map(({ message }) => ({ path, sentence: message }))
    default:
      return [{ path, sentence: issue.message }]
  }
}

/** The keys a section may have. */
function knownKeys(path: Path): readonly string[] {
  let schema: z.core.$ZodType | undefined = fileSchema
  for (const step of path) schema = schema && inside(schema, step)
  const { def } = (schema ?? fileSchema)._zod
  return def.type === 'object' ? Object.keys((def as z.core.$ZodObjectDef).shape) : []
}

function inside(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  const bare = unwrapped(schema)
  const { def } = bare._zod
  const next =
    def.type === 'object'
      ? (def as z.core.$ZodObjectDef).shape[step]
      : def.type === 'array'
        ? (def as z.core.$ZodArrayDef).element
        : def.type === 'record'
          ? (def as z.core.$ZodRecordDef).valueType
          : undefined
  return next && unwrapped(next)
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const { def } = schema._zod
  return 'innerType' in def ? unwrapped(def.innerType as z.core.$ZodType) : schema
}

/** One sentence for one key: the first says the most. A misspelt key is not missing as well. */
function distinct(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set(problems.flatMap(({ meant }) => meant?.join('.') ?? []))
  return problems.filter(({ path }) => {
    const key = path.join('.')
    return seen.has(key) ? false : seen.add(key)
  })
}

function readKey(value: string): Secret | undefined {
  secret(value)
  const digits = value.trim().replace(/^0x/i, '').toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(digits)) return undefined
  const number = BigInt(`0x${digits}`)
  if (number === 0n || number >= curveOrder) return undefined
  return secret(`0x${digits}`)
}

function invalid(lines: readonly string[]): BallastError {
  const [first = 'The configuration is not right.', ...others] = lines
  const shownCount = 30
  return new BallastError(first, {
    code: 'CONFIG_INVALID',
    remedy: 'halt',
    fault: 'usage',
    facts: {
      ...(others.length > 0 ? { problems: lines.length } : {}),
      ...Object.fromEntries(
        others.slice(0, shownCount).map((line, i) => [`problem${i + 2}`, line]),
      ),
    },
  })
}

function firstOf(
  names: readonly string[],
  lookUp: (name: string) => Variable | undefined,
): Variable | undefined {
  return names.map(lookUp).find((variable) => variable !== undefined)
}

function showVariable({ name, source }: Variable, cwd: string): string {
  return source === 'environment'
    ? `${name} in the environment`
    : `${name} in ${showPath(source, cwd)}`
}

/** `strategies[0].params.sell` */
function showKey(path: Path): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('')
}

function showPath(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short.startsWith('..') ? path : short
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
