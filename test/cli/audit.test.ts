import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-audit-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
})
afterEach(() => rmSync(cwd, { recursive: true }))

const ballast = (...args: string[]) => callCli(args, { cwd })

test('audit verify: 0 for a whole log, 3 for a broken or a shortened one', async () => {
  expect((await ballast('audit', 'verify')).code).toBe(2)
  await ballast('pause')
  await ballast('halt')
  const whole = await ballast('audit', 'verify', '--json')
  const { head } = JSON.parse(whole.stdout)
  expect([whole.code, JSON.parse(whole.stdout)]).toEqual([
    0,
    { ok: true, count: 2, head, broken: null, found: null },
  ])
  expect((await ballast('audit', 'verify', '--head', head)).code).toBe(0)
  expect((await ballast('audit', 'verify', '--head', 'ab'.repeat(32))).code).toBe(3)
  expect((await ballast('audit', 'verify', '--head', 'abc')).code).toBe(2)

  const db = new DatabaseSync(join(cwd, 'ballast.db'))
  db.exec(`UPDATE event SET facts = '{}' WHERE seq = 2`)
  db.close()
  const broken = await ballast('audit', 'verify')
  expect([broken.code, broken.stdout]).toEqual([
    3,
    expect.stringContaining('BROKEN at entry 2: it is not what was written.'),
  ])
})
