import { dirname, resolve } from 'node:path'
import type { z } from 'zod'
import { distinct } from '../../core/distinct.ts'
import { invalidConfig } from '../../core/invalidConfig.ts'
import type { Path, Problem } from '../../core/problem.ts'
import { showKey } from '../../core/showKey.ts'
import { findSecrets } from './findSecrets.ts'
import { type Overridden, override } from './overrides.ts'
import { parseYaml } from './parseYaml.ts'
import { findPlainHttp } from './plainHttp.ts'
import { readText, showPath } from './readText.ts'
import { readWith } from './schemaTree.ts'
import type { Selected } from './selectWallet.ts'
import {
  type Environment,
  exposedSecrets,
  type LookUp,
  showVariable,
  variables,
} from './variables.ts'

/** Where a configuration comes from. `file` is relative to `cwd`. */
export type FileSource = {
  readonly file: string
  readonly environment: Environment
  readonly cwd: string
  /** Called with the name of each variable that is looked up, set or not. */
  readonly onLookUp?: ((name: string) => void) | undefined
}

/** A configuration file that is YAML, with variables over its keys, before it is read with a schema. */
export type OpenFile = Overridden & {
  /** Absolute. */
  readonly path: string
  /** What is read of it. */
  readonly written: unknown
  /** All of it. */
  readonly whole: unknown
  readonly lookUp: LookUp
  /** A line for each `.env` with a secret that others can read. */
  exposed(): readonly string[]
  /** `ballast.yaml:12:5` of a key, or of the nearest there is. */
  locate(path: Path): string
  /** A path that the file names, absolute. */
  beside(name: string): string
  /** One line for each key that is wrong, in the order of the file. */
  lines(problems: readonly Problem[]): readonly string[]
}

type Opening = {
  /** The keys of the file, and the variables that stand over them. */
  readonly form: z.ZodType
  /** How to get a file. */
  readonly init: string
  /** Read in the place of the file. */
  readonly text?: string | undefined
  /** Which variables count; all, without it. */
  readonly counts?: (variable: string, written: unknown) => boolean
  /** The part of the file that is read, where that is not the whole. */
  readonly select?: (written: unknown) => Selected
}

/** A file that is read as it is written. */
export const wholeFile = (written: unknown): Selected => ({
  value: written,
  pathOf: (path) => path,
  problems: [],
})

/** Opens a file. Throws what is no YAML, as CONFIG_INVALID. */
export function openFile(
  { file, environment, cwd, onLookUp }: FileSource,
  { form, init, text, counts = () => true, select = wholeFile }: Opening,
): OpenFile {
  const path = resolve(cwd, file)
  const shown = showPath(path, cwd)
  const yaml = parseYaml(text ?? readText(path, { shown, init }))
  if (yaml.problems.length > 0)
    throw invalidConfig(
      yaml.problems.map(({ line, column, sentence }) => `${shown}:${line}:${column} ${sentence}`),
    )
  const { value: written, pathOf, problems: unselected } = select(yaml.value)
  const locateWritten = (at: Path) => {
    const { line, column } = yaml.position(at)
    return `${shown}:${line}:${column}`
  }
  const locate = (at: Path) => locateWritten(pathOf(at))
  if (unselected.length > 0)
    throw invalidConfig(
      unselected.map(
        ({ path: at, sentence }) => `${locateWritten(at)} ${showKey(at)}: ${sentence}`,
      ),
    )
  const lookUp = variables({ environment, file: path, cwd, onLookUp })
  const overridden = override(form, written, (name) =>
    counts(name, yaml.value) ? lookUp(name) : undefined,
  )
  return {
    ...overridden,
    path,
    written,
    whole: yaml.value,
    lookUp,
    exposed: () => exposedSecrets({ file: path, cwd }),
    locate,
    beside: (name) => resolve(dirname(path), name),
    lines: (problems) =>
      distinct(problems)
        .map((problem) => ({ ...problem, ...yaml.position(pathOf(problem.path)) }))
        .sort((a, b) => a.line - b.line || a.column - b.column)
        .map(({ path: at, sentence }) => {
          const variable = overridden.origin(at)
          return variable === undefined
            ? `${locate(at)} ${at.length === 0 ? 'the file' : showKey(pathOf(at))}: ${sentence}`
            : `${showVariable(variable, cwd)} (${showKey(at)}): ${sentence}`
        }),
  }
}

/** Reads a file with its schema. Throws all its problems at once, those that `check` finds in the value included. */
export function readValue<value>(
  file: OpenFile,
  schema: z.ZodType<value>,
  check: (value: value) => readonly Problem[],
): value {
  const { value, problems } = readWith(schema, file.raw)
  const lines = [
    ...file.lines([
      ...findSecrets(file.written),
      ...findPlainHttp(file.raw),
      ...problems,
      ...(value === undefined ? [] : check(value)),
    ]),
    ...file.exposed(),
  ]
  if (value === undefined || lines.length > 0) throw invalidConfig(lines)
  return value
}
