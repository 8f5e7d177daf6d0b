import { describe, expect, test } from 'vitest'
import { slots } from '../../../src/bot/schedule/slots.ts'
import { wallCalendar } from './wallCalendar.ts'

/** `npm run test:slots` takes more. */
const years = Array.from({ length: Number(process.env.FOLD_YEARS ?? 1) }, (_, more) => 2026 + more)

/** Zones whose clocks change at midnight, before it, by half an hour, by two hours, or in their own way. */
const zones = [
  'America/Havana',
  'Atlantic/Azores',
  'America/Nuuk',
  'Antarctica/Troll',
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'Africa/Cairo',
  'America/Santiago',
  'Asia/Beirut',
  'Pacific/Chatham',
  'Europe/Berlin',
]

/** The months of 2026 in which one of them changes its clocks; all of it where more is taken. */
const changing: readonly (readonly [number, number])[] =
  process.env.FOLD_YEARS === undefined
    ? [
        [Date.UTC(2026, 1, 1), Date.UTC(2026, 4, 1)],
        [Date.UTC(2026, 8, 1), Date.UTC(2026, 10, 15)],
      ]
    : [[Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)]]

const slotsOf = (expression: string, timeZone: string, from: number, to: number) => {
  const found: number[] = []
  for (const slot of slots({ kind: 'cron', expression, timeZone }, from - 1)) {
    if (slot >= to) return found
    found.push(slot)
  }
  return found
}
const shown = (found: readonly number[]) =>
  found.map((at) => new Date(at).toISOString().slice(0, 16))

describe('slots at rare folds', () => {
  test.each(zones.flatMap((zone) => years.map((year) => [zone, year] as const)))(
    '%s in %i: every half hour of the night comes once a day, as the wall clock has it',
    (zone, year) => {
      const [from, to] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)]
      // Clocks change between half past nine in the evening and four.
      for (let half = 43; half < 56; half++) {
        const [hour, minute] = [Math.floor(half / 2) % 24, (half % 2) * 30]
        const found = slotsOf(`${minute} ${hour} * * *`, zone, from, to)
        expect(shown(found), `${hour}:${minute}`).toEqual(
          shown(wallCalendar({ kind: 'daily', hour, minute }, { zone, from, to })),
        )
      }
    },
  )

  test.each(zones)(
    '%s: a quarter of an hour is a quarter of an hour, whatever the clocks do',
    (zone) => {
      for (const [first, end] of changing)
        expect(slotsOf('*/15 * * * *', zone, first, end)).toEqual(
          wallCalendar({ kind: 'quarters' }, { zone, from: first, to: end }),
        )
    },
  )

  test.each<[string, string, string, readonly string[]]>([
    // 00:00 to 01:00 comes twice: the first time, at UTC-4.
    ['0 0 * * *', 'America/Havana', '2026-11-01', ['2026-11-01T04:00', '2026-11-02T05:00']],
    ['30 0 * * *', 'Atlantic/Azores', '2026-10-25', ['2026-10-25T00:30', '2026-10-26T01:30']],
    // 23:00 to 24:00 is left out.
    ['30 23 * * *', 'America/Nuuk', '2026-03-28T12:00Z', ['2026-03-29T01:30', '2026-03-30T00:30']],
    // Two hours are left out from 01:00 on: once, not twice.
    ['0 2 * * *', 'Antarctica/Troll', '2026-03-29', ['2026-03-29T02:00', '2026-03-30T00:00']],
    // 01:30 to 02:00 comes twice, and half an hour is left out from 02:00 on.
    [
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T12:00Z',
      ['2026-04-04T14:45', '2026-04-05T15:15'],
    ],
    [
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-03T12:00Z',
      ['2026-10-03T15:45', '2026-10-04T15:15'],
    ],
    // Two that come at one instant are one slot, and the order is that of time.
    ['0 2,3 * * *', 'Europe/Berlin', '2026-03-29', ['2026-03-29T01:00', '2026-03-30T00:00']],
    ['30,0 2,3 * * *', 'Europe/Berlin', '2026-03-29', ['2026-03-29T01:00', '2026-03-29T01:30']],
  ])('%s in %s from %s', (expression, zone, from, expected) => {
    const at = Date.parse(from)
    expect(shown(slotsOf(expression, zone, at, at + 3 * 86_400_000)).slice(0, 2)).toEqual(expected)
  })
})
