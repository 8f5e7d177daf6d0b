import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { dayMs, hourMs, minuteMs } from '../../../src/core/spans.ts'
import { type Place, places } from '../../support/journals.ts'
import { usdc, wallet, weth } from './sampleSwap.ts'

const owner = { chainId: 31_337, wallet }
const begin = 100 * dayMs

describe.each(places)('$dialect: valuations', ({ make }) => {
  let place: Place
  let journal: Journal
  beforeEach(async () => {
    place = await make()
    journal = await openJournal({ ...place, clock: { now: () => 1, sleep: async () => {} } })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })
  const record = (at: number, worth: bigint | null = 3_000n) =>
    journal.valuations.record({
      ...owner,
      at,
      unit: usdc,
      holdings: [
        { held: { token: usdc, wei: 500n }, worth: { token: usdc, wei: 500n } },
        {
          held: { token: weth, wei: 10n ** 18n },
          worth: worth === null ? undefined : { token: usdc, wei: worth },
        },
      ],
    })
  const seeded = (at: number) => ({
    at,
    unit: usdc,
    holdings: [{ held: { token: usdc, wei: 500n }, worth: { token: usdc, wei: 500n } }],
  })
  const instants = async (limit: number) =>
    (await journal.valuations.since({ ...owner, since: 0, limit })).map(({ at }) => at)

  test('adds up what is known, and no total where a part is not', async () => {
    await record(begin)
    await record(begin + 1, null)
    const [known, unknown] = await journal.valuations.since({ ...owner, since: 0, limit: 10 })
    expect(known).toMatchObject({ at: begin, unit: usdc, total: { token: usdc, wei: 3_500n } })
    expect(known?.holdings[1]).toEqual({
      held: { token: weth, wei: 10n ** 18n },
      worth: { token: usdc, wei: 3_000n },
    })
    expect(unknown?.total).toBeUndefined()
    expect(unknown?.holdings[1]?.worth).toBeUndefined()
  })

  test('are those of one wallet, from an instant on, and no more than wanted with the newest among them', async () => {
    for (let nth = 0; nth < 10; nth += 1) await record(begin + nth * minuteMs)
    const other = { ...owner, wallet: `0x${'b'.repeat(40)}` as const }
    expect(await journal.valuations.since({ ...other, since: 0, limit: 10 })).toEqual([])
    const since = begin + 5 * minuteMs
    expect(await journal.valuations.since({ ...owner, since, limit: 10 })).toHaveLength(5)
    const few = await instants(4)
    expect(few.length).toBeLessThanOrEqual(5)
    expect(few.at(-1)).toBe(begin + 9 * minuteMs)
  })

  test('keeps all of two days, and the first of each hour before', async () => {
    for (let at = begin; at < begin + 3 * hourMs; at += 20 * minuteMs) await record(at)
    expect(await instants(100)).toHaveLength(9)
    await record(begin + 2 * dayMs + 2 * hourMs)
    expect(await instants(100)).toEqual([
      begin,
      begin + hourMs,
      ...[0, 20, 40].map((minutes) => begin + 2 * hourMs + minutes * minuteMs),
      begin + 2 * dayMs + 2 * hourMs,
    ])
  })

  test('are seeded where there are none, marked, and never a second time or after a real one', async () => {
    const marks = async () =>
      (await journal.valuations.since({ ...owner, since: 0, limit: 10 })).map((one) => [
        one.at,
        one.seeded,
      ])
    await journal.valuations.seed({ ...owner, past: [seeded(begin), seeded(begin + hourMs)] })
    await journal.valuations.seed({ ...owner, past: [seeded(begin + 2 * hourMs)] })
    await record(begin + 3 * hourMs)
    const all = [
      [begin, true],
      [begin + hourMs, true],
      [begin + 3 * hourMs, false],
    ]
    expect(await marks()).toEqual(all)

    const other = { ...owner, chainId: 1_337 }
    await journal.valuations.seed({ ...other, past: [] })
    expect(await journal.valuations.since({ ...other, since: 0, limit: 10 })).toEqual([])
    expect(await marks()).toEqual(all)
  })
})
