import { describe, expect, test } from 'vitest'
import { createSchedule } from '../../../src/bot/schedule/createSchedule.ts'
import { jitterOf } from '../../../src/bot/schedule/slots.ts'
import { manualClock } from './manualClock.ts'
import { startSchedule } from './startSchedule.ts'

const at = (instant: string) => Date.parse(instant)
const monday = at('2026-05-04T00:00:00Z')
/** An instant of that Monday's first minute. */
const second = (seconds: number) => `2026-05-04T00:00:${String(seconds).padStart(2, '0')}Z`

const every = (seconds: number) => ({ kind: 'every', seconds }) as const
const cron = (expression: string) => ({ kind: 'cron', expression, timeZone: 'UTC' }) as const
const five = { name: 'five', schedule: every(5) }
const ten = { name: 'ten', schedule: every(10) }
const daily = { name: 'daily', schedule: cron('0 9 * * *') }

describe('createSchedule', () => {
  test('asks at every slot, each entry by its own schedule', async () => {
    const { clock, asks, stop } = startSchedule([five, ten], monday)
    await clock.moveTo(monday + 20_000)
    await stop()
    expect(asks).toEqual([
      ['five', second(5), second(5)],
      ['five', second(10), second(10)],
      ['ten', second(10), second(10)],
      ['five', second(15), second(15)],
      ['five', second(20), second(20)],
      ['ten', second(20), second(20)],
    ])
  })

  test('an entry never overlaps itself, and the slots it slept over are left out', async () => {
    const { clock, slotsOf, stop } = startSchedule([five], monday, {
      async work(_entry, slot, { sleep }) {
        if (slot === monday + 5_000) await sleep(12_000)
        return undefined
      },
    })
    await clock.moveTo(monday + 25_000)
    await stop()
    expect(slotsOf('five')).toEqual([second(5), second(20), second(25)])
  })

  test('a tick that ends exactly on a slot is asked for that slot', async () => {
    const { clock, slotsOf, stop } = startSchedule([five], monday, {
      async work(_entry, slot, { sleep }) {
        if (slot === monday + 5_000) await sleep(10_000)
        return undefined
      },
    })
    await clock.moveTo(monday + 15_000)
    await stop()
    expect(slotsOf('five')).toEqual([second(5), second(15)])
  })

  test('a slow entry does not hold up the others', async () => {
    const stuck = { name: 'stuck', schedule: every(5) }
    let release: () => void = () => {}
    const { clock, slotsOf, abort, ended } = startSchedule([stuck, five], monday, {
      async work(entry) {
        if (entry.name === 'stuck') await new Promise<void>((resolve) => (release = resolve))
        return undefined
      },
    })
    await clock.moveTo(monday + 15_000)
    expect(slotsOf('stuck')).toEqual([second(5)])
    expect(slotsOf('five')).toHaveLength(3)

    // After an abort it waits for the tick that runs.
    let hasEnded = false
    void ended.then(() => (hasEnded = true))
    abort()
    await clock.moveTo(monday + 16_000)
    expect(hasEnded).toBe(false)
    release()
    await ended
  })

  test('a tick that throws is reported and the next slot comes', async () => {
    const broken = new Error('no quote')
    const { clock, errors, slotsOf, stop } = startSchedule([five], monday, {
      async work(_entry, slot) {
        if (slot === monday + 5_000) throw broken
        return undefined
      },
    })
    await clock.moveTo(monday + 10_000)
    await stop()
    expect(errors).toEqual([[broken, 'five', second(5)]])
    expect(slotsOf('five')).toEqual([second(5), second(10)])
  })

  test('a period has no slot to come back to: one that stays open is not asked about again', async () => {
    const slow = { name: 'slow', schedule: every(3_600) }
    const { clock, slotsOf, stop } = startSchedule([slow], monday, { work: async () => 'open' })
    await clock.moveTo(at('2026-05-04T02:30:00Z'))
    await stop()
    expect(slotsOf('slow')).toEqual(['2026-05-04T01:00:00Z', '2026-05-04T02:00:00Z'])
  })

  test('[F10] trouble of seconds does not cost the look of a day: the slot is tried again soon', async () => {
    const daily = { name: 'daily', schedule: every(86_400) }
    const { clock, asks, stop } = startSchedule([daily], monday - 60_000, {
      async work(_entry, slot, { now }) {
        if (now() === slot && slot === monday) throw new Error('away')
        return now() < monday + 45_000 ? 'open' : 'closed'
      },
    })
    await clock.moveTo(at('2026-05-05T01:00:00Z'))
    await stop()
    expect(asks).toEqual([
      ['daily', '2026-05-04T00:00:00Z', '2026-05-04T00:00:00Z'],
      ['daily', '2026-05-04T00:00:00Z', '2026-05-04T00:00:15Z'],
      ['daily', '2026-05-04T00:00:00Z', '2026-05-04T00:00:45Z'],
      ['daily', '2026-05-05T00:00:00Z', '2026-05-05T00:00:00Z'],
    ])
  })

  test('a slot of a long period is tried for an hour, and then it is over', async () => {
    const slow = { name: 'slow', schedule: every(7_200) }
    const { clock, asks, stop } = startSchedule([slow], monday - 60_000, {
      work: async (_entry, slot) => (slot === monday ? 'open' : 'closed'),
    })
    await clock.moveTo(at('2026-05-04T02:00:00Z'))
    await stop()
    expect(asks.map(([, , instant]) => instant.slice(11, 19)).slice(0, 7)).toEqual(
      ['00:00', '00:15', '00:45', '01:45', '03:45', '07:45', '12:45'].map((one) => `00:${one}`),
    )
    expect(asks.slice(-2)).toEqual([
      ['slow', '2026-05-04T00:00:00Z', '2026-05-04T01:00:00Z'],
      ['slow', '2026-05-04T02:00:00Z', '2026-05-04T02:00:00Z'],
    ])
  })

  test('a slot that is tried again ends where the next one is due', async () => {
    const slow = { name: 'slow', schedule: { ...every(5_400), jitter: 5_000 } }
    const due = (nth: number) => {
      const slot = monday + nth * 5_400_000
      return slot + jitterOf('slow', slot, 5_000)
    }
    // Their jitter brings the two so near to each other.
    expect(due(3) - due(2)).toBeLessThan(3_600_000)
    const { clock, slotsOf, stop } = startSchedule([slow], due(2) - 1, { work: async () => 'open' })
    await clock.moveTo(due(3) - 1)
    const before = slotsOf('slow')
    await clock.moveTo(due(3))
    await stop()
    expect(new Set(before)).toEqual(new Set(['2026-05-04T03:00:00Z']))
    expect(slotsOf('slow').slice(before.length)).toEqual(['2026-05-04T04:30:00Z'])
  })

  test('[LOCAL-32] set back while it waits, a slot of a long period waits no longer than before', async () => {
    const slow = { name: 'slow', schedule: every(86_400) }
    const { clock, asks, stop } = startSchedule([slow], monday - 60_000, {
      work: async () => 'open',
    })
    await clock.moveTo(at('2026-05-04T00:50:00Z'))
    await clock.setTo(at('2026-05-04T00:00:10Z'))
    const before = asks.length
    await clock.moveTo(at('2026-05-04T00:07:00Z'))
    await stop()
    expect(asks.length).toBeGreaterThan(before)
  })

  test('[F10] a period that is hindered waits longer each time, a minute at most, and no more after a success', async () => {
    const fast = { name: 'fast', schedule: every(1) }
    const trouble = at('2026-05-04T00:03:00Z')
    const { clock, asks, stop } = startSchedule([fast], monday, {
      work: async (_entry, _slot, { now }) => {
        if (now() >= trouble) return 'closed'
        if (asks.length % 2 === 0) throw new Error('away')
        return 'hindered'
      },
    })
    await clock.moveTo(at('2026-05-04T00:04:00Z'))
    await stop()
    const instants = asks.map(([, , instant]) => at(instant))
    const waits = instants
      .slice(1)
      .map((instant, index) => (instant - (instants[index] ?? 0)) / 1_000)
    expect(waits.slice(0, 8)).toEqual([2, 4, 8, 16, 32, 60, 60, 1])
    expect(new Set(waits.slice(8))).toEqual(new Set([1]))
  })

  test('[LOCAL-32] set back while it waits, a hindered period waits no longer than before', async () => {
    const fast = { name: 'fast', schedule: every(1) }
    const { clock, asks, stop } = startSchedule([fast], monday, { work: async () => 'hindered' })
    await clock.moveTo(monday + 40_000)
    expect(asks).toHaveLength(5)
    await clock.setTo(monday - 3_600_000)
    await clock.moveTo(monday - 3_600_000 + 120_000)
    await stop()
    expect(asks.length).toBeGreaterThan(5)
  })

  test('a reporter that throws ends all of it, when the ticks that run have ended', async () => {
    const clock = manualClock(monday)
    let release: () => void = () => {}
    const asked: string[] = []
    const ended = createSchedule({
      entries: [five, { ...five, name: 'stuck' }],
      clock,
      signal: new AbortController().signal,
      async tick({ name }) {
        asked.push(name)
        if (name === 'five') throw new Error('no quote')
        await new Promise<void>((resolve) => (release = resolve))
        return 'closed'
      },
      onMissed: () => Promise.reject(new Error('nothing is missed')),
      onError() {
        throw new Error('the journal is gone')
      },
    }).run()
    let hasEnded = false
    const outcome = expect(ended.finally(() => (hasEnded = true))).rejects.toThrow(
      'the journal is gone',
    )
    await clock.moveTo(monday + 20_000)
    expect([asked, hasEnded]).toEqual([['five', 'stuck'], false])
    release()
    await outcome
  })

  test('an abort ends it at once, between slots and before the first', async () => {
    const { asks, stop } = startSchedule([five, daily], monday)
    await stop()
    expect(asks).toEqual([])

    await createSchedule({
      entries: [{ ...daily, after: 0 }],
      clock: manualClock(monday),
      signal: AbortSignal.abort(),
      tick: () => Promise.reject(new Error('must not be asked')),
      onMissed: () => Promise.reject(new Error('must not be recorded')),
      onError(error) {
        throw error
      },
    }).run()
  })

  test('two entries of one name are refused: their slots could not be told apart', () => {
    expect(() => startSchedule([five, five], monday)).toThrow('entries go by their names')
  })

  test('a clock that cannot sleep is not swallowed', async () => {
    const broken = { ...manualClock(monday), sleep: () => Promise.reject(new Error('no timers')) }
    const ended = createSchedule({
      entries: [five],
      clock: broken,
      signal: new AbortController().signal,
      tick: async () => 'closed',
      onMissed: async () => {},
      onError: () => {},
    }).run()
    await expect(ended).rejects.toThrow('no timers')
  })
})

