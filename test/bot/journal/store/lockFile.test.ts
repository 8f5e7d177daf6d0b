import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lockFile, readHolder } from '../../../../src/bot/journal/store/lockFile.ts'
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
