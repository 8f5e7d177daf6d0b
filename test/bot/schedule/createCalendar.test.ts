import { describe, expect, test } from 'vitest'
import type { Cron } from '../../../src/bot/strategy/index.ts'
import { startSchedule } from './startSchedule.ts'

const at = (instant: string) => Date.parse(instant)
const cron = (expression: string, settings: Partial<Cron> = {}): Cron => ({
  kind: 'cron',
  expression,
  timeZone: 'UTC',
  ...settings,
})
const daily = (settings?: Partial<Cron>) => ({
  name: 'daily',
  schedule: cron('0 9 * * *', settings),
})
const tenMinutely = (settings?: Partial<Cron>) => ({
  name: 'ten',
  schedule: cron('*/10 * * * *', settings),
})
const eight = at('2026-05-04T08:00:00Z')

describe('createCalendar: a start', () => {
  test('without a record begins with the next slot', async () => {
    const { clock, asks, stop } = startSchedule([daily()], at('2026-05-04T09:00:00Z'))
    await clock.moveTo(at('2026-05-05T08:59:59Z'))
    expect(asks).toEqual([])
    await clock.moveTo(at('2026-05-05T09:00:00Z'))
    await stop()
    expect(asks).toEqual([['daily', '2026-05-05T09:00:00Z', '2026-05-05T09:00:00Z']])
  })

  test('under a clock years ahead begins again when that is set right, unless a slot is closed already', async () => {
    const ahead = at('2031-01-01T00:00:00Z')
    const started = (isNew: boolean) => startSchedule([{ ...daily(), after: ahead, isNew }], ahead)
    const fresh = started(true)
    await fresh.clock.setTo(eight)
    await fresh.clock.moveTo(at('2026-05-04T09:00:00Z'))
    await fresh.stop()
    expect(fresh.asks).toEqual([['daily', '2026-05-04T09:00:00Z', '2026-05-04T09:00:00Z']])

    const known = started(false)
    await known.clock.setTo(eight)
    await known.clock.moveTo(at('2026-05-04T09:00:00Z'))
    await known.stop()
    expect(known.asks).toEqual([])
  })

  test('asks at once for a slot that is not late yet, and for none that is closed', async () => {
    const yesterday = at('2026-05-03T09:00:00Z')
    const start = at('2026-05-04T10:00:00Z')
    const open = startSchedule([{ ...daily(), after: yesterday }], start)
    await open.clock.moveTo(start)
    await open.stop()
    expect(open.asks).toEqual([['daily', '2026-05-04T09:00:00Z', '2026-05-04T10:00:00Z']])
    expect(open.missed).toEqual([])

    const closed = startSchedule([{ ...daily(), after: at('2026-05-04T09:00:00Z') }], start)
    await closed.clock.moveTo(at('2026-05-05T08:59:59Z'))
    await closed.stop()
    expect(closed.asks).toEqual([])
  })

  test('[LOCAL-34] a slot that is late was missed, and is put on record once', async () => {
    const start = at('2026-05-04T10:00:00.001Z')
    const after = at('2026-05-03T09:00:00Z')
    const { clock, asks, missed, stop } = startSchedule([{ ...daily(), after }], start)
    await clock.moveTo(at('2026-05-05T08:59:59Z'))
    await stop()
    expect(asks).toEqual([])
    expect(missed).toEqual([
      ['daily', '2026-05-04T09:00:00Z', '2026-05-04T09:00:00Z', 1, 'not decided in time'],
    ])
  })

  test('[LOCAL-34] of the missed slots the latest are made up for, oldest first, one after the other', async () => {
    const start = at('2026-05-08T12:00:00Z')
    const entry = { ...daily({ makeUp: 2 }), after: at('2026-05-03T09:00:00Z') }
    const { clock, asks, missed, stop } = startSchedule([entry], start, {
      async work(_entry, _slot, { sleep }) {
        await sleep(1_000)
        return 'closed'
      },
    })
    await clock.moveTo(start + 60_000)
    await stop()
    expect(missed).toEqual([
      ['daily', '2026-05-04T09:00:00Z', '2026-05-06T09:00:00Z', 3, 'not decided in time'],
    ])
    expect(asks).toEqual([
      ['daily', '2026-05-07T09:00:00Z', '2026-05-08T12:00:00Z'],
      ['daily', '2026-05-08T09:00:00Z', '2026-05-08T12:00:01Z'],
    ])
  })

  test('more to make up for than was missed: nothing is missed', async () => {
    const start = at('2026-05-05T12:00:00Z')
    const entry = { ...daily({ makeUp: 9 }), after: at('2026-05-03T09:00:00Z') }
    const { clock, slotsOf, missed, stop } = startSchedule([entry], start)
    await clock.moveTo(start)
    await stop()
    expect(missed).toEqual([])
    expect(slotsOf('daily')).toEqual(['2026-05-04T09:00:00Z', '2026-05-05T09:00:00Z'])
  })

  test('a slot that is made up for has as long as one that is not late, from its first turn on', async () => {
    const start = at('2026-05-04T12:00:00Z')
    const entry = { ...daily({ makeUp: 1, late: 1_800 }), after: at('2026-05-03T09:00:00Z') }
    const { clock, asks, missed, stop } = startSchedule([entry], start, {
      work: async () => 'open',
    })
    await clock.moveTo(start + 3_600_000)
    await stop()
    expect(asks.map(([, , when]) => when.slice(11, 19))).toEqual([
      ...['12:00:00', '12:00:15', '12:00:45', '12:01:45', '12:03:45', '12:07:45', '12:12:45'],
      ...['12:17:45', '12:22:45', '12:27:45', '12:30:00'],
    ])
    expect(missed).toEqual([
      ['daily', '2026-05-04T09:00:00Z', '2026-05-04T09:00:00Z', 1, 'made up for in vain'],
    ])
  })

  test('a start under a lock of half an hour costs what is made up for nothing but the time', async () => {
    const start = at('2026-05-04T12:00:00Z')
    const entry = { ...daily({ makeUp: 1 }), after: at('2026-05-03T09:00:00Z') }
    const { clock, asks, missed, stop } = startSchedule([entry], start, {
      work: async (_entry, _slot, { now }) => (now() < start + 1_800_000 ? 'open' : 'closed'),
    })
    await clock.moveTo(start + 3_600_000)
    await stop()
    expect([asks.at(-1), missed]).toEqual([
      ['daily', '2026-05-04T09:00:00Z', '2026-05-04T12:32:45Z'],
      [],
    ])
  })

  test('a clock that is set back gives a slot that is made up for no more time', async () => {
    const start = at('2026-05-04T12:00:00Z')
    const entry = { ...daily({ makeUp: 1, late: 1_800 }), after: at('2026-05-03T09:00:00Z') }
    const { clock, missed, stop } = startSchedule([entry], start + 36_000_000, {
      work: async () => 'open',
    })
    await clock.moveTo(start + 36_000_001)
    await clock.setTo(start)
    await clock.moveTo(start + 1_900_000)
    await stop()
    expect(missed.map(([, , , , reason]) => reason)).toEqual(['made up for in vain'])
  })

  test('overdue slots are handed out oldest first, each closed before the next', async () => {
    const start = at('2026-05-04T08:35:00Z')
    const under: number[] = []
    let running = 0
    const { clock, asks, missed, stop } = startSchedule(
      [{ ...tenMinutely(), after: at('2026-05-04T08:00:00Z') }],
      start,
      {
        async work(_entry, _slot, { sleep }) {
          running += 1
          under.push(running)
          await sleep(5_000)
          running -= 1
          return 'closed'
        },
      },
    )
    await clock.moveTo(at('2026-05-04T08:45:00Z'))
    await stop()
    expect(asks).toEqual([
      ['ten', '2026-05-04T08:10:00Z', '2026-05-04T08:35:00Z'],
      ['ten', '2026-05-04T08:20:00Z', '2026-05-04T08:35:05Z'],
      ['ten', '2026-05-04T08:30:00Z', '2026-05-04T08:35:10Z'],
      ['ten', '2026-05-04T08:40:00Z', '2026-05-04T08:40:00Z'],
    ])
    expect([under, missed]).toEqual([[1, 1, 1, 1], []])
  })

  test('a year of every minute is put on record as one run, and counting it has an end', async () => {
    const start = at('2026-05-04T08:00:30Z')
    const minutely = { name: 'minutely', schedule: cron('* * * * *', { makeUp: 1, late: 60 }) }
    const { clock, slotsOf, missed, stop } = startSchedule(
      [{ ...minutely, after: at('2025-05-04T08:00:00Z') }],
      start,
    )
    await clock.moveTo(start)
    await stop()
    expect(missed).toEqual([
      ['minutely', '2025-05-04T08:01:00Z', '2026-05-04T07:58:00Z', 1_000, 'not decided in time'],
    ])
    expect(slotsOf('minutely')).toEqual(['2026-05-04T07:59:00Z', '2026-05-04T08:00:00Z'])
  })
})

