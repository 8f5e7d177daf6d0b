import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Short files that take minutes: begun last, as their size would have it, they would be waited for alone. */
const long = [
  'test/day/day.test.ts',
  'test/day/demo.test.ts',
  'test/browser/demo.test.ts',
  'test/contracts/forge.test.ts',
  'test/crash/strikes.test.ts',
  'test/crash/crash.test.ts',
  'test/hostile/outside.test.ts',
]

/** The order of a fresh clone: the files that take minutes, then the largest. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => long.some((path) => moduleId.endsWith(path))
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
