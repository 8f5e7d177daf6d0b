import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { diskOf } from '../../../../src/bot/journal/store/disk.ts'
import { lockFile, ownsLock, readHolder } from '../../../../src/bot/journal/store/lockFile.ts'
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

test.skipIf(process.getuid?.() !== 0)(
  'what root makes beside a journal is for the account of its folder',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'ballast-lock-'))
    chownSync(folder, 65_532, 65_532)
    const refused = () => usageError('refused')
    const terms = { holds: '', locked: refused, unwritable: refused }
    lockFile(join(folder, 'journal.db'), terms).release()
    const { uid, gid } = statSync(join(folder, 'journal.db.lock'))
    expect([uid, gid]).toEqual([65_532, 65_532])
  },
)
