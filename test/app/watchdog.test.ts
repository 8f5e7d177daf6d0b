import { describe, expect, test } from 'vitest'
import { readAttention } from '../../src/app/reading/readAttention.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { postpone, swap, wait } from '../../src/bot/strategy/index.ts'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { contextWith } from '../../src/bot/strategy/testing.ts'
import { samplePlan } from '../bot/journal/sampleSwap.ts'
import { places } from '../support/journals.ts'

const start = Date.UTC(2026, 10, 22, 12)
const minute = 60_000
const hour = 60 * minute

const loaded = (name: string, schedule: LoadedStrategy['schedule']): LoadedStrategy => ({
  ...{ name, schedule, strategy: {} as never, params: {}, watches: [], priority: 0 },
})
const daily = { kind: 'cron', expression: '0 12 * * *', timeZone: 'UTC', late: 1_800 } as const
const plan = samplePlan()

describe.each(places)('what was to be done and was not, in $dialect', ({ make }) => {
  async function open() {
    const place = await make()
    let now = start
    const clock = { now: () => now, sleep: async () => {} }
    const journal = await openJournal({ ...place, clock })
    const strategies = [
      loaded('basket', { kind: 'every', seconds: 60 }),
      loaded('weekly', daily),
      // The journal knows it by another calendar.
      loaded('moved', daily),
    ]
    return {
      journal,
      exec: place.exec,
      moveTo: (instant: number) => {
        now = instant
      },
      async decide(strategy: string, isSwap: boolean) {
        const { id } = await journal.decisions.record({
          ...{ strategy, slot: now - (now % minute), at: now, context: contextWith({}) },
          decision: isSwap ? swap(plan.intent) : wait('inside the band'),
        })
        return id
      },
      async found() {
        const runningSince = start - 24 * hour
        const source = { journal, database: place.database, strategies, clock, runningSince }
        const { attention } = await readAttention(source)
        return attention
          .filter(({ code }) => code !== 'DISK_LOW')
          .map(({ code, subject, sentence }) => ({ code, subject, sentence }))
      },
      async [Symbol.asyncDispose]() {
        await journal.shut()
        await place.remove()
      },
    }
  }

  test('a swap that is wanted for more than an hour, until one settles or it wants no more', async () => {
    await using bot = await open()
    const { journal, moveTo, decide, found } = bot
    await decide('basket', false)
    for (let at = start + minute; at <= start + hour + minute; at += minute) {
      moveTo(at)
      const decision = await decide('basket', true)
      const refusal = { code: 'POLICY_PER_SWAP', reason: `too much at ${(at - start) / minute}.` }
      await journal.decisions.noteRefusal({
        ...{ decision, strategy: 'basket', intent: plan.intent },
        ...refusal,
      })
    }
    expect(await found()).toEqual([])
    moveTo(start + hour + minute + 1)
    expect(await found()).toEqual([
      {
        ...{ code: 'SWAP_UNDONE', subject: 'basket' },
        sentence: expect.stringMatching(
          /^basket has wanted to swap since 2026-11-22T12:01:00.000Z, .* too much at 61\. \(POLICY_PER_SWAP\)\. It is asked again at 2026-11-22T13:02/,
        ),
      },
    ])
    await decide('basket', false)
    expect(await found()).toEqual([])
  })

  test('a band that is left open because no price is had: put off for more than an hour', async () => {
    await using bot = await open()
    const { journal, moveTo, found } = bot
    const putOff = async (at: number, reason: string) => {
      moveTo(at)
      const context = contextWith({})
      const decision = postpone(reason)
      await journal.decisions.record({ strategy: 'basket', slot: at, at, context, decision })
    }
    await bot.decide('basket', false)
    for (let at = start + minute; at <= start + hour + minute; at += minute)
      await putOff(at, 'No price for 1 WETH.')
    expect(await found()).toEqual([])
    moveTo(start + hour + minute + 1)
    expect(await found()).toEqual([
      {
        ...{ code: 'SWAP_UNDONE', subject: 'basket' },
        sentence:
          'basket has put off its decision since 2026-11-22T12:01:00.000Z, and nothing settled: No price for 1 WETH. It is asked again at 2026-11-22T13:02:00.000Z.',
      },
    ])
    await bot.decide('basket', false)
    expect(await found()).toEqual([])
  })

  test('the end of its last swap is the reason; one that settled begins it anew', async () => {
    await using bot = await open()
    await bot.decide('basket', true)
    bot.moveTo(start + 30 * minute)
    await bot.journal.swaps.reserve({ ...plan, strategy: 'basket' }, () => {})
    const close = {
      swapId: plan.swapId,
      as: 'REJECTED',
      code: 'VERIFY_FLOOR',
      reason: 'low',
    } as const
    await bot.journal.swaps.close(close)
    bot.moveTo(start + 2 * hour)
    await bot.decide('basket', true)
    const [undone] = await bot.found()
    expect(undone?.sentence).toContain('since 2026-11-22T12:00:00.000Z')
    expect(undone?.sentence).toContain('low (VERIFY_FLOOR).')
    await bot.exec(
      `UPDATE swap SET state = 'SETTLED', nonce = 1, deadline = 1, sold = '1', received = '1', included_block = 1, included_hash = '0x', included_block_hash = '0x'`,
    )
    expect(await bot.found()).toEqual([])
  })

  test('a calendar that is silent for five minutes after its slot was due', async () => {
    await using bot = await open()
    const { journal, moveTo, decide, found } = bot
    const slot = start - 24 * hour
    const done = { slot, upto: slot, slots: 1, state: 'done', reason: 'so' } as const
    await journal.slots.close({ ...done, strategy: 'weekly', calendar: '0 12 * * * UTC' })
    await journal.slots.close({ ...done, strategy: 'moved', calendar: '0 9 * * * UTC' })
    await decide('basket', false)
    moveTo(start + 5 * minute)
    await decide('basket', false)
    expect(await found()).toEqual([])
    moveTo(start + 5 * minute + 1)
    expect(await found()).toEqual([
      {
        ...{ code: 'LOOK_STALE', subject: 'weekly' },
        sentence:
          'weekly should have decided on its slot of 2026-11-22T12:00:00.000Z; its last decision: never. It is asked again until 2026-11-22T12:30:00.000Z, then the slot is missed.',
      },
    ])
    await decide('weekly', true)
    expect(await found()).toEqual([])
  })
})
