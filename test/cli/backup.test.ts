import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { backUp } from '../../src/bot/journal/copies.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { readJournal } from '../../src/bot/journal/readJournal.ts'
import { systemClock } from '../../src/core/clock.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'
import { runBallast } from '../support/runBallast.ts'
import { shipJournal } from '../support/shipJournal.ts'
import { until } from '../support/until.ts'
import { callCli } from './callCli.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin()
})
afterAll(() => fork.close())

const oneEth = { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' }

test('a copy of a running journal, restored and recovered, has the books of the chain', async () => {
  const { dataDir } = fork
  const [file, broken] = [join(dataDir, 'copy.db'), join(dataDir, 'broken.db')]
  let bot = await openBot(fork)
  const ballast = async (...args: string[]) => {
    const { code, stdout, stderr } = await callCli([...args, '--config', bot.config.file], {
      cwd: dataDir,
    })
    return { code, text: stdout + stderr }
  }
  await bot.swap(oneEth)
  // Beside the process that spends from it.
  const head = await bot.journal.log.head()
  const copied = await ballast('backup', file)
  expect(copied).toMatchObject({ code: 0, text: expect.stringContaining(`head ${head}`) })
  expect(readdirSync(dataDir).filter((name) => name.startsWith('copy.db'))).toEqual(['copy.db'])
  expect(await ballast('backup', file)).toMatchObject({
    code: 2,
    text: expect.stringContaining('exists'),
  })
  expect(await ballast('backup', join(dataDir, 'none/copy.db'))).toMatchObject({
    code: 2,
    text: expect.stringContaining('The journal is as it was. (FILE_NOT_WRITTEN)'),
  })
  expect((await ballast('backup', broken)).code).toBe(0)
  truncateSync(broken, statSync(broken).size - 4_096)

  await bot.swap(oneEth)
  expect(await ballast('restore', file)).toMatchObject({
    code: 5,
    text: expect.stringContaining('Another process'),
  })
  await bot.close()
  const before = readdirSync(dataDir)
  expect(await ballast('restore', broken)).toMatchObject({
    code: 2,
    text: expect.stringMatching(
      /no journal that can be used.*\(FILE_UNREADABLE\)\n *file: .*broken\.db\n/s,
    ),
  })
  // Whole, and not what was written.
  copyFileSync(file, broken)
  const changed = new DatabaseSync(broken)
  changed.exec(`UPDATE event SET facts = '{}' WHERE seq = 2`)
  changed.close()
  expect(await ballast('restore', broken)).toMatchObject({
    code: 5,
    text: expect.stringMatching(/contradicts itself\. \(JOURNAL_INCONSISTENT\)\n.*\n *entry: 2/),
  })
  expect(readdirSync(dataDir)).toEqual(before)

  // Of a stop after the copy the copy knows nothing.
  await ballast('pause', 'manual', '--reason', 'a maker that lies')
  const restored = await ballast('restore', file)
  expect(restored).toMatchObject({ code: 0, text: expect.stringContaining('ballast recover') })
  expect(restored.text).toMatch(
    /It still holds, as lock \d+: pause strategy manual \(BY_OPERATOR\)\./,
  )
  expect((await ballast('status')).text).toContain('a maker that lies')
  const replaced = /The journal that was there is (\S+)\./.exec(restored.text)?.[1] ?? ''
  expect(existsSync(replaced)).toBe(true)
  await expect(openBot(fork)).rejects.toMatchObject({ code: 'LOCKED' })
  const resumed = await ballast('resume', '--reason', 'a test')
  expect(resumed).toMatchObject({ code: 5, text: expect.stringContaining('(BOOKS_BEHIND)') })
  expect(await ballast('recover', '--reason', 'a test')).toMatchObject({
    code: 0,
    text: expect.stringContaining('Booked from the chain: swaps 1,'),
  })
  expect((await ballast('resume', '--reason', 'a test')).code).toBe(0)
  bot = await openBot(fork)
  const swaps = await bot.journal.swaps.page({ limit: 10 })
  expect(swaps.map(({ state, strategy }) => [state, strategy])).toEqual([
    ['SETTLED', 'test'],
    ['SETTLED', 'recovered'],
  ])
  await bot.close()
}, 120_000)

test.each([
  ['another file', 'victim.json'],
  ['the journal', 'ballast.db'],
])(
  'a link to %s under the name of the unfinished copy is replaced, not followed',
  async (_, name) => {
    const { dataDir } = fork
    const [victim, copy] = [join(dataDir, name), join(dataDir, `beside-${name}`)]
    writeFileSync(join(dataDir, 'victim.json'), 'what others need')
    symlinkSync(victim, `${copy}.partial`)
    const before = readFileSync(victim)
    const { code } = await callCli(['backup', copy, '--config', fork.ready.config], {
      cwd: dataDir,
    })
    expect(code).toBe(0)
    expect(readFileSync(victim)).toEqual(before)
    const { mode, size } = lstatSync(copy)
    expect([(mode & 0o777).toString(8), size > 0]).toEqual(['600', true])
  },
)

test('a journal that has the name of an unfinished copy stays where a backup would use that name', async () => {
  const { dataDir } = fork
  const [path, copy] = [join(dataDir, 'named.db.partial'), join(dataDir, 'named.db')]
  copyFileSync(join(dataDir, 'ballast.db'), path)
  const before = readFileSync(path)
  await expect(
    backUp({ database: { dialect: 'sqlite', path }, clock: systemClock }, copy),
  ).rejects.toMatchObject({ code: 'FILE_NOT_WRITTEN' })
  expect(readFileSync(path)).toEqual(before)
})

test('a journal whose process was killed is restored with the entries of its log', async () => {
  const { dataDir } = fork
  const ballast = (...args: string[]) =>
    callCli([...args, '--config', fork.ready.config], { cwd: dataDir })
  const path = join(dataDir, 'ballast.db')
  const dead = join(dataDir, 'dead.db')
  const journal = await openJournal({
    ...{ database: { dialect: 'sqlite', path }, haltFile: join(dataDir, 'HALT') },
    clock: systemClock,
  })
  const lock = { kind: 'pause', scope: 'all', code: 'BY_OPERATOR', expiresAt: undefined } as const
  await journal.locks.open({ ...lock, reason: 'the last entry' })
  const head = await journal.log.head()
  for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${dead}${end}`)
  expect(statSync(`${dead}-wal`).size).toBeGreaterThan(0)
  await journal.shut()
  // The one in place is of a killed process too: it is moved in one step, and with what its log had.
  for (const end of ['', '-wal']) copyFileSync(`${dead}${end}`, `${path}${end}`)
  chmodSync(dead, 0o644)
  const restored = await ballast('restore', dead)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining(head) })
  const replaced = /The journal that was there is (\S+)\./.exec(restored.stdout)?.[1] ?? ''
  expect(existsSync(`${replaced}-wal`)).toBe(false)
  const old = await readJournal({
    ...{ database: { dialect: 'sqlite', path: replaced }, haltFile: join(dataDir, 'HALT') },
    clock: systemClock,
  })
  expect(await old.log.head()).toBe(head)
  await old.shut()
  expect((await ballast('resume', '--reason', 'a test')).code).toBe(0)
})

test('a log that lost its file is moved away first: its entries would be read into the copy', async () => {
  const { dataDir } = fork
  const path = join(dataDir, 'ballast.db')
  const copy = join(dataDir, 'second.db')
  const ballast = (...args: string[]) =>
    callCli([...args, '--config', fork.ready.config], { cwd: dataDir })
  expect((await ballast('backup', copy)).code).toBe(0)
  renameSync(path, `${path}.bad`)
  writeFileSync(`${path}-wal`, 'entries of the old file')
  const logs = () => readdirSync(dataDir).filter((name) => /replaced-\d+-wal$/.test(name))
  const before = logs()
  expect(await ballast('restore', copy)).toMatchObject({ code: 0 })
  const [moved = '', ...more] = logs().filter((name) => !before.includes(name))
  expect([more, readFileSync(join(dataDir, moved), 'utf8')]).toEqual([
    [],
    'entries of the old file',
  ])
  const { locks } = JSON.parse((await ballast('status', '--json')).stdout)
  expect(locks).toMatchObject([{ code: 'JOURNAL_RESTORED' }])
})

test('a journal that is shipped as it grows stays in its place until the shipper is stopped, and is shipped anew', async () => {
  const { dataDir } = fork
  const [path, copy] = [join(dataDir, 'ballast.db'), join(dataDir, 'shipping.db')]
  const ballast = (...args: string[]) =>
    callCli([...args, '--config', fork.ready.config], { cwd: dataDir })
  const whole = { journal: path, into: join(dataDir, 'elsewhere') }
  let files = 0
  const arrives = (shipper: ReturnType<typeof shipJournal>, reason: string) =>
    until(() => {
      files += 1
      const file = join(dataDir, `arrived-${files}.db`)
      if (!shipper.fetch(file)) return false
      const arrived = new DatabaseSync(file)
      const row = arrived.prepare('SELECT count(*) AS locks FROM lock WHERE reason = ?').get(reason)
      arrived.close()
      return Number(row?.locks) > 0
    })
  const reader = new DatabaseSync(path)
  reader.exec('PRAGMA journal_mode = WAL')
  const shipper = shipJournal(whole)
  await ballast('pause', '--reason', 'before')
  await arrives(shipper, 'before')
  reader.close()
  expect((await ballast('backup', copy)).code).toBe(0)
  const before = await ballast('status', '--json')
  expect(await ballast('restore', copy)).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/Another program has the journal open\. \(JOURNAL_BUSY\)/),
  })
  // Before anything of the copy is looked at.
  const broken = join(dataDir, 'no-journal.db')
  writeFileSync(broken, 'no journal')
  expect((await ballast('restore', broken)).stderr).toContain('(JOURNAL_BUSY)')
  expect(existsSync(`${path}.partial`)).toBe(false)
  expect(JSON.parse((await ballast('status', '--json')).stdout).locks).toEqual(
    JSON.parse(before.stdout).locks,
  )
  await shipper.kill()
  expect(await ballast('restore', copy)).toMatchObject({ code: 0 })
  const bot = new DatabaseSync(path)
  bot.exec('PRAGMA journal_mode = WAL')
  const next = shipJournal(whole)
  await ballast('drain', '--reason', 'after')
  await arrives(next, 'after')
  await next.kill()
  bot.close()
}, 120_000)

test('the locks of a journal that cannot be read are missed in words', async () => {
  const { dataDir } = fork
  const [path, copy] = [join(dataDir, 'ballast.db'), join(dataDir, 'readable.db')]
  const ballast = (...args: string[]) =>
    callCli([...args, '--config', fork.ready.config], { cwd: dataDir })
  expect((await ballast('backup', copy)).code).toBe(0)
  const newer = new DatabaseSync(path)
  newer.exec("INSERT INTO kysely_migration VALUES ('9999-later', 'x')")
  newer.close()
  const restored = await ballast('restore', copy)
  expect(restored).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      'could not be read: a stop since the copy has to be made again',
    ),
  })
  expect(restored.stdout).toMatch(/^The wallet is halted by lock \d+\. Next: ballast recover/m)
  expect((await ballast('restore', copy)).stdout).not.toContain('could not be read')
  // Whoever names what a restore was killed over keeps it.
  copyFileSync(copy, `${path}.partial`)
  expect(await ballast('restore', `${path}.partial`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('move it first'),
  })
  expect(existsSync(`${path}.partial`)).toBe(true)
  rmSync(`${path}.partial`)
})

test('a lock that was renewed since the copy keeps its later end', async () => {
  const { dataDir } = fork
  const [path, copy] = [join(dataDir, 'ballast.db'), join(dataDir, 'renewed.db')]
  const ballast = (...args: string[]) =>
    callCli([...args, '--config', fork.ready.config], { cwd: dataDir })
  const journal = await openJournal({
    ...{ database: { dialect: 'sqlite', path }, haltFile: join(dataDir, 'HALT') },
    clock: systemClock,
  })
  const [soon, later] = [Date.now() + 3_600_000, Date.now() + 7_200_000]
  const breaker = { kind: 'breaker', scope: 'all', code: 'GAS_SPENT', reason: 'dear' } as const
  const { lock } = await journal.locks.open({ ...breaker, expiresAt: soon })
  expect((await ballast('backup', copy)).code).toBe(0)
  await journal.locks.reopen({ id: lock.id, reason: 'dearer', expiresAt: later })
  await journal.shut()
  expect((await ballast('restore', copy)).code).toBe(0)
  const { locks } = JSON.parse((await ballast('status', '--json')).stdout)
  const gas = locks.filter(({ code }: { code: string }) => code === 'GAS_SPENT')
  expect(gas).toMatchObject([{ expiresAt: new Date(later).toISOString() }])
})

test('a journal behind a link is restored where it lies, and the link leads there as before', async () => {
  const { dataDir } = fork
  const [path, volume, copy] = [
    join(dataDir, 'ballast.db'),
    join(dataDir, 'volume'),
    join(dataDir, 'third.db'),
  ]
  const ballast = (...args: string[]) =>
    callCli([...args, '--config', fork.ready.config], { cwd: dataDir })
  expect((await ballast('backup', copy)).code).toBe(0)
  mkdirSync(volume)
  renameSync(path, join(volume, 'journal.db'))
  symlinkSync('volume/journal.db', path)
  expect(await ballast('restore', copy)).toMatchObject({ code: 0 })
  expect(readlinkSync(path)).toBe('volume/journal.db')
  expect(readdirSync(volume).filter((name) => !name.endsWith('.lock'))).toEqual([
    'journal.db',
    expect.stringMatching(/^journal\.db\.replaced-\d+$/),
  ])
  const { locks } = JSON.parse((await ballast('status', '--json')).stdout)
  expect(locks[0]).toMatchObject({ code: 'JOURNAL_RESTORED' })
})

test('one that is killed leaves a journal in its place, the old one or the new', async () => {
  const { dataDir } = fork
  const config = ['--config', fork.ready.config]
  const copy = join(dataDir, 'fourth.db')
  await callCli(['backup', copy, ...config], { cwd: dataDir })
  const killing = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const rename = fs.renameSync
    fs.renameSync = (from, to) =>
      from.endsWith('.partial') ? process.kill(process.pid, 'SIGKILL') : rename(from, to)
    syncBuiltinESMExports()`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(killing)}`
  const { signal } = await runBallast(['restore', copy, ...config], { env: { NODE_OPTIONS } })
  expect(signal).toBe('SIGKILL')
  const { code, stdout } = await callCli(['audit', 'verify', ...config], { cwd: dataDir })
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^[1-9]\d* entries/)])
})
