import TinyQueue from 'tinyqueue'
import { describe, expect, test, vi } from 'vitest'
import type { Entry } from '../../../src/bot/schedule/timetable.ts'
import { startSchedule } from './startSchedule.ts'

const monday = Date.parse('2026-05-04T00:00:00Z')

/** So many entries, of which ten are due every second. */
function entriesOf(count: number): readonly Entry[] {
  return Array.from({ length: count }, (_, nth) => ({
    name: `entry-${nth}`,
    schedule: { kind: 'every', seconds: nth < 10 ? 1 : 86_400 },
  }))
}

/** What a minute of a schedule takes: not in time, which is another on every machine, but counted. */
async function countsOf(count: number) {
  const { clock, asks, stop } = startSchedule(entriesOf(count), monday)
  const counted = {
    pushed: vi.spyOn(TinyQueue.prototype, 'push'),
    popped: vi.spyOn(TinyQueue.prototype, 'pop'),
    slept: vi.spyOn(clock, 'sleep'),
    looked: vi.spyOn(clock, 'now'),
  }
  await clock.moveTo(monday + 60_500)
  const counts = Object.fromEntries(
    Object.entries(counted).map(([name, spy]) => [name, spy.mock.calls.length]),
  )
  vi.restoreAllMocks()
  await stop()
  return { ...counts, asked: asks.length }
}

describe('createSchedule: what it costs', () => {
  test('is what is due, however many entries are not', async () => {
    const few = await countsOf(100)
    expect(few).toMatchObject({ asked: 600, pushed: 600, popped: 600 })
    expect(await countsOf(10_000)).toEqual(few)
  })

  test('one sleeper wakes once a minute when nothing is due', async () => {
    const entries = entriesOf(10_000).slice(10)
    const { clock, asks, stop } = startSchedule(entries, monday)
    const slept = vi.spyOn(clock, 'sleep')
    await clock.moveTo(monday + 3_600_000)
    await stop()
    expect(asks).toEqual([])
    // The first sleep was there before it was watched.
    expect(slept.mock.calls.map(([milliseconds]) => milliseconds)).toEqual(
      Array.from({ length: 60 }, () => 60_000),
    )
  })

  test('a queue of ten thousand is asked fourteen levels deep, not through', () => {
    let compared = 0
    const queue = new TinyQueue(
      Array.from({ length: 10_000 }, (_, nth) => (nth * 7_919) % 10_000),
      (one, other) => {
        compared += 1
        return one - other
      },
    )
    compared = 0
    for (let nth = 0; nth < 1_000; nth += 1) queue.push((queue.pop() ?? 0) + 10_000)
    expect(compared / 1_000).toBeLessThanOrEqual(3 * 14)
  })
})
