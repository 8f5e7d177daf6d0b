import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileTimes, readStrategy } from '../../../src/bot/strategy/readStrategy.ts'

/** Whether a file of a strategy has changed, looked at once a second while a bot runs. */

test('a file that cannot be looked at, or is gone, is a change and no error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'strategy-'))
  const file = join(folder, 'mine.ts')
  writeFileSync(
    file,
    `import { defineStrategy, wait } from '#strategy'
export default defineStrategy({
  name: 'mine',
  summary: 'Waits.',
  params: (fields) => fields.object({}),
  schedule: () => ({ kind: 'every', seconds: 60 }),
  watch: () => [],
  decide: () => wait('always'),
})
`,
  )
  readStrategy(file, 'mine.ts')
  const before = fileTimes()
  expect(fileTimes()).toBe(before)
  rmSync(file)
  const gone = fileTimes()
  expect(gone).not.toBe(before)
  // A link to itself: the system refuses to look at it, whoever asks.
  symlinkSync(file, file)
  expect(fileTimes()).not.toBe(gone)
  rmSync(folder, { recursive: true })
})
