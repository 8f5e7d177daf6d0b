import { describe, expect, test } from 'vitest'
import { readAttention } from '../../src/app/reading/readAttention.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { postpone, swap, wait } from '../../src/bot/strategy/index.ts'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { contextWith } from '../../src/bot/strategy/testing.ts'
import type { Address } from '../../src/core/token.ts'
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
const [wallet, token, router, stranger] = ['a', 'b', 'c', 'd'].map(
  (digit): Address => `0x${digit.repeat(40)}`,
) as [Address, Address, Address, Address]

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
      ...{ journal, clock, database: place.database },
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
        const { attention } = await readAttention({
          ...{ journal, database: place.database, strategies, clock, runningSince },
          ...{ config: { policy: { cooldownMs: 0 } } as never, isLive: false },
        })
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

  test('books that are not found in order for three days, and an allowance left with a stranger for one', async () => {
    await using place = await open()
    const { journal, exec } = place
    const usdc = { chainId: 1, address: token, symbol: 'USDC', decimals: 6 }
    const found = async () => {
      const { attention } = await readAttention({
        ...{ journal, database: place.database, strategies: [], clock: place.clock },
        ...{ runningSince: start, isLive: true },
        config: {
          ...{ chain: { chainId: 1 }, wallet: { address: wallet }, journal: {} },
          ...{ tokens: { bySymbol: new Map([['USDC', usdc]]) }, service: { router } },
          policy: { cooldownMs: 0, allowances: [{ token: usdc, wei: 5n }], permits: [] },
        } as never,
      })
      return attention
        .filter(({ kind }) => ['books', 'allowance'].includes(kind))
        .map(({ code, sentence }) => `${code}: ${sentence}`)
    }
    const days = (count: number) => place.moveTo(start + count * 24 * hour)
    days(3)
    expect(await found()).toEqual([])
    place.moveTo(start + 72 * hour + 1)
    expect(await found()).toEqual([expect.stringMatching(/^BOOKS_UNPROVEN: .* never been found/)])
    const mark = { block: 1, seq: 1, hash: '0x', at: start + 72 * hour, limits: '', totals: null }
    await journal.reconciliation.setMark({ chainId: 1, wallet, since: 0, mark })
    expect(await found()).toEqual([])

    const left = samplePlan()
    await journal.swaps.reserve(left, () => {})
    for (const [spender, wei] of [
      [router, '5'],
      [stranger, '1000000'],
    ])
      await exec(
        `INSERT INTO allowance (chain_id, wallet, token, spender, wei, swap_id, at)
         VALUES (1, '${wallet}', '${token}', '${spender}', '${wei}', '${left.swapId}', ${start + 72 * hour})`,
      )
    days(4)
    expect(await found()).toEqual([])
    place.moveTo(start + 96 * hour + 1)
    expect(await found()).toEqual([
      `ALLOWANCE_LEFT: ${stranger} may still take 1 USDC from the wallet, and no swap is going to use it.`,
    ])
    days(7)
    expect(await found()).toContainEqual(
      expect.stringMatching(/^BOOKS_UNPROVEN: .*last found in order at 2026-11-25/) as string,
    )
  })

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
          /^basket has wanted to swap since 2026-11-22T12:01:00.000Z, .* too much at 61\. \(POLICY_PER_SWAP\)\. It decides again at 2026-11-22T13:02/,
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
          'basket has put off its decision since 2026-11-22T12:01:00.000Z, and nothing settled: No price for 1 WETH. It decides again at 2026-11-22T13:02:00.000Z.',
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
          'weekly should have decided on its slot of 2026-11-22T12:00:00.000Z; its last decision: never. It may decide until 2026-11-22T12:30:00.000Z, then the slot is missed.',
      },
    ])
    await decide('weekly', true)
    expect(await found()).toEqual([])
  })
})
