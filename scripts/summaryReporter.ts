import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'
import { coverageOf } from '../test/faults/coverageOf.ts'

/** Ends a test run with one line that scripts can read: `12 passed, 0 failed`. A full run says before it which rows of the fault matrix it hit. */
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
    const complaints = this.#isFull(modules) ? complaintsOf(inState('passed')) : []
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
    return globSync('test/**/*.test.ts', { cwd: root }).every((file) => ran.has(join(root, file)))
  }
}

function complaintsOf(passed: readonly { readonly fullName: string }[]): readonly string[] {
  const { line, complaints } = coverageOf(passed.map(({ fullName }) => fullName))
  console.log(`\n${[line, ...complaints].join('\n')}`)
  return complaints
}
