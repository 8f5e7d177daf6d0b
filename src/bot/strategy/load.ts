import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { z } from 'zod'
import { display } from '../../core/display.ts'
import { BallastError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import type { Token } from '../../core/token.ts'
import { createFields } from './createFields.ts'
import type { Schedule, Strategy, Watch } from './index.ts'

/** A strategy of `ballast.yaml`, ready to be asked. Frozen. */
export type LoadedStrategy = {
  readonly name: string
  readonly strategy: Strategy<unknown>
  readonly params: unknown
  readonly schedule: Schedule
  readonly watches: readonly Watch[]
  /** Higher goes first. */
  readonly priority: number
}

/** The part of the configuration that says which strategies run, and how. */
type Configured = {
  readonly locate: (path: readonly (string | number)[]) => string
  readonly tokens: { readonly bySymbol: ReadonlyMap<string, Token> }
  readonly strategies: readonly Entry[]
}

type Entry = {
  readonly name: string
  readonly use: string
  readonly params: unknown
  readonly path: readonly (string | number)[]
  readonly priority: number
}

/** One thing that is wrong with the configuration, at its place. */
type Problem = { readonly path: readonly (string | number)[]; readonly sentence: string }

/**
 * Imports the file of every configured strategy and lets it read its parameters. Reports every problem at once.
 *
 * The files are those of `strategies/` in the nearest folder that has a `package.json`: the repository,
 * or the folder of a release. Only names found there are imported, so a configuration cannot run another file.
 */
export async function loadStrategies(
  config: Configured,
  folder = strategiesFolder(),
): Promise<readonly LoadedStrategy[]> {
  const known = knownStrategies(folder)
  const fields = createFields(config.tokens)
  const loaded: LoadedStrategy[] = []
  const problems: Problem[] = []
  for (const { name, use, params: written, path, priority } of config.strategies) {
    if (!known.includes(use)) {
      problems.push({ path: [...path.slice(0, -1), 'use'], sentence: unknownStrategy(use, known) })
      continue
    }
    const strategy = await importStrategy(join(folder, `${use}.ts`))
    const read = strategy.params(fields).safeParse(written ?? {})
    if (!read.success) {
      problems.push(...read.error.issues.flatMap((issue) => problemsOf(issue, path)))
      continue
    }
    const params = read.data
    const [schedule, watches] = [strategy.schedule(params), strategy.watch(params)]
    loaded.push(frozen({ name, strategy, params, schedule, watches, priority }))
  }
  if (problems.length > 0)
    throw invalid(
      problems.map(({ path, sentence }) => `${config.locate(path)} ${showKey(path)}: ${sentence}`),
    )
  return Object.freeze(loaded)
}

function strategiesFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder)
    folder = dirname(folder)
  return join(folder, 'strategies')
}

function knownStrategies(folder: string): readonly string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => /^[a-z0-9-]+\.ts$/.test(file))
    .map((file) => basename(file, '.ts'))
    .sort()
}

function unknownStrategy(use: string, known: readonly string[]): string {
  const meant = nearest(use, known)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  return `there is no strategies/${display(use, 64)}.ts.${hint} Known strategies: ${known.join(', ') || 'none'}.`
}

async function importStrategy(file: string): Promise<Strategy<unknown>> {
  const shown = `strategies/${basename(file)}`
  let module: { readonly default?: unknown }
  try {
    module = await import(pathToFileURL(file).href)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'unknown'
    throw invalid([`${shown} cannot be loaded: ${display(reason)}`], cause)
  }
  if (!isStrategy(module.default))
    throw invalid([
      `${shown} does not export a strategy: write 'export default defineStrategy({ … })'.`,
    ])
  return module.default
}

function isStrategy(value: unknown): value is Strategy<unknown> {
  if (typeof value !== 'object' || value === null) return false
  const candidate = value as Partial<Record<keyof Strategy<unknown>, unknown>>
  return (
    typeof candidate.name === 'string' &&
    typeof candidate.summary === 'string' &&
    [candidate.params, candidate.schedule, candidate.watch, candidate.decide].every(
      (part) => typeof part === 'function',
    )
  )
}

/** zod reports unknown keys at their parent; the reader wants the key. */
function problemsOf(
  issue: z.core.$ZodIssue,
  params: readonly (string | number)[],
): readonly Problem[] {
  const inside = issue.path.map((key) => (typeof key === 'number' ? key : String(key)))
  const path = [...params, ...inside]
  if (issue.code !== 'unrecognized_keys') return [{ path, sentence: issue.message }]
  return issue.keys.map((key) => ({ path: [...path, key], sentence: issue.message }))
}

/** `strategies[0].params.sell` */
function showKey(path: readonly (string | number)[]): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('')
}

function invalid(lines: readonly string[], cause?: unknown): BallastError {
  const [first = '', ...others] = lines
  return new BallastError(first, {
    code: 'CONFIG_INVALID',
    remedy: 'halt',
    fault: 'usage',
    facts: {
      ...(others.length > 0 ? { problems: lines.length } : {}),
      ...Object.fromEntries(others.map((line, index) => [`problem${index + 2}`, line])),
    },
    cause,
  })
}

function frozen<value>(value: value): value {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) frozen(part)
  return Object.freeze(value)
}