describe('createCalendar: a slot that stays open', () => {
  test('is asked about again, after 15 seconds and then ever later, until it is late; then it was missed', async () => {
    const { clock, asks, missed, stop } = startSchedule([daily({ late: 900 })], eight, {
      work: async () => 'open',
    })
    await clock.moveTo(at('2026-05-04T12:00:00Z'))
    await stop()
    expect(asks.map(([, , when]) => when)).toEqual([
      '2026-05-04T09:00:00Z',
      '2026-05-04T09:00:15Z',
      '2026-05-04T09:00:45Z',
      '2026-05-04T09:01:45Z',
      '2026-05-04T09:03:45Z',
      '2026-05-04T09:07:45Z',
      '2026-05-04T09:12:45Z',
      '2026-05-04T09:15:00Z',
    ])
    expect(missed).toEqual([
      [
        'daily',
        '2026-05-04T09:00:00Z',
        '2026-05-04T09:00:00Z',
        1,
        'still open when its time was over',
      ],
    ])
  })

  test('is late after an hour where the schedule does not say', async () => {
    const { clock, asks, missed, stop } = startSchedule([daily()], eight, {
      work: async () => 'open',
    })
    await clock.moveTo(at('2026-05-04T12:00:00Z'))
    await stop()
    expect(asks.at(-1)).toEqual(['daily', '2026-05-04T09:00:00Z', '2026-05-04T10:00:00Z'])
    expect(missed).toHaveLength(1)
  })

  test('closes when a later ask closes it', async () => {
    let asked = 0
    const { clock, asks, missed, stop } = startSchedule([daily()], eight, {
      work: async () => (++asked < 3 ? 'open' : 'closed'),
    })
    await clock.moveTo(at('2026-05-05T08:59:00Z'))
    await stop()
    expect([asks.length, missed]).toEqual([3, []])
  })

  test('a tick that throws leaves it open', async () => {
    const broken = new Error('the node is away')
    let asked = 0
    const { clock, asks, errors, stop } = startSchedule([daily()], eight, {
      async work() {
        asked += 1
        if (asked === 1) throw broken
        return 'closed'
      },
    })
    await clock.moveTo(at('2026-05-05T08:59:00Z'))
    await stop()
    expect(asks.map(([, , when]) => when)).toEqual(['2026-05-04T09:00:00Z', '2026-05-04T09:00:15Z'])
    expect(errors).toEqual([[broken, 'daily', '2026-05-04T09:00:00Z']])
  })

  test('holds up the slots behind it, and each has its own time', async () => {
    const { clock, asks, missed, stop } = startSchedule([tenMinutely({ late: 900 })], eight, {
      work: async (_entry, slot) => (slot === eight + 600_000 ? 'open' : 'closed'),
    })
    await clock.moveTo(at('2026-05-04T08:30:00Z'))
    await stop()
    expect(missed.map(([, slot]) => slot)).toEqual(['2026-05-04T08:10:00Z'])
    expect(asks.slice(-2)).toEqual([
      ['ten', '2026-05-04T08:20:00Z', '2026-05-04T08:25:00Z'],
      ['ten', '2026-05-04T08:30:00Z', '2026-05-04T08:30:00Z'],
    ])
  })

  test('is missed when its time ends while the machine sleeps', async () => {
    const { clock, asks, missed, stop } = startSchedule([daily({ makeUp: 1 })], eight, {
      work: async () => 'open',
    })
    await clock.moveTo(at('2026-05-04T09:00:00Z'))
    await clock.setTo(at('2026-05-04T14:00:00Z'))
    await clock.moveTo(at('2026-05-04T14:01:00Z'))
    await stop()
    expect(asks).toHaveLength(1)
    expect(missed.map(([, , , , reason]) => reason)).toEqual(['still open when its time was over'])
  })

  test('waits for its instant again when the clock is set back before it', async () => {
    const { clock, asks, stop } = startSchedule([daily()], eight, {
      work: async (_entry, _slot, { now }) => (now() < eight + 7_200_000 ? 'open' : 'closed'),
    })
    await clock.moveTo(at('2026-05-04T09:00:00Z'))
    await clock.setTo(at('2026-05-04T08:30:00Z'))
    await clock.moveTo(at('2026-05-04T09:00:10Z'))
    await stop()
    expect(asks.map(([, , when]) => when)).toEqual(['2026-05-04T09:00:00Z', '2026-05-04T09:00:00Z'])
  })
})