describe('createSchedule: the order of what is due at one instant', () => {
  test('is priority, then slot, then configuration', async () => {
    const named = (name: string, priority?: number) => ({ name, priority, schedule: every(10) })
    const { clock, asks, stop } = startSchedule(
      [named('b'), named('low', -1), named('a'), named('high', 5), named('higher', 6)],
      monday,
    )
    await clock.moveTo(monday + 10_000)
    await stop()
    expect(asks.map(([name]) => name)).toEqual(['higher', 'high', 'b', 'a', 'low'])
  })

  test('holds for what comes due together because the machine slept', async () => {
    const minutely = (name: string, minute: number, priority?: number) => ({
      name,
      priority,
      schedule: cron(`${minute} 0 * * *`),
    })
    const { clock, asks, stop } = startSchedule(
      [minutely('third', 7), minutely('second', 3), minutely('first', 9, 1)],
      monday,
    )
    await clock.setTo(at('2026-05-04T00:10:00Z'))
    await clock.moveTo(at('2026-05-04T00:11:00Z'))
    await stop()
    expect(asks.map(([name]) => name)).toEqual(['first', 'second', 'third'])
  })

  test('holds after a start on which something has to be put on record first', async () => {
    const yesterday = at('2026-05-03T09:00:00Z')
    const { clock, asks, missed, stop } = startSchedule(
      [
        { ...daily, name: 'low', after: yesterday },
        { ...daily, name: 'high', priority: 1, after: yesterday - 86_400_000 },
      ],
      at('2026-05-04T09:30:00Z'),
    )
    await clock.moveTo(at('2026-05-04T09:30:00Z'))
    await stop()
    expect(asks.map(([name]) => name)).toEqual(['high', 'low'])
    expect(missed.map(([name]) => name)).toEqual(['high'])
  })
})

