import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { catalogue } from '../../src/drill/runDrill.ts'
import { coverageOf } from './coverageOf.ts'
import { idsIn } from './idsIn.ts'
import { matrix } from './matrix.ts'
import { rowsOfLies } from './rowsOfLies.ts'
import { uncovered } from './uncovered.ts'

const root = join(import.meta.dirname, '../..')
const ids = matrix.map(({ id }) => id)
/** These speak of rows and hit none. */
const about = ['matrix.test.ts', 'idsIn.ts', 'uncovered.ts'].map((name) => `test/faults/${name}`)
/** In a title as it is written, or as the key of a table that titles are made of. */
const tagged = new Set(
  globSync('test/**/*.ts', { cwd: root })
    .filter((file) => !about.includes(file))
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .flatMap((text) => idsIn(text.replaceAll(/'((?:RPC|CHAIN|API|LOCAL|TOKEN)-\d+)'/g, '[$1]'))),
)

describe('the fault matrix', () => {
  test('has 168 rows, each whole and once, in their order', () => {
    const sizes = { RPC: 38, CHAIN: 25, API: 41, LOCAL: 40, TOKEN: 24 }
    const expected = Object.entries(sizes).flatMap(([kind, size]) =>
      Array.from({ length: size }, (_, index) => `${kind}-${String(index + 1).padStart(2, '0')}`),
    )
    expect(ids).toEqual(expected)
    expect(matrix.filter((row) => Object.values(row).some((cell) => cell === ''))).toEqual([])
  })

  test('every id that a test names is a row', () => {
    expect([...tagged].filter((id) => !ids.includes(id))).toEqual([])
  })

  test('every lie that is said to produce a row is one the drill tells', () => {
    const told = catalogue.map(({ name }) => name)
    expect(Object.keys(rowsOfLies).filter((name) => !told.includes(name))).toEqual([])
  })

  test('every row has a test or a reason, and none has both', () => {
    const reasons = Object.keys(uncovered)
    expect(ids.filter((id) => !tagged.has(id) && !reasons.includes(id))).toEqual([])
    expect(reasons.filter((id) => tagged.has(id) || !ids.includes(id))).toEqual([])
  })
})

describe('coverage of a full run', () => {
  const titles = ids.filter((id) => !(id in uncovered)).map((id) => `the title of [${id}]`)

  test('is enough, and says what was not hit and why', () => {
    const { line, complaints } = coverageOf(titles)
    expect(complaints).toEqual([])
    const reasons = Object.entries(uncovered).map(([id, reason]) => `${id} (${reason})`)
    const rest = reasons.length === 0 ? '' : `; not hit: ${reasons.join(', ')}`
    expect(line).toBe(`fault matrix: ${titles.length} of 168 rows hit${rest}`)
  })

  test('complains of too few rows, of rows that are none, and of reasons that are outdated', () => {
    const few = coverageOf(titles.slice(0, 149))
    expect(few.complaints).toEqual([
      'Only 149 rows of the fault matrix were hit: at least 150 must be.',
    ])
    expect(few.line).toContain(`${ids.at(-1)} (no reason is given)`)
    expect(coverageOf([...titles, '[API-99]']).complaints).toEqual([
      'A test names API-99, which is no row of test/faults/matrix.ts.',
    ])
    const [reasoned] = Object.keys(uncovered)
    if (reasoned !== undefined)
      expect(coverageOf([...titles, `[${reasoned}]`]).complaints).toEqual([
        `${reasoned} is hit: take it out of test/faults/uncovered.ts.`,
      ])
  })
})
