import { join } from 'node:path'
import type { z } from 'zod'
import { deepFreeze } from '../../core/deepFreeze.ts'
import { display } from '../../core/display.ts'
import { distinct } from '../../core/distinct.ts'
import { BallastError } from '../../core/errors.ts'
import { invalidConfig } from '../../core/invalidConfig.ts'
import { didYouMean, nearest } from '../../core/nearest.ts'
import type { Path, Problem } from '../../core/problem.ts'
import { showKey } from '../../core/showKey.ts'
import type { Token } from '../../core/token.ts'
import { callStrategy } from './callStrategy.ts'
import { createFields } from './createFields.ts'
import { shapeAt } from './fields.ts'
import { readStrategy } from './readStrategy.ts'
import { strategiesFolder, strategyNames } from './shippedStrategies.ts'
import type { Schedule, Strategy, Watch, WatchedAccount } from './strategy.ts'
import { isPath, strategyFile } from './strategyFile.ts'
import { inTime } from './withinTime.ts'

/**
 * Reads the file of every configured strategy and lets it read its parameters. Reports every problem at once.
 *
 * A name is one of `strategies/`; only what is written as a path reads another file.
 */
export async function loadStrategies(
  config: ConfiguredStrategies & { readonly locate: (path: Path) => string },
  folder?: string,
): Promise<readonly LoadedStrategy[]> {
  const { loaded, problems } = checkStrategies(config, folder)
  if (problems.length > 0)
    throw invalidConfig(
      problems
        .map((problem) => ({ ...problem, place: config.locate(problem.path) }))
        .sort((a, b) => inFile(a.place, b.place))
        .map(({ path, sentence, place }) => `${place} ${showKey(path)}: ${sentence}`),
    )
  return loaded
}

/** By line, then by column: `ballast.yaml:12:5`. */
function inFile(a: string, b: string): number {
  const [of, than] = [a, b].map((place) => place.split(':').slice(-2).map(Number))
  const [line = 0, column = 0] = of ?? []
  const [otherLine = 0, otherColumn = 0] = than ?? []
  return line - otherLine || column - otherColumn || 0
}

/** A strategy of `ballast.yaml`, ready to decide. Frozen. */
export type LoadedStrategy = {
  readonly name: string
  readonly strategy: Strategy<unknown>
  readonly params: unknown
  readonly schedule: Schedule
  readonly watches: readonly Watch[]
  /** Undefined where it watches none. */
  readonly accounts?: readonly WatchedAccount[] | undefined
  /** Higher goes first. */
  readonly priority: number
}

/** The part of the configuration that states which strategies run, and how. */
type ConfiguredStrategies = {
  /** Path of the configuration: where a path of a strategy begins. */
  readonly file: string
  readonly tokens: { readonly bySymbol: ReadonlyMap<string, Token> }
  readonly strategies: readonly {
    readonly name: string
    readonly use: string
    readonly params: unknown
    /** Path of `params` in the file. */
    readonly path: Path
    readonly priority: number
  }[]
}

/** Lets every configured strategy read its parameters: those that could, and everything that is wrong with the others. */
export function checkStrategies(
  { file: configuration, tokens, strategies }: ConfiguredStrategies,
  folder = strategiesFolder(),
): { readonly loaded: readonly LoadedStrategy[]; readonly problems: readonly Problem[] } {
  const known = strategyNames(folder)
  const fields = createFields(tokens)
  const loaded: LoadedStrategy[] = []
  const problems: Problem[] = []
  for (const { name, use, params: written, path, priority } of strategies) {
    const complain = (sentence: string) =>
      problems.push({ path: [...path.slice(0, -1), 'use'], sentence })
    if (!isPath(use) && !known.includes(use)) {
      complain(unknownStrategy(use, known))
      continue
    }
    try {
      const { path: file, shown } = isPath(use)
        ? strategyFile(use, configuration)
        : { path: join(folder, `${use}.ts`), shown: `strategies/${use}.ts` }
      const strategy = readStrategy(file, shown)
      const schema = strategy.params(fields)
      const read = callStrategy({ file, shown, part: 'its parameters failed' }, () =>
        inTime(() => schema.safeParse(written ?? {})),
      )
      if (!read.success) {
        problems.push(...read.error.issues.flatMap((issue) => sentencesOf(issue, { schema, path })))
        continue
      }
      const params = deepFreeze(read.data)
      const [schedule, watches] = [strategy.schedule(params), strategy.watch(params)]
      const accounts = strategy.accounts?.(params)
      loaded.push(deepFreeze({ name, strategy, params, schedule, watches, accounts, priority }))
    } catch (error) {
      if (!(error instanceof BallastError)) throw error
      complain(error.summary)
    }
  }
  return { loaded: Object.freeze(loaded), problems: distinct(problems) }
}

function unknownStrategy(use: string, known: readonly string[]): string {
  return `there is no strategies/${display(use, 64)}.ts.${didYouMean(use, known)} Known strategies: ${known.join(', ') || 'none'}.`
}

/** zod reports unknown keys at their parent; the reader wants the key, and the one that was meant. */
function sentencesOf(
  issue: z.core.$ZodIssue,
  { schema, path: params }: { schema: z.core.$ZodType; path: Path },
): readonly Problem[] {
  const inside = issue.path.map((key) => (typeof key === 'number' ? key : String(key)))
  const path = [...params, ...inside]
  if (issue.code !== 'unrecognized_keys') return [{ path, sentence: issue.message }]
  const known = Object.keys(shapeAt(schema, inside))
  return issue.keys.map((key): Problem => {
    const meant = nearest(key, known)
    return meant === undefined
      ? { path: [...path, key], sentence: issue.message }
      : {
          path: [...path, key],
          sentence: `is not a known key; did you mean ${meant}?`,
          meant: [...path, meant],
        }
  })
}
