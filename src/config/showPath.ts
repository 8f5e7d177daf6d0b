import { relative } from 'node:path'

/** A path as a person in that directory would write it. */
export function showPath(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short.startsWith('..') ? path : short
}
