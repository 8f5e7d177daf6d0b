import type { Reporter, TestModule } from 'vitest/node'

/** Ends a test run with one line that scripts can read: `12 passed, 0 failed`. */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    // A file that cannot be loaded has no tests, and an error between tests belongs to none.
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandled.length
    const skipped = count('skipped')
    const rest = skipped > 0 ? `, ${skipped} skipped` : ''
    console.log(`\n${count('passed')} passed, ${count('failed') + broken} failed${rest}`)
  }
}
