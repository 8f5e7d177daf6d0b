import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { systemClock } from '../../src/core/clock.ts'
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
    {
      ok: true,
      count: 2,
      head,
      broken: null,
      found: null,
      locks: [],
      swaps: [],
      accepted: [],
      archives: [],
    },
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

test('audit verify: a change that a person accepted is named with the reason, and exits with 0', async () => {
  await ballast('pause')
  const database = { dialect: 'sqlite', path: join(cwd, 'ballast.db') } as const
  const edit = (sql: string) => {
    const db = new DatabaseSync(database.path)
    db.exec(sql)
    db.close()
  }
  edit(`UPDATE event SET at = at + 1 WHERE seq = 1`)
  expect((await ballast('audit', 'verify')).code).toBe(3)
  const wallet = '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
  const journal = await openJournal({ database, haltFile: 'none', clock: systemClock })
  const scope = { chainId: 1, wallet, since: 0 } as const
  const [defect] = (await journal.books.logDefects(scope)).defects
  const breaks = [{ key: `I10 ${defect}`, swapId: undefined, lock: 'LEDGER_BROKEN', facts: {} }]
  await journal.reconciliation.noteBroken({ ...scope, breaks })
  await journal.locks.open({
    ...{ kind: 'halt', scope: `wallet ${wallet}`, code: 'LEDGER_BROKEN', reason: 'x' },
    expiresAt: undefined,
  })
  await journal.locks.release({ id: undefined, reason: 'the clock was set by hand' })
  await journal.shut()
  const accepted = await ballast('audit', 'verify')
  expect(accepted).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /CHANGED entry 1: it is not what was written .*: accepted by a person: the clock was set by hand/,
    ),
  })
  edit(`UPDATE event SET at = at + 1 WHERE seq = 1`)
  expect((await ballast('audit', 'verify')).code).toBe(3)
})

test.each<[string, string, string]>([
  ['deleted', 'DELETE FROM lock WHERE id = 1', 'it is gone from the table'],
  [
    'released by hand',
    `UPDATE lock SET released_at = 1, released_reason = 'x' WHERE id = 1`,
    'it is gone from the table',
  ],
  ['expired by hand', 'UPDATE lock SET expires_at = 1 WHERE id = 1', 'it is gone from the table'],
  ['weakened', `UPDATE lock SET kind = 'drain' WHERE id = 1`, 'something else than the log'],
  ['narrowed', `UPDATE lock SET scope = 'strategy x' WHERE id = 1`, 'something else than the log'],
  [
    'added',
    `UPDATE lock SET id = 7 WHERE id = 1`,
    'lock 7 (halt all, BY_OPERATOR): it holds, and the log does not say that it was opened',
  ],
])(
  'audit verify: a halt that was %s is named, and released by a person alone',
  async (_, sql, why) => {
    await ballast('halt')
    const db = new DatabaseSync(join(cwd, 'ballast.db'))
    db.exec(sql)
    db.close()
    const changed = await ballast('audit', 'verify')
    expect([changed.code, changed.stdout]).toEqual([3, expect.stringContaining(why)])
    const { locks } = JSON.parse((await ballast('audit', 'verify', '--json')).stdout)
    expect(locks[0]).toMatchObject({ id: 1, kind: 'halt', scope: 'all', code: 'BY_OPERATOR' })
    const resumed = await ballast('resume', '--reason', 'we know who')
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('Released lock 1')])
    expect((await ballast('audit', 'verify')).code).toBe(0)
  },
)
