import { chmodSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { followKeys } from '../../src/app/service/followKeys.ts'
import { createLog } from '../../src/bot/report/createLog.ts'

const key = 'a-key-of-16-or-more'
let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ballast-keys-'))
  file = join(folder, 'service.keys')
  writeFileSync(file, `${key}\n`, { mode: 0o600 })
})
afterEach(() => rmSync(folder, { recursive: true }))

/** What comes of each change of the file: the keys that the service was given, and the lines of the log. */
async function follow(changes: readonly (() => void)[]) {
  const given: (readonly string[])[] = []
  const lines: string[] = []
  let looks = 0
  let passed = () => {}
  const over = new Promise<void>((resolve) => {
    passed = resolve
  })
  const following = followKeys(
    { replaceKeys: (keys) => void given.push(keys) },
    {
      file,
      log: createLog({ level: 'info', sink: (line) => lines.push(JSON.parse(line).msg) }),
      clock: {
        now: () => 0,
        async sleep() {
          const change = changes[looks]
          looks += 1
          change?.()
          if (looks === changes.length + 2) passed()
          // The test stops it now.
          if (looks > changes.length + 1) await new Promise((resolve) => setTimeout(resolve, 20))
        },
      },
    },
  )
  await over
  await following.stop()
  return { given, lines }
}
const wrong = 'the file of API keys is not right; the last keys stay in force'
const replaced = 'the API keys were replaced'

test('a change is taken over, one of its rights as well, and what is wrong leaves the last keys in force', async () => {
  const { given, lines } = await follow([
    () => writeFileSync(file, `${key}-2\n`),
    () => chmodSync(file, 0o700),
    () => writeFileSync(file, 'short\n'),
    () => rmSync(file),
  ])
  expect(given).toEqual([[key], [`${key}-2`], [`${key}-2`]])
  expect(lines.slice(0, 2)).toEqual([replaced, replaced])
  expect(new Set(lines.slice(2))).toEqual(new Set([wrong]))
})

test('a folder that cannot be entered ends nothing', async () => {
  const { given, lines } = await follow([
    () => {
      renameSync(folder, `${folder}-away`)
      symlinkSync(folder, folder)
    },
    () => {
      rmSync(folder)
      renameSync(`${folder}-away`, folder)
    },
  ])
  expect(given).toEqual([[key]])
  expect(lines).toContain(wrong)
})
