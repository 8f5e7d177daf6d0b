import { describe, expect, test } from 'vitest'
import { type Entry, runSchedule } from '../../../src/bot/schedule/runSchedule.ts'
import { manualClock } from './manualClock.ts'

const monday = Date.parse('2026-05-04T00:00:00Z')
const five = { name: 'five', schedule: { kind: 'every', seconds: 5 } } as const
const daily = {
  name: 'daily',
  schedule: { kind: 'cron', expression: '0 9 * * *', timeZone: 'UTC' },
} as const
const at = (iso: string) => Date.parse(iso)

function start<entry extends Entry & { readonly name: string }>(
  entries: readonly entry[],
  from: number,
  work: (entry: entry, slot: number) => Promise<void> = async () => {},
) {
  const clock = manualClock(from)
  const stop = new AbortController()
  const ticks: [string, number][] = []
  const errors: [unknown, string, number][] = []
  const ended = runSchedule({
    entries,
    clock,
    signal: stop.signal,
    tick: (entry, slot) => {
      ticks.push([entry.name, slot - from])
      return work(entry, slot)
    },
    onError: (error, entry, slot) => errors.push([error, entry.name, slot - from]),
  })
  return { clock, ticks, errors, ended, stop: () => stop.abort() }
}

describe('runSchedule', () => {
  test('asks at every slot, each entry by its own schedule', async () => {
    const ten = { name: 'ten', schedule: { kind: 'every', seconds: 10 } } as const
    const { clock, ticks, ended, stop } = start([five, ten], monday)
    await clock.moveTo(monday + 20_000)
    stop()
    await ended
    expect(ticks.toSorted(([one, a], [two, b]) => a - b || one.localeCompare(two))).toEqual([
      ['five', 5_000],
      ['five', 10_000],
      ['ten', 10_000],
      ['five', 15_000],
      ['five', 20_000],
      ['ten', 20_000],
    ])
  })

  test('an entry never overlaps itself, and the slots it slept over are left out', async () => {
    const clockOf: { clock?: ReturnType<typeof manualClock> } = {}
    const run = start([five], monday, (_entry, slot) =>
      slot === monday + 5_000
        ? (clockOf.clock?.sleep(12_000) ?? Promise.resolve())
        : Promise.resolve(),
    )
    clockOf.clock = run.clock
    await run.clock.moveTo(monday + 25_000)
    run.stop()
    await run.ended
    expect(run.ticks.map(([, slot]) => slot)).toEqual([5_000, 20_000, 25_000])
  })

  test('a tick that ends exactly on a slot is asked for that slot', async () => {
    const clockOf: { clock?: ReturnType<typeof manualClock> } = {}
    const run = start([five], monday, (_entry, slot) =>
      slot === monday + 5_000
        ? (clockOf.clock?.sleep(10_000) ?? Promise.resolve())
        : Promise.resolve(),
    )
    clockOf.clock = run.clock
    await run.clock.moveTo(monday + 15_000)
    run.stop()
    await run.ended
    expect(run.ticks.map(([, slot]) => slot)).toEqual([5_000, 15_000])
  })

  test('a slow entry does not hold up the others', async () => {
    const stuck = { name: 'stuck', schedule: { kind: 'every', seconds: 5 } } as const
    let release = () => {}
    const { clock, ticks, ended, stop } = start([stuck, five], monday, (entry) =>
      entry.name === 'stuck' ? new Promise((resolve) => (release = resolve)) : Promise.resolve(),
    )
    await clock.moveTo(monday + 15_000)
    expect(ticks.filter(([name]) => name === 'stuck')).toEqual([['stuck', 5_000]])
    expect(ticks.filter(([name]) => name === 'five')).toHaveLength(3)
    stop()
    release()
    await ended
  })

  test('a tick that throws is reported and the next slot comes', async () => {
    const broken = new Error('no quote')
    const { clock, ticks, errors, ended, stop } = start([five], monday, async (_entry, slot) => {
      if (slot === monday + 5_000) throw broken
    })
    await clock.moveTo(monday + 10_000)
    stop()
    await ended
    expect(errors).toEqual([[broken, 'five', 5_000]])
    expect(ticks).toHaveLength(2)
  })

  test('a reporter that throws ends all of it', async () => {
    const clock = manualClock(monday)
    const ended = runSchedule({
      entries: [five, daily],
      clock,
      signal: new AbortController().signal,
      tick: () => Promise.reject(new Error('no quote')),
      onError: () => {
        throw new Error('the journal is gone')
      },
    })
    const outcome = expect(ended).rejects.toThrow('the journal is gone')
    await clock.moveTo(monday + 5_000)
    await outcome
  })

  test('[LOCAL-34] a machine that slept gets the latest slot, not a burst', async () => {
    const { clock, ticks, ended, stop } = start([five, daily], monday)
    await clock.setTo(at('2026-05-07T12:00:03Z'))
    await clock.moveTo(at('2026-05-07T12:01:03Z'))
    stop()
    await ended
    const periods = ticks.filter(([name]) => name === 'five').map(([, slot]) => slot)
    expect(periods[0]).toBe(at('2026-05-07T12:00:05Z') - monday)
    expect(periods).toHaveLength(12)
    expect(ticks.filter(([name]) => name === 'daily')).toEqual([
      ['daily', at('2026-05-07T09:00:00Z') - monday],
    ])
  })

  test('[LOCAL-34] after a restart the latest missed calendar slot is asked for at once, and no slot twice', async () => {
    const noon = at('2026-05-07T12:00:00Z')
    const missed = start([{ ...daily, after: at('2026-05-04T09:00:00Z') }], noon)
    await missed.clock.moveTo(noon + 1_000)
    missed.stop()
    await missed.ended
    expect(missed.ticks).toEqual([['daily', at('2026-05-07T09:00:00Z') - noon]])

    const done = start([{ ...daily, after: at('2026-05-07T09:00:00Z') }], noon)
    await done.clock.moveTo(noon + 86_400_000)
    done.stop()
    await done.ended
    expect(done.ticks).toEqual([['daily', at('2026-05-08T09:00:00Z') - noon]])
  })

  test('a calendar without history starts with its next slot', async () => {
    const { clock, ticks, ended, stop } = start([daily], monday + 12 * 3_600_000)
    await clock.moveTo(at('2026-05-05T08:59:59Z'))
    expect(ticks).toEqual([])
    await clock.moveTo(at('2026-05-05T09:00:00Z'))
    expect(ticks).toHaveLength(1)
    stop()
    await ended
  })

  test('[LOCAL-32] a clock that is set back does not silence a period', async () => {
    const { clock, ticks, ended, stop } = start([five], monday)
    await clock.moveTo(monday + 5_000)
    await clock.setTo(monday - 3_600_000)
    await clock.moveTo(monday - 3_600_000 + 60_000)
    stop()
    await ended
    expect(ticks).toHaveLength(1 + 11)
  })

  test('an abort ends it at once, between slots and before the first', async () => {
    const { ended, stop, ticks } = start([five, daily], monday)
    stop()
    await ended
    expect(ticks).toEqual([])

    const stopped = AbortSignal.abort()
    await runSchedule({
      entries: [{ ...daily, after: 0 }],
      clock: manualClock(monday),
      signal: stopped,
      tick: () => Promise.reject(new Error('must not be asked')),
      onError: (error) => {
        throw error
      },
    })
  })
})
