import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { openJournal } from '../../../../src/bot/journal/openJournal.ts'
import { diskOf } from '../../../../src/bot/journal/store/disk.ts'
import { fileBehind } from '../../../../src/bot/journal/store/fileBehind.ts'
import { lockFile, ownsLock, readHolder } from '../../../../src/bot/journal/store/lockFile.ts'
import { systemClock } from '../../../../src/core/clock.ts'
import { usageError } from '../../../../src/core/errors.ts'

test('a number that this process was given after another one died names no holder, unless it has the lock', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'ballast-lock-')), 'journal.db')
  writeFileSync(`${path}.pid`, `${process.pid}\nwhat a dead process held`)
  expect(readHolder(path)).toBeUndefined()
  const refused = () => usageError('refused')
  const lock = lockFile(path, { holds: 'a journal', locked: refused, unwritable: refused })
  expect(readHolder(path)).toEqual({ pid: process.pid, holds: 'a journal' })
  lock.release()
  expect(readHolder(path)).toBeUndefined()
})

test('a process that is there is a holder', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'ballast-lock-')), 'journal.db')
  writeFileSync(`${path}.pid`, `${process.ppid}\nx`)
  expect(readHolder(path)).toEqual({ pid: process.ppid, holds: 'x' })
})

test('a link names the same lock and the same disk as the file it leads to, also before that is there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ballast-lock-'))
  const [disk, home] = [join(folder, 'disk'), join(folder, 'home')]
  for (const made of [disk, home]) mkdirSync(made)
  symlinkSync(disk, join(folder, 'mounted'))
  const [file, link] = [join(folder, 'mounted', 'journal.db'), join(home, 'journal.db')]
  symlinkSync('../disk/journal.db', link)
  const refused = () => usageError('refused')
  const terms = { holds: '', locked: refused, unwritable: refused }
  for (const [mine, other] of [
    [link, file],
    [file, link],
  ] as const) {
    const lock = lockFile(mine, terms)
    expect([mine, other].map(ownsLock)).toEqual([true, true])
    expect(readHolder(other)).toEqual({ pid: process.pid, holds: '' })
    expect(() => lockFile(other, terms)).toThrow('refused')
    // It stays held where the file is made meanwhile.
    writeFileSync(file, '')
    expect([mine, other].map(ownsLock)).toEqual([true, true])
    lock.release()
    expect(ownsLock(other)).toBe(false)
  }
  expect(diskOf({ dialect: 'sqlite', path: link })?.folder).toBe(disk)
})

test('a number that was given to another process after the bot was killed names no holder', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'ballast-lock-')), 'journal.db')
  writeFileSync(`${path}.lock`, '')
  writeFileSync(`${path}.pid`, `${process.ppid}\nx`)
  expect(readHolder(path)).toBeUndefined()
})

test('a lock of another process has its holder, as often as one looks', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'ballast-lock-')), 'journal.db')
  const holding = `
    const { DatabaseSync } = require('node:sqlite')
    const file = new DatabaseSync(${JSON.stringify(`${path}.lock`)})
    file.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    console.log('held')
    process.stdin.resume()`
  const child = spawn(process.execPath, ['-e', holding], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    await once(child.stdout, 'data')
    writeFileSync(`${path}.pid`, `${child.pid}\nx`)
    for (const _ of [1, 2, 3]) expect(readHolder(path)).toEqual({ pid: child.pid, holds: 'x' })
  } finally {
    child.stdin.end()
    await once(child, 'exit')
  }
  writeFileSync(`${path}.pid`, `${process.ppid}\nx`)
  expect(readHolder(path)).toBeUndefined()
})

test('a link in a folder that is a link itself leads to the same lock before and after its file is made', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ballast-lock-'))
  for (const made of ['home', 'vol', 'vol/state', 'vol/data']) mkdirSync(join(folder, made))
  symlinkSync('../vol/state', join(folder, 'home', 'ballast'))
  symlinkSync('second.db', join(folder, 'vol', 'state', 'journal.db'))
  symlinkSync('../data/journal.db', join(folder, 'vol', 'state', 'second.db'))
  const named = join(folder, 'home', 'ballast', 'journal.db')
  const behind = join(realpathSync(folder), 'vol', 'data', 'journal.db')
  expect(fileBehind(named)).toBe(behind)
  writeFileSync(behind, '')
  expect(fileBehind(named)).toBe(behind)
})

describe.skipIf(process.getuid?.() !== 0)('what root makes beside a journal', () => {
  const refused = () => usageError('refused')
  const terms = { holds: '', locked: refused, unwritable: refused }
  const account = 65_532
  const ownerOf = (file: string) => statSync(file).uid
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ballast-lock-'))
    chownSync(folder, account, account)
  })

  test('is for the account of its folder: lock, number and a new journal', async () => {
    const path = join(folder, 'journal.db')
    const lock = lockFile(path, terms)
    expect([`${path}.lock`, `${path}.pid`].map(ownerOf)).toEqual([account, account])
    lock.release()
    const journal = await openJournal({
      ...{ database: { dialect: 'sqlite', path }, haltFile: 'none', clock: systemClock },
    })
    expect([path, `${path}-wal`].map(ownerOf)).toEqual([account, account])
    await journal.shut()
  })

  test('and nothing that was there before, nor what a link leads to', () => {
    const path = join(folder, 'journal.db')
    const secret = join(mkdtempSync(join(tmpdir(), 'ballast-lock-')), 'secret')
    // Not there yet: the lock makes it.
    symlinkSync(secret, `${path}.lock`)
    lockFile(path, terms).release()
    expect(ownerOf(secret)).toBe(0)
    const other = join(folder, 'other.db')
    writeFileSync(`${other}.lock`, '')
    lockFile(other, terms).release()
    expect(ownerOf(`${other}.lock`)).toBe(0)
  })
})
