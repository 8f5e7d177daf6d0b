import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { readJournal } from '../../../src/bot/journal/readJournal.ts'
import { type Decision, remember, swap, wait } from '../../../src/bot/strategy/index.ts'
import { contextWith } from '../../../src/bot/strategy/testing.ts'
import { hourMs, secondMs } from '../../../src/core/spans.ts'
import { type Place, places } from '../../support/journals.ts'
import { samplePlan, usdc, weth } from './sampleSwap.ts'

describe.each(places)('looks that come to the same, $dialect', ({ make }) => {
  const start = 1_000 * hourMs
  const haltFile = '/nowhere'
  let place: Place
  let journal: Journal
  let now = start
  const clock = { now: () => now, sleep: async () => {} }

  beforeEach(async () => {
    now = start
    place = await make()
    journal = await openJournal({ ...place, clock })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  /** A look at this instant that finds one WETH worth so many wei of USDC. */
  function look(decision: Decision, { usd = 3_000n, params = {}, slot = now } = {}) {
    const sold = { token: weth, wei: 10n ** 18n }
    const indications = [{ sold, bought: { token: usdc, wei: usd }, route: [] }]
    const context = contextWith<unknown>(params, { slot, indications })
    return journal.decisions.record({ strategy: 'test', slot, at: now, context, decision })
  }
  const rows = () => journal.decisions.page({ limit: 100 })

  test('are one row with their number and the last of them', async () => {
    for (const usd of [3_001n, 3_002n, 2_999n]) {
      await look(wait(`1 WETH brings ${usd} USDC, -${usd}.5 bps short.`), { usd })
      now += 5 * secondMs
    }
    expect(await rows()).toMatchObject([
      {
        ...{ id: 1, slot: start, at: start, looks: 3 },
        reason: '1 WETH brings 3001 USDC, -3001.5 bps short.',
        context: expect.stringContaining('"wei":"3001"'),
        ...{ last_slot: start + 10_000, last_at: start + 10_000 },
        last_reason: '1 WETH brings 2999 USDC, -2999.5 bps short.',
      },
    ])
  })

  test('show every reader the last of them: its instant, its sentence, its prices and its memory', async () => {
    await look(remember({ peak: '3001' }, wait('1 short')), { usd: 3_001n })
    now += 5 * secondMs
    await look(remember({ peak: '3002' }, wait('2 short')), { usd: 3_002n })
    const reader = await readJournal({ ...place, clock, haltFile })
    expect(await reader.decisions.latest()).toEqual([
      { strategy: 'test', slot: now, at: now, kind: 'wait', reason: '2 short' },
    ])
    await reader.shut()
    expect(await journal.breakers.lastLook({ strategy: 'test' })).toMatchObject({
      at: now,
      prices: [{ bought: { wei: 3_002n } }],
    })
    expect(await journal.decisions.inputs('test', {})).toMatchObject({ memory: { peak: '3002' } })
  })

  test('are found by every slot among them, and by no other', async () => {
    const found = async (slot: number) =>
      (await journal.decisions.find({ strategy: 'test', slot })).map(({ id }) => id)
    for (const words of ['a', 'a', 'b', 'b', 'b', 'a']) {
      await look(wait(words))
      now += 5 * secondMs
    }
    const at = (nth: number) => start + nth * 5 * secondMs
    for (const [nth, id] of [1, 1, 2, 2, 2, 3].entries()) expect(await found(at(nth))).toEqual([id])
    expect(await found(at(6))).toEqual([])
    expect(await found(start - 1)).toEqual([])
    // Two decisions of one slot, and the row that counts it.
    await look(wait('c'), { slot: at(5) })
    expect(await found(at(5))).toEqual([3, 4])
  })

  test('have a new row at least every hour', async () => {
    for (now = start; now < start + 3 * hourMs; now += 600 * secondMs) await look(wait('so'))
    expect((await rows()).map(({ looks, at }) => [looks, (at - start) / hourMs])).toEqual([
      [6, 0],
      [6, 1],
      [6, 2],
    ])
  })

  test('are no longer the same with other words, another outcome or other parameters', async () => {
    const { intent } = samplePlan()
    await look(wait('so'))
    await look(wait('so and so'))
    await look({ kind: 'postpone', reason: 'so and so' })
    await look({ kind: 'postpone', reason: 'so and so' }, { params: { other: true } })
    await look(swap(intent))
    await look(wait('so'))
    expect((await rows()).map(({ looks }) => looks)).toEqual([1, 1, 1, 1, 1, 1])
  })

  test('are not counted where a clock or a slot went back: its row would not be found', async () => {
    await look(wait('so'))
    await look(wait('so'), { slot: start - 1 })
    now -= 1
    await look(wait('so'))
    expect(await rows()).toHaveLength(3)
  })

  describe('a wish to swap', () => {
    const wish = (at: bigint) => {
      const { intent } = samplePlan()
      return swap({ ...intent, reason: `The market pays ${at} USDC.` })
    }
    const refuse = (decision: number, code = 'POLICY', reason = `5 of ${now} WETH are sold`) =>
      journal.decisions.noteRefusal({
        ...{ decision, strategy: 'test', code, reason },
        intent: samplePlan().intent,
      })
    const logged = () => place.rows(`SELECT type FROM event WHERE type = 'DECIDED'`)

    test('that is refused again for the same reason is counted, with its refusal, and logged once', async () => {
      for (const usd of [3_001n, 3_002n, 3_003n]) {
        const { id, counted } = await look(wish(usd), { usd })
        expect({ id, counted }).toEqual({ id: 1, counted: usd > 3_001n })
        await refuse(id)
        now += 5 * secondMs
      }
      await refuse(1, 'OTHER')
      expect(await rows()).toMatchObject([{ looks: 3, last_reason: 'The market pays 3003 USDC.' }])
      expect(await journal.decisions.refusals(1)).toMatchObject([
        { code: 'POLICY' },
        { code: 'OTHER' },
      ])
      expect(await journal.decisions.countRefusals({})).toEqual([
        { code: 'POLICY', count: 3 },
        { code: 'OTHER', count: 1 },
      ])
      expect(await logged()).toHaveLength(1)
    })

    test('that a service declined again is counted: the name of its request and a hash are no news', async () => {
      const { id } = await look(wish(1n))
      for (const [request, byte] of [
        ['REQ-a', 'ab'],
        ['c0ffee', 'cd'],
      ] as const)
        await refuse(id, 'OTHER', `No: block 0x${byte.repeat(32)} is gone (request ${request}).`)
      await refuse(id, 'OTHER', `No: 0x${'ab'.repeat(20)} is gone (request REQ-a).`)
      await refuse(id, 'OTHER', `No: 0x${'cd'.repeat(20)} is gone (request REQ-a).`)
      expect(await journal.decisions.refusals(id)).toHaveLength(3)
    })

    test('that nothing refused, or of which a swap was planned, is never counted', async () => {
      await look(wish(1n))
      const { id } = await look(wish(2n))
      expect(id).toBe(2)
      await refuse(id)
      await journal.swaps.reserve(samplePlan(), () => {})
      expect(await look(wish(3n))).toEqual({ id: 3, counted: false })
      expect(await logged()).toHaveLength(3)
    })

    test('that was counted is written down whole before its swap', async () => {
      const { id } = await look(wish(1n))
      await refuse(id)
      const context = contextWith<unknown>({}, { slot: now })
      const decided = { strategy: 'test', slot: now, at: now, context, decision: wish(2n) }
      expect(await journal.decisions.record(decided)).toEqual({ id, counted: true })
      await journal.decisions.recordWhole(decided)
      expect(await rows()).toMatchObject([{ looks: 2 }, { looks: 1, kind: 'swap', slot: now }])
      expect(await logged()).toHaveLength(2)
    })
  })
})
