import fc from 'fast-check'
import { expect, test } from 'vitest'
import { monthSpan } from '../../../src/story/month/monthSpan.ts'

const iso = (at: number) => new Date(at).toISOString()
const ofMonth = (month: string, zone: string) => {
  const { from, until } = monthSpan(month, zone)
  return [iso(from), iso(until)]
}

test('month: its boundaries are midnights of its zone, on both sides of a change of the clocks', () => {
  expect(ofMonth('2026-10', 'UTC')).toEqual([
    '2026-10-01T00:00:00.000Z',
    '2026-11-01T00:00:00.000Z',
  ])
  expect(ofMonth('2026-10', 'Europe/Berlin')).toEqual([
    '2026-09-30T22:00:00.000Z',
    '2026-10-31T23:00:00.000Z',
  ])
  expect(ofMonth('2026-12', 'Asia/Kolkata')).toEqual([
    '2026-11-30T18:30:00.000Z',
    '2026-12-31T18:30:00.000Z',
  ])
  // The clocks of Paraguay went forward at the midnight that began October 2023: there was no 00:00.
  expect(ofMonth('2023-10', 'America/Asuncion')[0]).toBe('2023-10-01T04:00:00.000Z')
})

test('month: in any zone its first instant is in it, the one before is not, and months leave no gap', () => {
  const zones = Intl.supportedValuesOf('timeZone')
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: 1990 * 12, max: 2036 * 12 }),
      (zone, index) => {
        const name = (nth: number) =>
          `${Math.floor(nth / 12)}-${String((nth % 12) + 1).padStart(2, '0')}`
        const parts = new Intl.DateTimeFormat('en', {
          ...{ timeZone: zone, year: 'numeric', month: '2-digit' },
          calendar: 'iso8601',
        })
        const monthOf = (at: number) => {
          const part = (type: string) => parts.formatToParts(at).find((one) => one.type === type)
          return `${part('year')?.value}-${part('month')?.value}`
        }
        const { from, until } = monthSpan(name(index), zone)
        expect([monthOf(from - 1), monthOf(from), monthOf(until - 1), monthOf(until)]).toEqual([
          name(index - 1),
          name(index),
          name(index),
          name(index + 1),
        ])
        expect(monthSpan(name(index + 1), zone).from).toBe(until)
      },
    ),
    { numRuns: 500 },
  )
})

test.each(['2026-13', '2026-1', '26-10', '2026-10-01', 'October'])(
  'month: %s is refused',
  (text) => {
    expect(() => monthSpan(text, 'UTC')).toThrow('--month takes a month such as 2026-10')
  },
)

test.each(['Berlin', '+02:00', ''])('month: the zone %s is refused', (zone) => {
  expect(() => monthSpan('2026-10', zone)).toThrow('--zone takes the IANA name')
})
