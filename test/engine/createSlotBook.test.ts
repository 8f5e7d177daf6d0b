import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../src/bot/journal/openJournal.ts'
import type { Missed, MissedReason, Unrecorded } from '../../src/bot/schedule/timetable.ts'
import { defineStrategy, postpone, type Schedule, wait } from '../../src/bot/strategy/index.ts'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { contextWith } from '../../src/bot/strategy/testing.ts'
import { createSlotBook } from '../../src/engine/createSlotBook.ts'
import { sampleBytes, samplePlan, sampleQuote, usdc, wallet } from '../bot/journal/sampleSwap.ts'
import { type Place, places } from '../support/journals.ts'

const at = (instant: string) => Date.parse(instant)
const nine = at('2026-05-04T09:00:00Z')

const daily: LoadedStrategy = (() => {
  const schedule: Schedule = { kind: 'cron', expression: '0 9 * * *', timeZone: 'UTC' }
  const strategy = defineStrategy<unknown>({
    ...{ name: 'test', summary: 'A test.', schedule: () => schedule, watch: () => [] },
    params: () => {
      throw new Error('it is loaded already')
    },
    decide: () => wait('a test'),
  })
  return { name: 'test', strategy, params: {}, schedule, watches: [], priority: 0 }
})()

/** What the schedule hands over of its daily calendar. */
const of = (missed: Missed, reason: MissedReason): Unrecorded => ({
  ...{ missed, reason },
  schedule: daily.schedule,
})
const atTen = { kind: 'cron', expression: '0 10 * * *', timeZone: 'UTC' } as const

