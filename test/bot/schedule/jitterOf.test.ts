import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dueAt, jitterOf, slots } from '../../../src/bot/schedule/slots.ts'
import type { Schedule } from '../../../src/bot/strategy/index.ts'
import { startSchedule } from './startSchedule.ts'

const eight = Date.parse('2026-05-04T08:00:00Z')

describe('jitterOf', () => {
  test('is written down here: another value would move every slot of a running bot', () => {
    expect([0, 1, 2].map((hour) => jitterOf('dca', eight + hour * 3_600_000, 300))).toEqual([
      65_454, 170_166, 169_901,
    ])
    expect(jitterOf('other', eight, 300)).not.toBe(jitterOf('dca', eight, 300))
  })

  test('is nothing where there is none, and stays within its seconds', () => {
    expect(jitterOf('dca', eight, 0)).toBe(0)
    fc.assert(
      fc.property(fc.string(), fc.integer(), fc.nat(86_400), (name, slot, seconds) => {
        const jitter = jitterOf(name, slot, seconds)
        expect(Number.isInteger(jitter) && jitter >= 0 && jitter <= seconds * 1_000).toBe(true)
      }),
    )
  })

  test('is as likely in each tenth, ends included', () => {
    const tenths = Array.from({ length: 10 }, () => 0)
    for (let hour = 0; hour < 20_000; hour += 1) {
      const tenth = Math.min(9, Math.floor(jitterOf('dca', eight + hour * 3_600_000, 100) / 10_000))
      tenths[tenth] = (tenths[tenth] ?? 0) + 1
    }
    // Expected 2000 each with a deviation of 42: five of them.
    for (const count of tenths) expect(Math.abs(count - 2_000)).toBeLessThan(212)
    const ends = new Set(Array.from({ length: 200 }, (_, slot) => jitterOf('dca', slot, 0.003)))
    expect(ends).toEqual(new Set([0, 1, 2, 3]))
  })
})

describe('dueAt', () => {
  test('no jitter changes the order of slots, however long it is', () => {
    const schedules: readonly Schedule[] = [
      { kind: 'every', seconds: 1, jitter: 86_400 },
      { kind: 'cron', expression: '*/15 * * * *', timeZone: 'Europe/Berlin', jitter: 86_400 },
      { kind: 'cron', expression: '0 9,10 * * *', timeZone: 'Europe/Berlin', jitter: 86_400 },
    ]
    for (const schedule of schedules) {
      const ahead = slots(schedule, eight)
      let slot = ahead.next().value
      for (let nth = 0; nth < 100; nth += 1) {
        const following = ahead.next().value
        const due = dueAt({ name: 'dca', schedule }, { slot, following })
        expect(due >= slot && due < following).toBe(true)
        slot = following
      }
    }
  })
})

describe('createSchedule: jitter', () => {
  const hourly = {
    name: 'dca',
    schedule: { kind: 'cron', expression: '0 * * * *', timeZone: 'UTC', jitter: 300 },
  } as const
  const period = { name: 'dca', schedule: { kind: 'every', seconds: 3_600, jitter: 300 } } as const
  const due = eight + 3_600_000 + 170_166

  for (const entry of [hourly, period])
    test(`${entry.schedule.kind}: a slot comes later by it, and is still the same slot`, async () => {
      const { clock, asks, stop } = startSchedule([entry], eight + 1_800_000)
      await clock.moveTo(due - 1)
      expect(asks).toEqual([])
      await clock.moveTo(due)
      await stop()
      expect(asks).toEqual([['dca', '2026-05-04T09:00:00Z', '2026-05-04T09:02:50.166Z']])
    })

  test('every: a restart between a slot and its time neither loses nor repeats it', async () => {
    const before = startSchedule([period], due - 1_000)
    await before.clock.moveTo(due + 1_000)
    await before.stop()
    const behind = startSchedule([period], due + 1_000)
    await behind.clock.moveTo(due + 600_000)
    await behind.stop()
    expect([before.slotsOf('dca'), behind.slotsOf('dca')]).toEqual([['2026-05-04T09:00:00Z'], []])
  })

  test('every: a machine that slept gets the latest slot whose time has come', async () => {
    const { clock, asks, stop } = startSchedule([period], eight + 1_800_000)
    // 10:00 is due at 10:02:50; the sleep of a minute goes on after the machine has woken.
    await clock.setTo(eight + 7_200_000 + 60_000 - 30_000)
    await clock.moveTo(eight + 7_200_000 + 90_000)
    expect(asks.map(([, slot]) => slot)).toEqual(['2026-05-04T09:00:00Z'])
    await clock.moveTo(eight + 7_200_000 + 200_000)
    await stop()
    expect(asks.map(([, slot]) => slot)).toEqual(['2026-05-04T09:00:00Z', '2026-05-04T10:00:00Z'])
  })

  test('cron: what a slot may be late counts from its time', async () => {
    const schedule = { ...hourly.schedule, late: 60 }
    const after = eight
    const inTime = startSchedule([{ ...hourly, schedule, after }], due + 60_000)
    await inTime.clock.moveTo(due + 60_000)
    await inTime.stop()
    const late = startSchedule([{ ...hourly, schedule, after }], due + 60_001)
    await late.clock.moveTo(due + 60_001)
    await late.stop()
    expect([inTime.slotsOf('dca').length, inTime.missed.length]).toEqual([1, 0])
    expect([late.slotsOf('dca').length, late.missed.length]).toEqual([0, 1])
  })

  test('cron: a slot that has time left by its jitter is not missed with those before it', async () => {
    const schedule = { ...hourly.schedule, late: 60 }
    // 10:00 is due at 10:02:49.901.
    const start = eight + 7_200_000 + 169_901 + 50_000
    const { clock, slotsOf, missed, stop } = startSchedule(
      [{ ...hourly, schedule, after: eight }],
      start,
    )
    await clock.moveTo(start)
    await stop()
    expect(missed.map(([, from, to]) => [from, to])).toEqual([
      ['2026-05-04T09:00:00Z', '2026-05-04T09:00:00Z'],
    ])
    expect(slotsOf('dca')).toEqual(['2026-05-04T10:00:00Z'])
  })
})
