import type { Variable } from './overrides.ts'
import { showPath } from './showPath.ts'

/** A variable and where it was set. */
export function showVariable({ name, source }: Variable, cwd: string): string {
  return source === 'environment'
    ? `${name} in the environment`
    : `${name} in ${showPath(source, cwd)}`
}
