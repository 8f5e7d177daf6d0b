import { describe, expect, test } from 'vitest'
import type { Entry } from '../../../src/bot/schedule/timetable.ts'
import { startSchedule } from './startSchedule.ts'

const at = (instant: string) => Date.parse(instant)
const eight = at('2026-05-04T08:00:00Z')
const minutes = 60_000

const entry = (name: string, schedule: Entry['schedule'], after?: number): Entry => ({
  name,
  schedule,
  after,
})
const every = (seconds: number) => ({ kind: 'every', seconds }) as const
const cron = (expression: string, late?: number) =>
  ({ kind: 'cron', expression, timeZone: 'UTC', late }) as const

describe('replace', () => {
  test('an unchanged entry goes on as if nothing had happened', async () => {
    const entries = [entry('ten', cron('*/10 * * * *')), entry('period', every(600))]
    const { clock, asks, missed, replace, stop } = startSchedule(entries, eight)
    for (let minute = 1; minute <= 25; minute += 1) {
      await clock.moveTo(eight + minute * minutes)
      replace(entries.map((one) => ({ ...one, after: 0 })))
    }
    await stop()
    expect(asks).toEqual([
      ['ten', '2026-05-04T08:10:00Z', '2026-05-04T08:10:00Z'],
      ['period', '2026-05-04T08:10:00Z', '2026-05-04T08:10:00Z'],
      ['ten', '2026-05-04T08:20:00Z', '2026-05-04T08:20:00Z'],
      ['period', '2026-05-04T08:20:00Z', '2026-05-04T08:20:00Z'],
    ])
    expect(missed).toEqual([])
  })

  test('an open slot stays open under other terms of the same calendar', async () => {
    const { clock, asks, missed, replace, stop } = startSchedule(
      [entry('daily', cron('0 9 * * *'))],
      eight,
      { work: async () => 'open' },
    )
    await clock.moveTo(at('2026-05-04T09:01:00Z'))
    replace([entry('daily', cron('0 9 * * *', 120))])
    await clock.moveTo(at('2026-05-04T10:00:00Z'))
    await stop()
    expect(asks.at(-1)).toEqual(['daily', '2026-05-04T09:00:00Z', '2026-05-04T09:02:00Z'])
    expect(missed.map(([, slot]) => slot)).toEqual(['2026-05-04T09:00:00Z'])
  })

  test('another calendar begins now, and what was open on the old one was missed', async () => {
    const { clock, asks, missed, replace, stop } = startSchedule(
      [entry('dca', cron('0 9 * * *'))],
      eight,
      { work: async (_entry, slot) => (slot === eight + 60 * minutes ? 'open' : 'closed') },
    )
    await clock.moveTo(at('2026-05-04T09:01:00Z'))
    replace([entry('dca', cron('*/5 * * * *'))])
    await clock.moveTo(at('2026-05-04T09:05:00Z'))
    await stop()
    expect(missed).toEqual([
      ['dca', '2026-05-04T09:00:00Z', '2026-05-04T09:00:00Z', 1, 'its calendar was replaced'],
    ])
    // Neither 08:05, which was not on the calendar then, nor 09:00 again, which is on both.
    expect(asks.at(-1)).toEqual(['dca', '2026-05-04T09:05:00Z', '2026-05-04T09:05:00Z'])
    expect(asks.filter(([, slot]) => slot !== '2026-05-04T09:00:00Z')).toHaveLength(1)
  })

  test('what was open on a calendar that is gone is on record, once, and the rest of it is not asked for', async () => {
    const { clock, asks, missed, replace, stop } = startSchedule(
      [entry('dca', cron('0 9 * * *'))],
      eight,
      { work: async () => 'open' },
    )
    await clock.moveTo(at('2026-05-04T09:01:00Z'))
    replace([entry('renamed', cron('0 9 * * *'))])
    replace([entry('renamed', cron('0 9 * * *'))])
    await clock.moveTo(at('2026-05-04T12:00:00Z'))
    replace([])
    await clock.moveTo(at('2026-05-05T12:00:00Z'))
    await stop()
    expect(missed).toEqual([
      ['dca', '2026-05-04T09:00:00Z', '2026-05-04T09:00:00Z', 1, 'its calendar was replaced'],
    ])
    expect(asks.at(-1)).toEqual(['dca', '2026-05-04T09:00:00Z', '2026-05-04T09:00:45Z'])
  })

  test('so it is where its turn still runs when it is gone, and only where that leaves it open', async () => {
    const open = entry('open', cron('0 9 * * *'))
    const closed = entry('closed', cron('0 9 * * *'))
    const { clock, missed, replace, stop } = startSchedule([open, closed], eight, {
      async work({ name }, _slot, { sleep }) {
        await sleep(120_000)
        return name === 'open' ? 'open' : 'closed'
      },
    })
    await clock.moveTo(at('2026-05-04T09:01:00Z'))
    replace([])
    await clock.moveTo(at('2026-05-04T09:01:30Z'))
    expect(missed).toEqual([])
    await clock.moveTo(at('2026-05-04T09:03:00Z'))
    await stop()
    expect(missed.map(([name, slot]) => [name, slot])).toEqual([['open', '2026-05-04T09:00:00Z']])
  })

  test('what was open on a calendar that is gone is recorded before the same name goes on', async () => {
    let isBusy = true
    const dca = entry('dca', cron('0 * * * *'))
    const { clock, asks, missed, replace, stop } = startSchedule([dca], eight, {
      work: async (_entry, slot) => (slot === at('2026-05-04T09:00:00Z') ? 'open' : 'closed'),
      async record() {
        if (isBusy) throw new Error('the journal is busy')
      },
    })
    await clock.moveTo(at('2026-05-04T09:01:00Z'))
    replace([])
    await clock.moveTo(at('2026-05-04T10:20:00Z'))
    replace([{ ...dca, after: at('2026-05-04T10:20:00Z'), isNew: true }])
    await clock.moveTo(at('2026-05-04T11:00:00Z'))
    expect(asks.at(-1)?.[1]).toBe('2026-05-04T09:00:00Z')
    isBusy = false
    await clock.moveTo(at('2026-05-04T11:01:00Z'))
    await stop()
    expect(missed.map(([, from, to]) => [from, to])).toEqual([
      ['2026-05-04T09:00:00Z', '2026-05-04T09:00:00Z'],
    ])
    expect(asks.at(-1)?.[1]).toBe('2026-05-04T11:00:00Z')
  })

  test('put back before what was open is on record, a calendar goes on behind what was closed of it', async () => {
    const dca = entry('dca', cron('0 * * * *'))
    const { clock, slotsOf, replace, stop } = startSchedule([dca], eight, {
      work: async (_entry, slot) => (slot === at('2026-05-04T09:00:00Z') ? 'open' : 'closed'),
    })
    await clock.moveTo(at('2026-05-04T09:01:00Z'))
    replace([])
    replace([{ ...dca, after: at('2026-05-04T10:00:00Z') }])
    await clock.moveTo(at('2026-05-04T11:00:00Z'))
    await stop()
    expect(new Set(slotsOf('dca'))).toEqual(
      new Set(['2026-05-04T09:00:00Z', '2026-05-04T11:00:00Z']),
    )
  })

  test('what was missed goes by the calendar it is of, whichever is in force when it is on record', async () => {
    const calendars: [from: string, expression: string | undefined][] = []
    let isBusy = true
    const { clock, replace, stop } = startSchedule([entry('dca', cron('0 9 * * *'))], eight, {
      work: async () => 'open',
      async record(missed, { schedule }) {
        if (isBusy) throw new Error('the journal is busy')
        const { expression } = schedule.kind === 'cron' ? schedule : {}
        calendars.push([new Date(missed.from).toISOString().slice(11, 16), expression])
      },
    })
    await clock.moveTo(at('2026-05-04T09:01:00Z'))
    replace([entry('dca', cron('5 9 * * *'))])
    await clock.moveTo(at('2026-05-04T09:10:00Z'))
    replace([entry('dca', cron('15 9 * * *', 60))])
    isBusy = false
    await clock.moveTo(at('2026-05-04T09:30:00Z'))
    await stop()
    expect(calendars).toEqual([
      ['09:00', '0 9 * * *'],
      ['09:05', '5 9 * * *'],
      ['09:15', '15 9 * * *'],
    ])
  })

  test('what the new calendar misses is recorded once, after what the old one left open', async () => {
    const { clock, asks, missed, replace, stop } = startSchedule(
      [entry('dca', cron('0 9 * * *'))],
      eight,
      { work: async () => 'open' },
    )
    await clock.moveTo(at('2026-05-04T09:01:00Z'))
    replace([entry('dca', cron('0 10 * * *', 120))])
    await clock.moveTo(at('2026-05-05T10:00:00Z'))
    await stop()
    expect(missed.map(([, slot]) => slot)).toEqual(['2026-05-04T09:00:00Z', '2026-05-04T10:00:00Z'])
    expect(asks.at(-1)).toEqual(['dca', '2026-05-05T10:00:00Z', '2026-05-05T10:00:00Z'])
  })

  test('what the old calendar left open is put on record although the journal is away at first', async () => {
    let tries = 0
    const { clock, missed, replace, stop } = startSchedule(
      [entry('dca', cron('0 9 * * *'))],
      eight,
      {
        work: async () => 'open',
        async record() {
          tries += 1
          if (tries < 4) throw new Error('the journal is busy')
        },
      },
    )
    await clock.moveTo(at('2026-05-04T09:00:01Z'))
    replace([entry('dca', every(3_600))])
    await clock.moveTo(at('2026-05-04T09:00:02Z'))
    replace([entry('dca', cron('0 12 * * *'))])
    await clock.moveTo(at('2026-05-04T09:00:31Z'))
    expect([tries, missed]).toEqual([3, []])
    await clock.moveTo(at('2026-05-04T09:01:00Z'))
    await stop()
    expect(missed).toEqual([
      ['dca', '2026-05-04T09:00:00Z', '2026-05-04T09:00:00Z', 1, 'its calendar was replaced'],
    ])
  })

  test('a new entry begins now, and not before what was closed of it', async () => {
    const { clock, slotsOf, missed, replace, stop } = startSchedule<Entry>([], eight)
    await clock.moveTo(eight + 5 * minutes)
    replace([
      entry('new', cron('*/10 * * * *')),
      entry('old', cron('*/10 * * * *'), eight - 600 * minutes),
      entry('ahead', cron('*/10 * * * *'), eight + 10 * minutes),
    ])
    await clock.moveTo(eight + 25 * minutes)
    await stop()
    const both = ['2026-05-04T08:10:00Z', '2026-05-04T08:20:00Z']
    expect([slotsOf('new'), slotsOf('old'), slotsOf('ahead')]).toEqual([both, both, both.slice(1)])
    expect(missed).toEqual([])
  })

  test('one that is gone ends with its tick', async () => {
    const { clock, asks, replace, stop } = startSchedule(
      [entry('gone', every(60)), entry('stays', every(60))],
      eight,
      {
        async work({ name }, _slot, { sleep }) {
          if (name === 'gone') await sleep(30_000)
          return 'closed'
        },
      },
    )
    await clock.moveTo(eight + minutes)
    replace([entry('stays', every(60))])
    await clock.moveTo(eight + 3 * minutes)
    await stop()
    expect(asks.map(([name]) => name)).toEqual(['gone', 'stays', 'stays', 'stays'])
  })

  test('one that comes back while its tick still runs does not overlap itself, and has its new schedule', async () => {
    let [running, most] = [0, 0]
    const { clock, slotsOf, replace, stop } = startSchedule([entry('one', every(60))], eight, {
      async work(_entry, slot, { sleep }) {
        running += 1
        most = Math.max(most, running)
        if (slot === eight + minutes) await sleep(330_000)
        running -= 1
        return 'closed'
      },
    })
    await clock.moveTo(eight + minutes)
    replace([])
    await clock.moveTo(eight + 2 * minutes)
    replace([entry('one', cron('*/2 * * * *'))])
    await clock.moveTo(eight + 9 * minutes)
    await stop()
    // The calendar owes an answer for every slot since it came.
    expect(slotsOf('one')).toEqual(
      ['01', '04', '06', '08'].map((minute) => `2026-05-04T08:${minute}:00Z`),
    )
    expect(most).toBe(1)
  })

  /** An entry whose turn at nine takes a while. */
  const busyUntil = (end: string) => ({
    async work(
      _entry: Entry,
      slot: number,
      { now, sleep }: { now(): number; sleep(ms: number): Promise<void> },
    ): Promise<'closed'> {
      if (slot === at('2026-05-04T09:00:00Z')) await sleep(at(end) - now())
      return 'closed'
    },
  })

  test('what goes by of a calendar while it is gone is not its own, although its tick still runs', async () => {
    const dca = entry('dca', cron('0 * * * *'))
    const { clock, asks, missed, replace, stop } = startSchedule(
      [dca],
      eight + minutes,
      busyUntil('2026-05-04T10:30:00Z'),
    )
    await clock.moveTo(at('2026-05-04T09:50:00Z'))
    replace([])
    await clock.moveTo(at('2026-05-04T10:20:00Z'))
    replace([{ ...dca, after: at('2026-05-04T10:20:00Z'), isNew: true }])
    await clock.moveTo(at('2026-05-04T11:00:00Z'))
    await stop()
    expect(asks.map(([, slot]) => slot)).toEqual(['2026-05-04T09:00:00Z', '2026-05-04T11:00:00Z'])
    expect(missed).toEqual([])
  })

  test('another calendar begins when it came, although a tick still runs', async () => {
    const { clock, asks, missed, replace, stop } = startSchedule(
      [entry('dca', cron('0 9 * * *'))],
      eight,
      busyUntil('2026-05-04T09:15:00Z'),
    )
    await clock.moveTo(at('2026-05-04T09:05:00Z'))
    replace([entry('dca', cron('10 9 * * *'))])
    // Other terms of it move nothing.
    await clock.moveTo(at('2026-05-04T09:12:00Z'))
    replace([entry('dca', cron('10 9 * * *', 7_200))])
    await clock.moveTo(at('2026-05-04T09:20:00Z'))
    await stop()
    expect(asks).toEqual([
      ['dca', '2026-05-04T09:00:00Z', '2026-05-04T09:00:00Z'],
      ['dca', '2026-05-04T09:10:00Z', '2026-05-04T09:15:00Z'],
    ])
    expect(missed).toEqual([])
  })

  test('a calendar that came under a clock which was set back since begins no later than now', async () => {
    const { clock, asks, missed, replace, stop } = startSchedule(
      [entry('dca', cron('0 9 * * *'))],
      eight,
      {
        async work(_entry, slot, { sleep }) {
          if (slot === at('2026-05-04T09:00:00Z')) await sleep(15 * minutes)
          return 'closed'
        },
      },
    )
    await clock.moveTo(at('2026-05-04T09:05:00Z'))
    await clock.setTo(at('2027-05-04T09:05:00Z'))
    replace([entry('dca', cron('30 9 * * *'))])
    await clock.setTo(at('2026-05-04T09:06:00Z'))
    await clock.moveTo(at('2026-05-04T09:31:00Z'))
    await stop()
    expect(missed).toEqual([])
    expect(asks.map(([, slot]) => slot)).toEqual(['2026-05-04T09:00:00Z', '2026-05-04T09:30:00Z'])
  })

  test('of two calendars that came while a tick ran, the first is on record for its time', async () => {
    const { clock, asks, missed, replace, stop } = startSchedule(
      [entry('dca', cron('0 9 * * *'))],
      eight,
      busyUntil('2026-05-04T09:15:00Z'),
    )
    await clock.moveTo(at('2026-05-04T09:05:00Z'))
    replace([entry('dca', cron('6 9 * * *'))])
    await clock.moveTo(at('2026-05-04T09:08:00Z'))
    replace([entry('dca', cron('20 9 * * *'))])
    await clock.moveTo(at('2026-05-04T09:20:00Z'))
    await stop()
    expect(asks.map(([, slot]) => slot)).toEqual(['2026-05-04T09:00:00Z', '2026-05-04T09:20:00Z'])
    expect(missed).toEqual([
      ['dca', '2026-05-04T09:06:00Z', '2026-05-04T09:06:00Z', 1, 'its calendar was replaced'],
    ])
  })

  test('one that is gone before its turn has come is not asked any more', async () => {
    const entries = [entry('first', every(60)), entry('second', every(60))]
    const { clock, asks, replace, stop } = startSchedule(entries, eight, {
      async work() {
        replace(entries.slice(0, 1))
        return 'closed'
      },
    })
    await clock.moveTo(eight + minutes)
    await stop()
    expect(asks.map(([name]) => name)).toEqual(['first'])
  })

  test('may come from within a tick; priorities hold from the next instant on', async () => {
    const named = (name: string, priority: number) => ({ name, priority, schedule: every(60) })
    const { clock, asks, replace, stop } = startSchedule([named('a', 1), named('b', 0)], eight, {
      async work({ name }) {
        if (name === 'a') replace([named('a', 0), named('b', 1)])
        return 'closed'
      },
    })
    await clock.moveTo(eight + 2 * minutes)
    await stop()
    expect(asks.map(([name]) => name)).toEqual(['a', 'b', 'b', 'a'])
  })

  test('with the same name twice changes nothing', async () => {
    const { clock, asks, replace, stop } = startSchedule([entry('one', every(60))], eight)
    await clock.moveTo(eight)
    expect(() => replace([entry('two', every(60)), entry('two', every(5))])).toThrow('their names')
    await clock.moveTo(eight + minutes)
    await stop()
    expect(asks.map(([name]) => name)).toEqual(['one'])
  })
})
