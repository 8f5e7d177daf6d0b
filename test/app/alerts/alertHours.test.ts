import { expect, test } from 'vitest'
import { digestDate, isQuiet } from '../../../src/app/alerts/alertHours.ts'

const at = (text: string) => Date.parse(text)
const night = { from: 22 * 60, to: 7 * 60 }
const lunch = { from: 12 * 60, to: 13 * 60 }
const hours = { quiet: night, digest: 8 * 60, timeZone: 'Europe/Berlin' }

test.each<[string, typeof night, boolean]>([
  ['2026-01-10T20:59:59Z', night, false],
  ['2026-01-10T21:00:00Z', night, true],
  ['2026-01-11T05:59:59Z', night, true],
  ['2026-01-11T06:00:00Z', night, false],
  ['2026-07-10T20:00:00Z', night, true],
  ['2026-07-11T05:00:00Z', night, false],
  ['2026-01-10T10:59:59Z', lunch, false],
  ['2026-01-10T11:00:00Z', lunch, true],
  ['2026-01-10T12:00:00Z', lunch, false],
])('quiet hours in Berlin, at %s: %o', (instant, quiet, is) => {
  expect(isQuiet(at(instant), { ...hours, quiet })).toBe(is)
})

test('without quiet hours none is quiet, and without a digest none is due', () => {
  const none = { quiet: undefined, digest: undefined, timeZone: 'UTC' }
  expect(isQuiet(at('2026-01-10T23:00:00Z'), none)).toBe(false)
  expect(digestDate(at('2026-01-10T23:00:00Z'), none)).toBeUndefined()
})

test.each([
  ['2026-01-10T06:59:59Z', undefined],
  ['2026-01-10T07:00:00Z', '2026-01-10'],
  ['2026-01-10T22:59:59Z', '2026-01-10'],
  ['2026-01-10T23:00:00Z', undefined],
  ['2026-07-10T06:00:00Z', '2026-07-10'],
])('the digest of 08:00 in Berlin, at %s: %s', (instant, date) => {
  expect(digestDate(at(instant), hours)).toBe(date)
})
