import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { newFiles } from '../../scripts/newFiles.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'ballast-strategy-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('the test that a new strategy comes with passes', async () => {
  const config = `export default { test: { include: ['test/**/*.test.ts'] } }\n`
  const made = newFiles('strategy', 'buy-low', (path) => readFileSync(join(root, path), 'utf8'))
  for (const { path, text } of [...made, { path: 'vitest.config.ts', text: config }]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  for (const name of ['node_modules', 'src']) symlinkSync(join(root, name), join(folder, name))
  const { VITEST: _, ...env } = process.env
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [vitest, 'run'], {
    cwd: folder,
    env: { ...env, NO_COLOR: '1' },
  })
  expect(stdout).toMatch(/Tests {2}\d+ passed \(\d+\)/)
})