describe('createCalendar: the record of what was missed', () => {
  test('is tried again when it fails, and nothing goes on without it', async () => {
    const start = at('2026-05-05T09:30:00Z')
    const broken = new Error('the journal is busy')
    let tries = 0
    const { clock, asks, missed, errors, stop } = startSchedule(
      [{ ...daily(), after: at('2026-05-03T09:00:00Z') }],
      start,
      {
        async record() {
          tries += 1
          if (tries < 3) throw broken
        },
      },
    )
    await clock.moveTo(start + 20_000)
    expect([asks, missed]).toEqual([[], []])
    await clock.moveTo(start + 30_000)
    await stop()
    expect(errors).toEqual([
      [broken, 'daily', '2026-05-04T09:00:00Z'],
      [broken, 'daily', '2026-05-04T09:00:00Z'],
    ])
    expect(missed.map(([, slot]) => slot)).toEqual(['2026-05-04T09:00:00Z'])
    expect(asks).toEqual([['daily', '2026-05-05T09:00:00Z', '2026-05-05T09:30:30Z']])
  })

  test('is not made when the clock is set back before the end of the slot: its time is not over', async () => {
    const { clock, asks, missed, stop } = startSchedule([daily({ late: 900 })], eight, {
      work: async () => 'open',
      record: () => Promise.reject(new Error('the journal is busy')),
    })
    // The clock is fast: the slot is given up at 09:15, which cannot be put on record.
    await clock.setTo(eight + 1_200_000)
    await clock.moveTo(at('2026-05-04T09:15:01Z'))
    await clock.setTo(at('2026-05-04T09:05:00Z'))
    await clock.moveTo(at('2026-05-04T09:10:20Z'))
    await stop()
    expect(asks.at(-2)?.[2]).toBe('2026-05-04T09:15:00Z')
    expect(asks.at(-1)).toEqual(['daily', '2026-05-04T09:00:00Z', '2026-05-04T09:10:14Z'])
    expect(missed).toEqual([])
  })
})
