import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openDay } from './openDay.ts'

const hourMs = 3_600_000
const start = Date.parse('2026-11-24T18:59:58Z')
const at = (time: string) => Date.parse(`2026-11-24T${time}Z`)

/** What a journal says is broken whose calendar begins at the first instant and closes the slots that follow. */
function breaksOf(begins: number, closed: readonly number[]): readonly string[] {
  const path = join(mkdtempSync(join(tmpdir(), 'ballast-day-')), 'ballast.db')
  const db = new DatabaseSync(path)
  db.exec(`CREATE TABLE swap (strategy, state, slot, code, amount_in, sold, received, created_at);
CREATE TABLE slot (strategy, slot, upto, slots, state, reason);
CREATE TABLE lock (kind, scope, code, reason, expires_at, released_at)`)
  const insert = db.prepare("INSERT INTO slot VALUES ('dca', ?, ?, ?, 'passed', '')")
  insert.run(begins, begins, 0)
  for (const slot of closed) insert.run(slot, slot, 1)
  db.close()
  const books = openDay(path)
  try {
    const calendar = { strategy: 'dca', periodMs: hourMs, budget: undefined }
    return books.calendarBreaks(calendar, { from: start, to: start + 2 * hourMs })
  } finally {
    books.close()
  }
}

test('a slot that comes while the bot starts is not counted: its calendar begins behind it', () => {
  expect(breaksOf(at('19:00:05'), [at('20:00:00')])).toEqual([])
})

test('a slot after the calendar begins is counted', () => {
  expect(breaksOf(at('18:59:59'), [at('20:00:00')])).toEqual([
    'dca 2026-11-24T19:00:00.000Z: closed 0 times',
  ])
})

test('a calendar that begins late in the day is a break of its own', () => {
  expect(breaksOf(at('19:30:00'), [at('20:00:00')])).toEqual([
    'dca: begins 1802000 ms after the day',
  ])
})
