import { relative } from 'node:path'
import { aroundEach, type RunnerTestCase, type RunnerTestFile, type RunnerTestSuite } from 'vitest'
import { leftOut, leftOutMark, suites } from './draw.ts'

const known = new WeakMap<RunnerTestFile, ReadonlySet<string>>()

const testsIn = ({ tasks }: RunnerTestSuite): readonly RunnerTestCase[] =>
  tasks.flatMap((task) => (task.type === 'suite' ? testsIn(task) : [task]))

/** Of a long suite the tests that the draw of this run leaves out, by their ids. */
function leftOutOf(file: RunnerTestFile, seed: string): ReadonlySet<string> {
  const left =
    known.get(file) ??
    leftOut(
      testsIn(file).map(({ id }) => id),
      seed,
    )
  known.set(file, left)
  return left
}

const seed = process.env.DRAW
if (seed !== undefined)
  aroundEach(async (run, { task, skip }) => {
    const isLong = suites.includes(relative(`${import.meta.dirname}/../..`, task.file.filepath))
    if (isLong && leftOutOf(task.file, seed).has(task.id)) {
      Object.assign(task.meta, { [leftOutMark]: true })
      skip()
    }
    await run()
  })