describe.each(places)('createSlotBook, $dialect', ({ make }) => {
  let place: Place
  let journal: Journal
  let now = nine
  let chainAt = Number.POSITIVE_INFINITY
  let finished = 0
  const clock = { now: () => now, sleep: async () => {} }
  const book = (finishOpen: () => Promise<void>) =>
    createSlotBook({
      journal,
      finishOpen: async () => {
        finished += 1
        await finishOpen()
      },
      clock,
      chainTime: async () => chainAt,
    })

  beforeEach(async () => {
    now = nine
    chainAt = Number.POSITIVE_INFINITY
    finished = 0
    place = await make()
    journal = await openJournal({ ...place, clock })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  const slot = { from: nine, to: nine, count: 1, exact: true }
  /** A swap of a slot that settles. */
  async function settle(ofSlot: number): Promise<void> {
    const plan = samplePlan()
    const { swapId } = plan
    await journal.swaps.reserve(plan, () => {}, { slot: ofSlot, attempt: 0 })
    const { hash } = await journal.attempts.commitSwap(sampleBytes(plan, 0), sampleQuote(plan))
    const block = { blockNumber: 7, blockHash: hash, success: true, gasUsed: 1n, gasPaid: 1n }
    await journal.attempts.include({ swapId, receipt: { hash, ...block, logs: [] } })
    const moved = { sold: plan.intent.sell, received: { token: usdc, wei: 1n } }
    const measured = { ...moved, gasUsed: 1n, gasPaid: 1n, agrees: true, short: false }
    await journal.attempts.settle({ swapId, measured })
  }
  const rows = () => place.rows('SELECT state, reason FROM slot ORDER BY slot')

  test('a missed slot with an open swap waits until that is followed to its end', async () => {
    const plan = samplePlan()
    await journal.swaps.reserve(plan, () => {}, { slot: nine, attempt: 0 })
    const late = 'still open when its time was over' as const
    const stuck = book(async () => {}).missed('test', of(slot, late))
    await expect(stuck).rejects.toMatchObject({ code: 'SLOT_UNDECIDED' })
    expect({ finished, rows: await rows() }).toEqual({ finished: 1, rows: [] })

    const end = { swapId: plan.swapId, as: 'ABANDONED', code: 'X', reason: 'so' } as const
    await book(() => journal.swaps.close(end)).missed('test', of(slot, late))
    expect({ finished, rows: await rows() }).toEqual({
      finished: 2,
      rows: [{ state: 'failed', reason: late }],
    })
  })

  test('a slot that the chain has not come to is not written down, however late the clock is', async () => {
    const minutes = 60_000
    now = nine + 25 * 60 * minutes
    chainAt = nine - 10 * minutes - 1
    const missed = () => book(async () => {}).missed('test', of(slot, 'not decided in time'))
    await expect(missed()).rejects.toMatchObject({ code: 'SLOT_AHEAD_OF_CHAIN' })
    expect(await rows()).toEqual([])
    chainAt += 1
    await missed()
    expect(await rows()).toHaveLength(1)
  })

  test('one without a swap is written down at once', async () => {
    await book(async () => {}).missed('test', of(slot, 'not decided in time'))
    expect({ finished, rows: await rows() }).toEqual({
      finished: 0,
      rows: [{ state: 'missed', reason: 'not decided in time' }],
    })
  })

  test('of many that went by, the one whose swap settled is done, and those around it are missed', async () => {
    const dayMs = 86_400_000
    await settle(nine + dayMs)
    const run = { from: nine, to: nine + 3 * dayMs, count: 4, exact: true }
    await book(async () => {}).missed('test', of(run, 'not decided in time'))
    const written = await place.rows('SELECT slot, upto, slots, state FROM slot ORDER BY slot')
    const days = written.map(({ slot, upto, ...row }) => ({
      ...row,
      days: [slot, upto].map((instant) => (Number(instant) - nine) / dayMs),
    }))
    expect(days).toEqual([
      { days: [0, 0], slots: 1, state: 'missed' },
      { days: [1, 1], slots: 1, state: 'done' },
      { days: [2, 3], slots: 2, state: 'missed' },
    ])
  })

  test('a slot of which one swap settled and another was rejected has failed', async () => {
    await settle(nine)
    const plan = samplePlan()
    await journal.swaps.reserve(plan, () => {}, { slot: nine, attempt: 0 })
    const end = { swapId: plan.swapId, as: 'REJECTED', code: 'X', reason: 'so' } as const
    await journal.swaps.close(end)
    await book(async () => {}).missed('test', of(slot, 'still open when its time was over'))
    expect(await rows()).toEqual([{ state: 'failed', reason: '1 of 2 swaps settled.' }])
  })

  test('a calendar that was written otherwise before begins now, and is not held to the slots of the other', async () => {
    await book(async () => {}).missed('test', of(slot, 'not decided in time'))
    now += 5 * 86_400_000 + 60_000
    const [same] = await book(async () => {}).placed([daily])
    expect(same).toEqual({ ...daily, after: nine })
    const [other] = await book(async () => {}).placed([{ ...daily, schedule: atTen }])
    expect(other).toMatchObject({ after: now, isNew: true })
    // Those of the other are on record, by its own name.
    expect(
      await place.rows('SELECT slots, state, reason, calendar FROM slot ORDER BY slot'),
    ).toEqual([
      { slots: 1, state: 'missed', reason: 'not decided in time', calendar: '0 9 * * * UTC' },
      {
        ...{ slots: 5, state: 'missed', reason: 'its calendar was replaced' },
        calendar: '0 9 * * * UTC',
      },
      {
        ...{ slots: 0, state: 'passed', reason: 'Another calendar begins here.' },
        calendar: '0 10 * * * UTC',
      },
    ])
    expect(await journal.slots.missedAndFailed({ since: 0, limit: 9 })).toHaveLength(2)
    // Once: the next start goes on from there.
    const [again] = await book(async () => {}).placed([{ ...daily, schedule: atTen }])
    expect(again).toMatchObject({ after: now })
    expect(await rows()).toHaveLength(3)
  })

  test('a slot of the old calendar whose swap settled is done, also at the instant of the start', async () => {
    await book(async () => {}).missed('test', of(slot, 'not decided in time'))
    await settle(nine + 86_400_000)
    now = nine + 2 * 86_400_000
    const [other] = await book(async () => {}).placed([{ ...daily, schedule: atTen }])
    expect(other).toMatchObject({ after: now + 1, isNew: true })
    expect((await rows()).map(({ state }) => state)).toEqual(['missed', 'done', 'missed', 'passed'])
  })

  test('a start whose chain has not come as far writes nothing of the old calendar, nor of the new one', async () => {
    await book(async () => {}).missed('test', of(slot, 'not decided in time'))
    now += 5 * 86_400_000 + 60_000
    chainAt = nine
    const placed = book(async () => {}).placed([{ ...daily, schedule: atTen }])
    await expect(placed).rejects.toMatchObject({ code: 'SLOT_AHEAD_OF_CHAIN' })
    expect(await rows()).toHaveLength(1)
  })

  test('of two slots that one swap parts, both go by the calendar they are of', async () => {
    const dayMs = 86_400_000
    await settle(nine + dayMs)
    const run = { from: nine, to: nine + 2 * dayMs, count: 3, exact: true }
    await book(async () => {}).missed('test', of(run, 'its calendar was replaced'))
    expect(await place.rows('SELECT slot, calendar FROM slot ORDER BY slot')).toMatchObject(
      [0, 1, 2].map((days) => ({ slot: nine + days * dayMs, calendar: '0 9 * * * UTC' })),
    )
  })

  test('of many that went by, one that was decided on before a restart has failed, and was not missed', async () => {
    const dayMs = 86_400_000
    const decide = (ofSlot: number) =>
      journal.decisions.record({
        ...{ strategy: 'test', slot: ofSlot, at: ofSlot, decision: postpone('no price') },
        context: contextWith({}, { now: ofSlot }),
      })
    await decide(nine + dayMs)
    // A look of before, under another schedule.
    await decide(nine + dayMs + 5_400_000)
    await settle(nine + 2 * dayMs)
    await decide(nine + 2 * dayMs)
    const run = { from: nine, to: nine + 3 * dayMs, count: 4, exact: true }
    await book(async () => {}).missed('test', of(run, 'not decided in time'))
    expect(await rows()).toEqual([
      { state: 'missed', reason: 'not decided in time' },
      { state: 'failed', reason: 'still open when its time was over' },
      { state: 'done', reason: 'Its swap settled while no turn was taken.' },
      { state: 'missed', reason: 'not decided in time' },
    ])
  })

  test('a look that is counted with one before it was a turn at its slot', async () => {
    const minutely = { kind: 'cron', expression: '* * * * *', timeZone: 'UTC' } as const
    for (const minute of [0, 1]) {
      const ofSlot = nine + minute * 60_000
      await journal.decisions.record({
        ...{ strategy: 'test', slot: ofSlot, at: ofSlot, decision: postpone('no price') },
        context: contextWith({}, { now: ofSlot }),
      })
    }
    expect(await place.rows('SELECT looks FROM decision')).toEqual([{ looks: 2 }])
    const missed = { from: nine + 60_000, to: nine + 120_000, count: 2, exact: true }
    const reason = 'not decided in time'
    await book(async () => {}).missed('test', { missed, reason, schedule: minutely })
    expect((await rows()).map(({ state }) => state)).toEqual(['failed', 'missed'])
  })

  test('while the bot runs, the slots of the old calendar are left to the schedule', async () => {
    await book(async () => {}).missed('test', of(slot, 'not decided in time'))
    now += 86_400_000 + 60_000
    await book(async () => {}).placed([{ ...daily, schedule: atTen }], [daily])
    expect((await rows()).map(({ state }) => state)).toEqual(['missed', 'passed'])
  })

  test('a calendar that was not there for a while begins where it came back: what went by is not made up for', async () => {
    await book(async () => {}).missed('test', of(slot, 'not decided in time'))
    now = nine + 3 * 86_400_000 + 3 * 3_600_000
    // Taken out by a reload on the first day, put back by another one on the fourth.
    const [back] = await book(async () => {}).placed([daily], [])
    expect(back).toMatchObject({ after: now, isNew: true })
    const cameBack = now
    now += 60_000
    const [started] = await book(async () => {}).placed([daily])
    expect(started).toEqual({ ...daily, after: cameBack })
    // One that ran all the time goes on from what was closed.
    const [same] = await book(async () => {}).placed([daily], [daily])
    expect(same).toEqual({ ...daily, after: cameBack })
  })

  test('so it does where it was not in the file at a start', async () => {
    await book(async () => {}).missed('test', of(slot, 'not decided in time'))
    now = nine + 3 * 86_400_000
    expect(await book(async () => {}).placed([])).toEqual([])
    await book(async () => {}).placed([])
    now += 15 * 86_400_000
    const [back] = await book(async () => {}).placed([daily])
    expect(back).toMatchObject({ after: now, isNew: true })
    expect((await rows()).map(({ reason }) => reason)).toEqual([
      'not decided in time',
      'its calendar was replaced',
      'Its calendar was taken out here.',
      'The calendar begins here.',
    ])
    now += 60_000
    const [same] = await book(async () => {}).placed([daily])
    expect(same).toEqual({ ...daily, after: now - 60_000 })
  })

  test('a calendar that began under a clock years ahead begins again when the clock is right', async () => {
    now = at('2031-01-01T00:00:00Z')
    const [ahead] = await book(async () => {}).placed([daily])
    expect(ahead).toMatchObject({ after: now, isNew: true })
    now = nine
    const [right] = await book(async () => {}).placed([daily])
    expect(right).toMatchObject({ after: nine, isNew: true })
    // From then on it goes on from what was closed.
    const calendar = '0 9 * * * UTC'
    const closed = { strategy: 'test', slot: nine + 1, upto: nine + 1, slots: 1, calendar }
    await journal.slots.close({ ...closed, state: 'done', reason: 'so' })
    now += 5
    const [again] = await book(async () => {}).placed([daily])
    expect(again).toEqual({ ...daily, after: nine + 1 })
  })
})
