import { relative } from 'node:path'
import type { Variable } from './overrides.ts'
import type { Path } from './parseYaml.ts'

/** A path as a person in that directory would write it. */
export function showPath(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short.startsWith('..') ? path : short
}

/** `strategies[0].params.sell` */
export function showKey(path: Path): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('')
}

/** A variable and where it was set. */
export function showVariable({ name, source }: Variable, cwd: string): string {
  return source === 'environment'
    ? `${name} in the environment`
    : `${name} in ${showPath(source, cwd)}`
}
