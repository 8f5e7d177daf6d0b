import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import type { Planned } from './createBook.ts'
import { liveThrough } from './liveThrough.ts'
import { type WallCalendar, wallCalendar } from './wallCalendar.ts'

// A sample, by count: `npm run test:slots` takes several runs of both, through all ten years.
const runs = Number(process.env.SLOT_RUNS ?? 1)
const calendarYears = Number(process.env.SLOT_YEARS ?? 1)
const quarterDays = Number(process.env.SLOT_QUARTER_DAYS ?? 10)

const day = 86_400_000
const newYear = (year: number) => Date.parse(`${year}-01-01T00:00:00Z`)
const begin = newYear(2026)
const end = newYear(2036)
/** Clocks are set to the future too. */
const margin = 60 * day

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Sydney']
const calendars: Readonly<Record<string, WallCalendar>> = {
  '0 9 * * *': { kind: 'daily', hour: 9, minute: 0 },
  '0 9 * * MON': { kind: 'daily', hour: 9, minute: 0, weekday: 'Monday' },
  '30 2 * * *': { kind: 'daily', hour: 2, minute: 30 },
}
const known = new Map(
  Object.entries(calendars).flatMap(([expression, calendar]) =>
    zones.map((zone): [string, readonly number[]] => [
      `${expression} ${zone}`,
      wallCalendar(calendar, { zone, from: begin, to: end + margin }),
    ]),
  ),
)

const weather = fc.record({
  restart: fc.constantFrom(0.003, 0.02, 0.1),
  jump: fc.constantFrom(0, 0.01, 0.05),
  failure: fc.constantFrom(0, 0.1, 0.5),
  open: fc.constantFrom(0, 0.2, 0.7),
  slow: fc.constantFrom(0, 0.1),
})
const terms = fc.record({
  jitter: fc.constantFrom(undefined, 60, 7_200),
  late: fc.constantFrom(undefined, 120, 900, 7_200),
  makeUp: fc.constantFrom(undefined, 1, 3),
})
const limits = { numRuns: runs, endOnFailure: true } as const
/** Only a hang takes as long: ten times a quiet core, where a year of days takes 6 s and a day of quarters 0.2 s. */
const timeoutMs = 60_000 + runs * (calendarYears * 60_000 + quarterDays * 2_000)

type Tally = Awaited<ReturnType<typeof liveThrough>>['tally']

/** Every slot of the time has its fate, and some were executed. */
function expectTold(tally: Tally, planned: readonly Planned[], [from, to]: [number, number]): void {
  for (const { name, slots } of planned) {
    const least = slots.filter((slot) => slot > from && slot < to).length
    expect(tally.find((one) => one.name === name)?.slots).toBeGreaterThanOrEqual(least)
  }
  expect(tally.some(({ executed }) => executed > 0)).toBe(true)
}

describe('every slot is executed, waited or missed, exactly once', () => {
  test(
    'over years in three zones: daily, weekly, and in the hour that summer time skips',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer(),
          weather,
          fc.array(terms, { minLength: 9, maxLength: 9 }),
          fc.integer({ min: 2026, max: 2036 - Math.min(10, calendarYears) }),
          async (seed, bad, all, firstYear) => {
            const from = newYear(firstYear)
            const to = newYear(firstYear + calendarYears)
            const planned = [...known].map(([name, slots], nth): Planned => {
              const [expression = '', timeZone = ''] = name.split(/ (?=\S+$)/)
              return { name, slots, schedule: { kind: 'cron', expression, timeZone, ...all[nth] } }
            })
            const random = createRandom(seed)
            const { tally, restarts } = await liveThrough({
              planned,
              from,
              to,
              weather: bad,
              random,
            })
            expectTold(tally, planned, [from, to])
            expect(restarts).toBeGreaterThan(0)
          },
        ),
        limits,
      )
    },
    timeoutMs,
  )

  test(
    'every quarter of an hour, through changes of summer time',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer(),
          weather,
          fc.array(terms, { minLength: 3, maxLength: 3 }),
          fc.integer({ min: 0, max: 3_650 - Math.min(3_650, quarterDays) }),
          async (seed, bad, all, firstDay) => {
            const from = begin + firstDay * day
            const to = from + quarterDays * day
            const planned = zones.map((zone, nth): Planned => {
              const slots = wallCalendar({ kind: 'quarters' }, { zone, from, to: to + margin })
              const expression = '*/15 * * * *'
              return {
                name: zone,
                slots,
                schedule: { kind: 'cron', expression, timeZone: zone, ...all[nth] },
              }
            })
            const random = createRandom(seed)
            const { tally } = await liveThrough({
              planned,
              from,
              to,
              weather: bad,
              random,
            })
            expectTold(tally, planned, [from, to])
          },
        ),
        limits,
      )
    },
    timeoutMs,
  )
})
