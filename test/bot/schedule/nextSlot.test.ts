import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { latestSlot, nextSlot } from '../../../src/bot/schedule/slots.ts'
import type { Schedule } from '../../../src/bot/strategy/index.ts'

const every = (seconds: number): Schedule => ({ kind: 'every', seconds })
const cron = (expression: string, timeZone: string): Schedule => ({
  kind: 'cron',
  expression,
  timeZone,
})
const next = (schedule: Schedule, after: string) =>
  new Date(nextSlot(schedule, Date.parse(after))).toISOString()
const latest = (schedule: Schedule, after: string, now: string) => {
  const slot = latestSlot(schedule, { after: Date.parse(after), now: Date.parse(now) })
  return slot === undefined ? undefined : new Date(slot).toISOString()
}

describe('nextSlot: every', () => {
  test('is aligned to the epoch and strictly after', () => {
    expect(nextSlot(every(5), 0)).toBe(5_000)
    expect(nextSlot(every(5), 4_999)).toBe(5_000)
    expect(nextSlot(every(5), 5_000)).toBe(10_000)
    expect(next(every(3600), '2026-05-04T08:15:00Z')).toBe('2026-05-04T09:00:00.000Z')
  })

  test('refuses a period of nothing', () => {
    expect(() => nextSlot(every(0), 0)).toThrow('a period is a whole number')
  })
})

describe('nextSlot: cron', () => {
  const nine = cron('0 9 * * *', 'Europe/Berlin')

  test('is the wall clock of its time zone, in summer and winter', () => {
    expect(next(nine, '2026-01-15T08:00:00Z')).toBe('2026-01-16T08:00:00.000Z')
    expect(next(nine, '2026-07-15T06:59:59.999Z')).toBe('2026-07-15T07:00:00.000Z')
  })

  test('[LOCAL-33] spring: a slot in the skipped hour comes one hour later, wherever one starts', () => {
    const half = cron('30 2 * * *', 'America/New_York')
    expect(next(half, '2026-03-07T12:00:00Z')).toBe('2026-03-08T07:30:00.000Z')
    expect(next(half, '2026-03-08T07:00:00Z')).toBe('2026-03-08T07:30:00.000Z')
    expect(next(half, '2026-03-08T07:29:59Z')).toBe('2026-03-08T07:30:00.000Z')
    expect(next(half, '2026-03-08T07:30:00Z')).toBe('2026-03-09T06:30:00.000Z')
  })

  test('[LOCAL-33] autumn: a slot in the repeated hour comes once, the first time', () => {
    const half = cron('30 1 * * *', 'America/New_York')
    expect(next(half, '2026-10-31T12:00:00Z')).toBe('2026-11-01T05:30:00.000Z')
    expect(next(half, '2026-11-01T05:30:00Z')).toBe('2026-11-02T06:30:00.000Z')
    expect(next(half, '2026-11-01T06:10:00Z')).toBe('2026-11-02T06:30:00.000Z')
  })

  test('[LOCAL-33] is the same instant whatever the zone of the host', () => {
    const host = process.env.TZ
    const seen = ['UTC', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia'].map((zone) => {
      process.env.TZ = zone
      // Otherwise the host's zone did not change, and nothing was shown.
      const offset = new Date('2026-03-29T00:00:00Z').getTimezoneOffset()
      return [offset, next(nine, '2026-03-28T12:00:00Z')]
    })
    if (host === undefined) delete process.env.TZ
    else process.env.TZ = host
    expect(seen).toEqual([0, 240, -345, -780].map((offset) => [offset, '2026-03-29T07:00:00.000Z']))
  })

  test('the 29th of February waits for a leap year', () => {
    expect(next(cron('0 0 29 2 *', 'UTC'), '2026-01-01T00:00:00Z')).toBe('2028-02-29T00:00:00.000Z')
  })

  test('the slots are the same instants wherever one starts', () => {
    const expressions = ['30 2 * * *', '30 1 * * *', '*/20 * * * *', '15 0-3 * * *', '0 9 * * MON']
    const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Sydney', 'UTC']
    const changes = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-25', '2026-11-01']
    fc.assert(
      fc.property(
        fc.constantFrom(...expressions),
        fc.constantFrom(...zones),
        fc.constantFrom(...changes),
        fc.integer({ min: -12 * 60, max: 24 * 60 }),
        fc.integer({ min: 1, max: 16 * 60 }),
        (expression, zone, day, minutes, earlier) => {
          const schedule = cron(expression, zone)
          const after = Date.parse(`${day}T00:00:00Z`) + minutes * 60_000
          let walked = nextSlot(schedule, after - earlier * 60_000)
          while (walked <= after) walked = nextSlot(schedule, walked)
          expect(nextSlot(schedule, after)).toBe(walked)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('latestSlot', () => {
  test('is undefined when none is due', () => {
    const nine = cron('0 9 * * *', 'UTC')
    expect(latest(nine, '2026-05-04T09:00:00Z', '2026-05-05T08:59:59.999Z')).toBe(undefined)
    expect(latest(every(5), '2026-05-04T09:00:00Z', '2026-05-04T09:00:04.999Z')).toBe(undefined)
  })

  test('is the last of many', () => {
    const nine = cron('0 9 * * *', 'UTC')
    expect(latest(nine, '2026-01-01T00:00:00Z', '2026-05-04T09:00:00Z')).toBe(
      '2026-05-04T09:00:00.000Z',
    )
    expect(latest(every(5), '2026-01-01T00:00:00Z', '2026-05-04T09:00:03Z')).toBe(
      '2026-05-04T09:00:00.000Z',
    )
    expect(
      latest(cron('* * * * *', 'Europe/Berlin'), '2020-01-01T00:00:00Z', '2026-05-04T09:00:59Z'),
    ).toBe('2026-05-04T09:00:00.000Z')
  })

  test('names the instant that nextSlot names, around a change of summer time', () => {
    const spring = cron('30 2 * * *', 'America/New_York')
    expect(latest(spring, '2026-03-01T00:00:00Z', '2026-03-08T12:00:00Z')).toBe(
      '2026-03-08T07:30:00.000Z',
    )
    const autumn = cron('30 1 * * *', 'America/New_York')
    expect(latest(autumn, '2026-10-20T00:00:00Z', '2026-11-01T06:31:00Z')).toBe(
      '2026-11-01T05:30:00.000Z',
    )
    expect(latest(autumn, '2026-11-01T05:30:00Z', '2026-11-01T06:31:00Z')).toBe(undefined)
  })
})

test('nextSlot: what a schedule was asked before changes no answer', () => {
  const instant = fc.integer({ min: Date.UTC(2026, 2, 7), max: Date.UTC(2026, 2, 10) })
  const expressions = ['30 2 * * *', '*/7 * * * *', '0 9 * * 1', '15 1,2,3 8 3 *']
  fc.assert(
    fc.property(
      fc.constantFrom(...expressions),
      fc.array(instant, { maxLength: 12 }),
      (expression, instants) => {
        const asked = cron(expression, 'America/New_York')
        for (const at of [...instants, ...instants])
          expect(nextSlot(asked, at)).toBe(nextSlot(cron(expression, 'America/New_York'), at))
      },
    ),
    { numRuns: 60 },
  )
})
