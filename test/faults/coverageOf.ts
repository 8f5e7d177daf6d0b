import { idsIn } from './idsIn.ts'
import { matrix } from './matrix.ts'
import { uncovered } from './uncovered.ts'

/** Fewer rows than this, and a full run fails. */
const leastRows = 150

/** What the titles of passed tests say of the fault matrix: one line to print, and sentences for what is wrong. */
export function coverageOf(titles: readonly string[]): {
  readonly line: string
  readonly complaints: readonly string[]
} {
  const named = new Set(titles.flatMap(idsIn))
  const known = new Set(matrix.map(({ id }) => id))
  const missed = matrix.filter(({ id }) => !named.has(id))
  const hit = matrix.length - missed.length
  const listed = missed.map(({ id }) => `${id} (${uncovered[id] ?? 'no reason is given'})`)
  const rest = listed.length === 0 ? '' : `; not hit: ${listed.join(', ')}`
  const unknown = [...named].filter((id) => !known.has(id))
  const outdated = Object.keys(uncovered).filter((id) => named.has(id))
  return {
    line: `fault matrix: ${hit} of ${matrix.length} rows hit${rest}`,
    complaints: [
      hit < leastRows &&
        `Only ${hit} rows of the fault matrix were hit: at least ${leastRows} must be.`,
      ...unknown.map((id) => `A test names ${id}, which is no row of test/faults/matrix.ts.`),
      ...outdated.map((id) => `${id} is hit: take it out of test/faults/uncovered.ts.`),
    ].filter((complaint) => complaint !== false),
  }
}
