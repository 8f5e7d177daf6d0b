import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import type { Planned } from './createBook.ts'
import { liveThrough } from './liveThrough.ts'
import { type WallCalendar, wallCalendar } from './wallCalendar.ts'

// `npm run test:slots` takes more of both, and the quarters of an hour through all ten years.
const runs = Number(process.env.SLOT_RUNS ?? 1)
const quarterDays = Number(process.env.SLOT_QUARTER_DAYS ?? 40)

const day = 86_400_000
const begin = Date.parse('2026-01-01T00:00:00Z')
const tenYears = Date.parse('2036-01-01T00:00:00Z')
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
      wallCalendar(calendar, { zone, from: begin, to: tenYears + margin }),
    ]),
  ),
)

const weather = fc.record({
  restart: fc.constantFrom(0.001, 0.02, 0.1),
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
/** Several times what it takes on two busy cores: ten years of days 30 s, of quarters 10 minutes. */
const timeoutMs = runs * (120_000 + quarterDays * 600)

/** What a run must have had for it to show anything. */
function expectTold(tally: Awaited<ReturnType<typeof liveThrough>>['tally'], slots: number): void {
  const sum = (fate: 'executed' | 'waited' | 'missed') =>
    tally.reduce((all, one) => all + one[fate], 0)
  expect(sum('executed')).toBeGreaterThan(0)
  expect(sum('executed') + sum('waited') + sum('missed')).toBeGreaterThan(slots)
}

describe('every slot is executed, waited or missed, exactly once', () => {
  test(
    'over ten years in three zones: daily, weekly, and in the hour that summer time skips',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer(),
          weather,
          fc.array(terms, { minLength: 9, maxLength: 9 }),
          async (seed, bad, all) => {
            const planned = [...known].map(([name, slots], nth): Planned => {
              const [expression = '', timeZone = ''] = name.split(/ (?=\S+$)/)
              return { name, slots, schedule: { kind: 'cron', expression, timeZone, ...all[nth] } }
            })
            const random = createRandom(seed)
            const lived = { planned, from: begin, to: tenYears, weather: bad, random }
            const { tally, restarts } = await liveThrough(lived)
            expectTold(tally, 6 * 3_600 + 3 * 500)
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
            expectTold(tally, 3 * 90 * quarterDays)
          },
        ),
        limits,
      )
    },
    timeoutMs,
  )
})
