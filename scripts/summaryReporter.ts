import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { coverageOf } from '../test/faults/coverageOf.ts'
import { leftOut, leftOutMark, stories, textsOut } from '../test/support/draw.ts'

/** Ends a test run with one line that scripts can read: `12 passed, 0 failed`. A full run says before it which rows of the fault matrix it hits, and what a draw left out of it. */
export default class SummaryReporter implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const inState = (state: string) => tests.filter((test) => test.result().state === state)
    // A file that cannot be loaded has no tests, and an error between tests belongs to none.
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandled.length
    const drawnOut = inState('skipped').filter((test) => leftOutMark in test.meta())
    const isFull = this.#isFull(modules)
    if (seed !== undefined) console.log(`\n${drawOf(drawnOut.length)}`)
    // What is left out now is run by night: it is no gap in the matrix.
    const titles = [...inState('passed'), ...drawnOut].map(({ fullName }) => fullName)
    const complaints = isFull ? complaintsOf([...titles, ...textsOut([...filesOut])]) : []
    if (complaints.length > 0) process.exitCode = 1
    const failed = inState('failed').length + broken + complaints.length
    const skipped = inState('skipped').length
    const rest = skipped > 0 ? `, ${skipped} skipped` : ''
    console.log(`\n${inState('passed').length} passed, ${failed} failed${rest}`)
  }

  /** Whether every test of every file was meant to run: no file, no project and no name was picked. */
  #isFull(modules: readonly TestModule[]): boolean {
    if (this.#vitest?.config.testNamePattern !== undefined) return false
    const ran = new Set(modules.map(({ moduleId }) => moduleId))
    const root = join(import.meta.dirname, '..')
    return globSync('test/**/*.test.ts', { cwd: root }).every(
      (file) => filesOut.has(file) || ran.has(join(root, file)),
    )
  }
}

/** Of this run: vitest.config.ts has set it. */
const seed = process.env.DRAW
const filesOut = seed === undefined ? new Set<string>() : leftOut(stories, seed)

const drawOf = (tests: number) =>
  `${tests} tests of long suites and ${filesOut.size} long files are left out. The same again: DRAW=${seed} npm test; all of them: npm run test:all.`

function complaintsOf(titles: readonly string[]): readonly string[] {
  const { line, complaints } = coverageOf(titles)
  const told =
    seed === undefined ? line : line.replace('rows hit', 'rows hit, or left out by the draw')
  console.log(`\n${[told, ...complaints].join('\n')}`)
  return complaints
}