describe('createSchedule: the clock is set', () => {
  test('[LOCAL-34] a machine that slept gets no burst of a period', async () => {
    const { clock, slotsOf, stop } = startSchedule([five], monday)
    await clock.setTo(at('2026-05-07T12:00:03Z'))
    await clock.moveTo(at('2026-05-07T12:00:20Z'))
    await stop()
    // The sleep of five seconds goes on after the machine has woken.
    expect(slotsOf('five')).toEqual([
      '2026-05-07T12:00:05Z',
      '2026-05-07T12:00:10Z',
      '2026-05-07T12:00:15Z',
      '2026-05-07T12:00:20Z',
    ])
  })

  test('[LOCAL-32] set back, it does not silence a period', async () => {
    const { clock, asks, stop } = startSchedule([five, { ...ten, priority: 1 }], monday)
    await clock.moveTo(monday + 5_000)
    await clock.setTo(monday - 3_600_000)
    await clock.moveTo(monday - 3_600_000 + 60_000)
    await stop()
    expect(asks.filter(([name]) => name === 'five')).toHaveLength(1 + 11)
    expect(asks.filter(([name]) => name === 'ten')).toHaveLength(6)
  })

  test('[LOCAL-32] set back while a tick runs, it does not silence that period', async () => {
    const { clock, slotsOf, stop } = startSchedule([five], monday, {
      async work(_entry, slot, { sleep }) {
        if (slot === monday + 5_000) await sleep(1_000)
        return undefined
      },
    })
    await clock.moveTo(monday + 5_000)
    await clock.setTo(monday - 3_600_000)
    await clock.moveTo(monday - 3_600_000 + 10_000)
    await stop()
    expect(slotsOf('five')).toEqual([second(5), '2026-05-03T23:00:05Z', '2026-05-03T23:00:10Z'])
  })

  test('[LOCAL-32] set back, it repeats no calendar slot', async () => {
    const { clock, slotsOf, stop } = startSchedule([daily], at('2026-05-04T08:59:00Z'))
    await clock.moveTo(at('2026-05-04T09:00:00Z'))
    await clock.setTo(at('2026-05-04T08:00:00Z'))
    await clock.moveTo(at('2026-05-05T09:00:00Z'))
    await stop()
    expect(slotsOf('daily')).toEqual(['2026-05-04T09:00:00Z', '2026-05-05T09:00:00Z'])
  })

  test('set back after a start in the future, a calendar without a record begins anew', async () => {
    const { clock, slotsOf, stop } = startSchedule([daily], at('2036-05-04T08:00:00Z'))
    await clock.moveTo(at('2036-05-04T08:00:01Z'))
    await clock.setTo(at('2026-05-04T08:00:00Z'))
    await clock.moveTo(at('2026-05-04T09:00:00Z'))
    await stop()
    expect(slotsOf('daily')).toEqual(['2026-05-04T09:00:00Z'])
  })
})
