import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import type { Planned } from '../../../src/bot/stages.ts'
import { fillsMax, remember, wait } from '../../../src/bot/strategy/index.ts'
import { contextWith } from '../../../src/bot/strategy/testing.ts'
import type { Receipt } from '../../../src/chain/calls/getReceipt.ts'
import { type Place, places } from '../../support/journals.ts'
import { asBeforeServer } from './asBeforeServer.ts'
import { sampleBytes, samplePlan, sampleQuote, usdc, wallet, weth } from './sampleSwap.ts'

describe.each(places)('$dialect', ({ make }) => {
  let place: Place
  let journal: Journal
  let now = 1_000_000
  let nonce = 0
  const open = () => openJournal({ ...place, clock: { now: () => now, sleep: async () => {} } })

  beforeEach(async () => {
    place = await make()
    nonce = 0
    journal = await open()
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  /** Takes a plan to SETTLED with these amounts. */
  async function settle(
    planned: Planned,
    sold: bigint,
    received: bigint,
    chainId = 31_337,
  ): Promise<void> {
    now += 1
    await journal.swaps.reserve(planned, () => {})
    const { swapId } = planned
    const { hash } = await journal.attempts.commitSwap(
      sampleBytes(planned, nonce),
      sampleQuote(planned),
    )
    nonce += 1
    const receipt = {
      hash,
      blockNumber: 7,
      blockHash: hash,
      success: true,
      gasUsed: 21n,
      gasPaid: 1n,
      logs: [],
    } satisfies Receipt
    await journal.attempts.include({ swapId, receipt })
    await journal.attempts.settle({
      swapId,
      measured: {
        sold: { token: { ...weth, chainId }, wei: sold },
        received: { token: { ...usdc, chainId }, wei: received },
        gasUsed: 21n,
        gasPaid: 1n,
        agrees: true,
        short: false,
      },
    })
  }

  describe('totals', () => {
    test('are the exact sums of what settled, by strategy and pair', async () => {
      const huge = 2n ** 80n + 1n
      await settle(samplePlan(), huge, 7n)
      await settle(samplePlan(), huge, 8n)
      await settle(samplePlan({ strategy: 'other' }), 5n, 5n)
      const { totals, fills, lastFill, swapGas } = await journal.decisions.inputs('test', {})
      expect(totals).toEqual([
        { sold: { token: weth, wei: 2n * huge }, bought: { token: usdc, wei: 15n }, swaps: 2 },
      ])
      expect(fills.map(({ price }) => price.bought.wei)).toEqual([8n, 7n])
      expect(lastFill).toEqual(fills[0])
      expect(swapGas).toBe(21n)
    })

    test('of another chain are another sum, whatever the addresses: a budget there does not hide one here', async () => {
      await settle(samplePlan(), 3n, 7n)
      await settle(samplePlan(), 4n, 8n, 10)
      await settle(samplePlan(), 5n, 9n)
      const { totals } = await journal.decisions.inputs('test', {})
      expect(
        totals.map(({ sold, bought }) => [sold.token.chainId, sold.wei, bought.token.chainId]),
      ).toEqual([
        [10, 4n, 10],
        [31_337, 8n, 31_337],
      ])
    })

    test('a journal from before them gets them from what it has', async () => {
      await settle(samplePlan(), 3n, 7n)
      await settle(samplePlan(), 4n, 8n)
      await journal.shut()
      await place.exec(`${asBeforeServer}; DELETE FROM kysely_migration WHERE name >= '0009'`)
      journal = await open()
      expect((await journal.decisions.inputs('test', {})).totals).toEqual([
        { sold: { token: weth, wei: 7n }, bought: { token: usdc, wei: 15n }, swaps: 2 },
      ])
    })

    test('fills are the newest, and no more than a context has', async () => {
      for (let count = 0; count < fillsMax + 1; count += 1)
        await settle(samplePlan(), BigInt(count + 1), 1n)
      const { fills } = await journal.decisions.inputs('test', {})
      expect(fills).toHaveLength(fillsMax)
      expect(fills[0]?.price.sold.wei).toBe(BigInt(fillsMax + 1))
    })

    test('what is open is in flight for its own strategy, and open for all', async () => {
      const planned = samplePlan({ strategy: 'other' })
      await journal.swaps.reserve(planned, () => {})
      const { inflight, open: all } = await journal.decisions.inputs('test', {})
      expect(inflight).toEqual([])
      expect(all).toMatchObject([{ swapId: planned.swapId, sell: planned.intent.sell }])
      expect((await journal.decisions.inputs('other', {})).inflight).toHaveLength(1)
    })
  })

  describe('memory', () => {
    const decide = (params: object, memory?: Record<string, string>) =>
      journal.decisions.record({
        strategy: 'test',
        slot: 1,
        at: now,
        context: contextWith<unknown>(params),
        decision: memory === undefined ? wait('no') : remember(memory, wait('no')),
      })

    test('is what the last decision wrote down, over a restart', async () => {
      await decide({ a: 1n }, { high: '3' })
      await decide({ a: 1n }, { high: '12345678901234567890' })
      await journal.shut()
      journal = await open()
      const { memory } = await journal.decisions.inputs('test', { a: 1n })
      expect(memory).toEqual({ high: '12345678901234567890' })
    })

    test('belongs to the parameters it was written under', async () => {
      await decide({ a: 1n }, { high: '3' })
      expect((await journal.decisions.inputs('test', { a: 2n })).memory).toBeUndefined()
      expect((await journal.decisions.inputs('other', { a: 1n })).memory).toBeUndefined()
      const { forgotten } = journal.decisions
      expect(await forgotten('test', { a: 2n })).toEqual({ high: '3' })
      expect(await forgotten('test', { a: 1n })).toBeUndefined()
      expect(await forgotten('other', { a: 1n })).toBeUndefined()
    })

    test('a decision that writes nothing down leaves none', async () => {
      await decide({}, { high: '3' })
      await decide({})
      expect((await journal.decisions.inputs('test', {})).memory).toBeUndefined()
    })
  })

  describe('slots', () => {
    const slot = { strategy: 'test', slot: 500 }
    const close = (state: 'done' | 'passed') =>
      journal.slots.close({ ...slot, upto: 500, slots: 1, calendar: 'c', state, reason: 'so' })

    test('the last closed one is what a calendar goes on from', async () => {
      expect(await journal.slots.lastClosed('test')).toBeUndefined()
      await close('done')
      await journal.slots.close({
        strategy: 'test',
        slot: 600,
        upto: 900,
        slots: 4,
        calendar: 'c',
        state: 'missed',
        reason: 'away',
      })
      expect(await journal.slots.lastClosed('test')).toEqual({ upto: 900, calendar: 'c' })
      expect(await journal.slots.lastClosed('other')).toBeUndefined()
    })

    test('the first word on a slot stands', async () => {
      await close('done')
      await close('passed')
      expect(await place.rows('SELECT state FROM slot')).toEqual([{ state: 'done' }])
    })

    test('is begun again only when what was begun before is dead', async () => {
      const first = samplePlan()
      expect(await journal.swaps.reserve(first, () => {}, { slot: 500, attempt: 0 })).toBe(true)
      expect(await journal.slots.progress(slot)).toEqual({
        settled: 0,
        open: true,
        planned: 1,
        tries: 1,
        answered: 1,
      })
      expect(await journal.swaps.reserve(samplePlan(), () => {}, { slot: 500, attempt: 1 })).toBe(
        false,
      )
      await journal.swaps.close({ swapId: first.swapId, as: 'ABANDONED', code: 'X', reason: 'so' })
      expect(await journal.slots.progress(slot)).toEqual({
        settled: 0,
        open: false,
        planned: 1,
        tries: 1,
        answered: 1,
      })
      expect(await journal.swaps.reserve(samplePlan(), () => {}, { slot: 500, attempt: 1 })).toBe(
        true,
      )
      expect(await journal.slots.progress(slot)).toEqual({
        settled: 0,
        open: true,
        planned: 1,
        tries: 2,
        answered: 2,
      })
    })

    test.each([
      ['QUOTE_UNAVAILABLE', 0],
      ['RATE_LIMITED', 0],
      ['QUOTE_MALFORMED', 0],
      ['QUOTE_REFUSED', 1],
    ])('a try that ended with %s counts as answered %i times', async (code, answered) => {
      const { swapId } = samplePlan()
      await journal.swaps.reserve(samplePlan({ swapId }), () => {}, { slot: 500, attempt: 0 })
      await journal.swaps.close({ swapId, as: 'ABANDONED', code, reason: 'so' })
      expect(await journal.slots.progress(slot)).toMatchObject({ tries: 1, answered })
    })

    test('several swaps of one decision are one attempt', async () => {
      const attempt = { slot: 500, attempt: 0 }
      expect(await journal.swaps.reserve(samplePlan(), () => {}, attempt)).toBe(true)
      expect(await journal.swaps.reserve(samplePlan(), () => {}, attempt)).toBe(true)
    })

    test('a try that was stopped after its first swap has as many as were decided on', async () => {
      const first = samplePlan()
      const { intent } = first
      const decide = (at: number, count: number) => {
        const intents = Array.from({ length: count }, () => intent)
        const decision = { kind: 'swap', intents } as const
        return journal.decisions.record({
          ...{ ...slot, at, decision },
          context: contextWith({}, { now: at }),
        })
      }
      await decide(500, 2)
      await decide(501, 3)
      // Nothing is begun before a swap is in the books.
      expect(await journal.slots.progress(slot)).toMatchObject({ planned: 0, tries: 0 })
      await journal.swaps.reserve(first, () => {}, { slot: 500, attempt: 0 })
      expect(await journal.slots.progress(slot)).toMatchObject({ planned: 3, tries: 1 })
      // An archive has taken the text.
      await place.rows("UPDATE decision SET decision = '' WHERE slot = 500")
      expect(await journal.slots.progress(slot)).toMatchObject({ planned: 1, tries: 1 })
    })

    test('other strategies and other slots are not concerned', async () => {
      await journal.swaps.reserve(samplePlan(), () => {}, { slot: 500, attempt: 0 })
      const other = samplePlan({ strategy: 'other' })
      expect(await journal.swaps.reserve(other, () => {}, { slot: 500, attempt: 1 })).toBe(true)
      expect(await journal.swaps.reserve(samplePlan(), () => {}, { slot: 501, attempt: 1 })).toBe(
        true,
      )
    })
  })
})
