import type { Problem } from './problem.ts'

/** One sentence for one key: the first gives the most detail. A misspelt key is not missing as well. */
export function distinct(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set(problems.flatMap(({ meant }) => meant?.join('.') ?? []))
  return problems.filter(({ path }) => {
    const key = path.join('.')
    return seen.has(key) ? false : seen.add(key)
  })
}
