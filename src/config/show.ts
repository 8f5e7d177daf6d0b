import type { Variable } from './overrides.ts'
import type { Path } from './parseYaml.ts'
import { showPath } from './showPath.ts'

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
