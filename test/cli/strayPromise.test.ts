import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { goodYaml } from '../config/goodYaml.ts'
import { runBallast } from '../support/runBallast.ts'

const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'stray-promise-')))
const file = join(cwd, 'stray.ts')
const yaml = goodYaml.replace(
  /strategies:[\s\S]*?(?=database:)/,
  'strategies:\n  - { name: stray, use: ./stray.ts, params: {} }\n',
)
writeFileSync(join(cwd, 'ballast.yaml'), yaml, { mode: 0o600 })
writeFileSync(
  join(cwd, 'own.mjs'),
  "setImmediate(function reject() {\n  if (process.listenerCount('uncaughtException') === 0) return setImmediate(reject)\n  Promise.reject(new Error('one of ours'))\n})\n",
)

/** Checks a configuration whose strategy does this when it is loaded. */
function check(watch: string, preload?: string) {
  writeFileSync(
    file,
    `import { defineStrategy, wait } from '#strategy'
const later = async () => { throw new Error('nobody waits for it') }
export default defineStrategy<object>({
  name: 'stray', summary: 'A test.', params: (fields) => fields.object({}),
  schedule: () => ({ kind: 'every', seconds: 5 }), watch: () => ${watch},
  decide: () => wait('a test'),
})
`,
  )
  return runBallast(['config', 'check', '--json'], {
    cwd,
    ...(preload === undefined ? {} : { preload }),
  })
}

describe('a promise that a strategy leaves behind', () => {
  test.each([
    ['(later(), later(), [])', `${file}:2:35 left a promise behind, which failed: nobody waits`],
    ['(Promise.reject(null), [])', `${file} left a promise behind, which failed: null.`],
    [
      '(Promise.reject(Object.create(null)), [])',
      `${file} left a promise behind, which failed: it threw a value that cannot be read.`,
    ],
  ])('is a warning that names its file, once, and ends nothing: %s', async (watch, sentence) => {
    const { code, stderr, stdout } = await check(watch)
    expect(stderr).toContain(`ballast: ${sentence}`)
    expect(stderr.split('left a promise behind')).toHaveLength(2)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).not.toHaveProperty('error')
  })

  test('is no news where it is the answer, which is refused', async () => {
    const { code, stderr, stdout } = await check('later()')
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('watch failed: the answer is no list of watches.'),
    })
    expect(stderr).not.toContain('left a promise behind')
    expect(code).toBe(2)
  })
})

test('a promise of the bot itself that fails ends the process', async () => {
  const { code, stdout } = await check('[]', join(cwd, 'own.mjs'))
  // The command may have answered before.
  expect(stdout).toContain('"message": "Unexpected failure: one of ours"')
  expect(code).toBe(1)
})
