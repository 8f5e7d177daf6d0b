import { describe, expect, test } from 'vitest'
import { blockTimes } from '../../src/tape/blockTimes.ts'
import type { TapeEntry } from '../../src/tape/readTape.ts'
import { createTimingPicker, timingsOf } from '../../src/tape/timings.ts'
import { dossierOf } from '../bot/report/dossierOf.ts'
import { headAt, type Look, replayOf, start, tapeOf, usdc, weth, yamlWith } from './tapeOf.ts'

const at = (number: number, seconds: number, readAfter = 0) => ({
  at: start + (seconds + readAfter) * 1_000,
  number,
  ageMs: readAfter * 1_000,
  baseFeePerGas: 1n,
})

describe('block times', () => {
  const blocks = blockTimes([at(10, 0), at(11, 2, 1), at(11, 2, 3), at(15, 10), at(16, 40)], 12_000)
  const blockAfter = (seconds: number, count: number) =>
    (blocks.after(start + seconds * 1_000, count) - start) / 1_000

  test('are those of the heads, and even between two of them', () => {
    expect(blockAfter(0, 1)).toBe(2)
    expect(blockAfter(1.9, 1)).toBe(2)
    expect(blockAfter(2, 1)).toBe(4)
    expect(blockAfter(5, 2)).toBe(8)
    expect(blockAfter(9.9, 1)).toBe(10)
    expect(blockAfter(10, 1)).toBe(40)
  })

  test('go on behind the last head as they came on average', () => {
    expect(blocks.cadenceMs).toBe(40_000 / 6)
    expect(blockAfter(40, 3)).toBe(60)
  })

  test('are the usual ones where the heads say nothing', () => {
    expect(blockTimes([], 12_000).after(start, 2)).toBe(start + 24_000)
    expect(blockTimes([at(1, 0), at(1, 5)], 12_000).after(start + 7, 1)).toBe(start + 12_007)
  })
})

describe('the time a swap takes', () => {
  const timings = [0, 60, 3_600].map((seconds, place) => ({
    at: start + seconds * 1_000,
    quoteMs: 1_000 * (place + 1),
    signMs: 500,
    settleMs: 5_000,
  }))
  const pick = createTimingPicker(timings)

  test('is that of the swap nearest to it within ten minutes, otherwise any by chance', () => {
    const quoted = (seconds: number, chance = 0) =>
      pick(start + seconds * 1_000, () => chance)?.quoteMs
    expect(quoted(20)).toBe(1_000)
    expect(quoted(40)).toBe(2_000)
    expect(quoted(3_000)).toBe(3_000)
    expect(quoted(90_000, 0)).toBe(1_000)
    expect(quoted(90_000, 0.99)).toBe(3_000)
    expect(createTimingPicker([])(start, () => 0)).toBeUndefined()
  })

  test('counts from its slot, or from the end of the swap before it; a late start counts for nothing', () => {
    const swap = (slot: number | undefined, createdAt: number) =>
      dossierOf({ createdAt, over: { slot } })
    const parts = (dossiers: Parameters<typeof timingsOf>[0]) =>
      timingsOf(dossiers).map((timing) => [timing.at, timing.quoteMs, timing.signMs])
    // A dossier's quote comes 20 ms after its plan, its last event 2 s after it.
    expect(parts([swap(1_000, 1_400)])).toEqual([[1_000, 420, 10]])
    expect(parts([swap(1_000, 4_300), swap(1_000, 1_400)])).toEqual([
      [1_000, 420, 10],
      [3_400, 920, 10],
    ])
    expect(parts([swap(undefined, 1_400)])).toEqual([[1_400, 20, 10]])
    expect(parts([swap(1_000, 61_000)])).toEqual([[61_000, 20, 10]])
  })
})

/** A book every second, whose price says which it is. */
const seconds = (count: number, depth = 10): Look[] =>
  Array.from({ length: count }, (_, s) => ({ s, bids: [[depth, 3_000 + s]], asks: [[10, 4_000]] }))
const one = yamlWith(`  - name: seller
    use: threshold
    params: { sell: 1 WETH, buy: USDC, price: 2000 USDC, every: 10s, limit: 3 WETH }`)
const fillsOf = async (entries: readonly TapeEntry[], assumptions: object, yaml = one) => {
  const { report } = await replayOf(entries, { yaml, assumptions })
  return report.strategies[0]?.fills.map(
    ({ decidedAt, quotedAt, includedAt, settledAt, bought }) => ({
      times: [decidedAt, quotedAt, includedAt, settledAt].map(
        (text) => (Date.parse(text) - start) / 1_000,
      ),
      bought: bought.text,
    }),
  )
}

describe('replay', () => {
  test('goes by the blocks of the tape: approval, quote, inclusion and confirmations, each fill by itself', async () => {
    const heads = Array.from({ length: 100 }, (_, s) => headAt(s, { ageS: 0, gwei: 1 })).flatMap(
      (entry, s) => {
        if (entry.kind !== 'line') return []
        const body = JSON.stringify({ ...JSON.parse(entry.line.body), number: s })
        return [{ ...entry, line: { ...entry.line, body } }]
      },
    )
    const entries = [...tapeOf(seconds(100)), ...heads].sort(
      (a, b) => (a.kind === 'line' ? a.line.tWall : 0) - (b.kind === 'line' ? b.line.tWall : 0),
    )
    const assumptions = { latencyMs: 0, approvals: true, confirmations: 2 }
    // A block a second: approved in one, settled with two on top, quoted then, and the same again.
    expect(await fillsOf(entries, assumptions)).toEqual(
      [0, 10, 20].map((s) => ({ times: [s, s + 3, s + 4, s + 6], bought: `${3_003 + s}` })),
    )
    // A standing allowance spares the approval.
    const spared = await fillsOf(entries, { ...assumptions, standing: [weth] })
    expect(spared?.[0]?.times).toEqual([0, 0, 1, 3])
    // The configuration says twelve seconds, which is what counts without heads.
    const withoutHeads = await fillsOf(tapeOf(seconds(200)), assumptions)
    expect(withoutHeads?.[0]?.times).toEqual([0, 36, 48, 72])
  })

  test('takes the time that swaps of the journal took', async () => {
    const timings = [{ at: start, quoteMs: 4_000, signMs: 1_000, settleMs: 20_000 }]
    const fills = await fillsOf(tapeOf(seconds(100)), { timings })
    expect(fills?.map(({ times }) => times)).toEqual([
      [0, 4, 17, 25],
      [30, 34, 47, 55],
      [60, 64, 77, 85],
    ])
  })

  test('firm quotes pay as much more than the book as those of the journal did', async () => {
    const quoted = (bps: number) => ({
      ...{ sell: weth.address, buy: usdc.address, sold: `${10n ** 18n}` },
      received: `${(3_000 * (10_000 + bps)) / 1e4}000000`,
    })
    const flatBooks = tapeOf(
      Array.from(
        { length: 100 },
        (_, s): Look => ({ s, bids: [[10, 3_000]], asks: [[10, 4_000]] }),
      ),
    )
    const timings = [0, 10, 100].map((bps, place) => ({
      ...{ at: start + place * 1_000, quoteMs: 0, signMs: 0, settleMs: 1_000 },
      quoted: quoted(bps),
    }))
    const fills = await fillsOf(flatBooks, { timings })
    expect(fills?.[0]?.bought).toBe('3003')
    // Two say little, and one that no book of the tape was there for says nothing.
    const few = await fillsOf(flatBooks, { timings: timings.slice(0, 2) })
    expect(few?.[0]?.bought).toBe('3000')
  })

  test('what was sold is missing from the book until it is offered for again, and a hint says that it is large', async () => {
    const entries = tapeOf(
      Array.from(
        { length: 100 },
        (_, s): Look => ({
          s,
          bids: [
            [1, 3_000],
            [9, 2_900],
          ],
          asks: [[10, 4_000]],
        }),
      ),
    )
    const bought = async (refillMs: number) =>
      (await fillsOf(entries, { latencyMs: 0, refillMs }))?.map((fill) => fill.bought)
    expect(await bought(0)).toEqual(['3000', '3000', '3000'])
    // Twenty seconds later four fifths of what was sold are still missing.
    expect(await bought(100_000)).toEqual(['3000', '2920', '2900'])

    const thin = tapeOf(seconds(100, 1.5))
    const hints = async (looks: readonly TapeEntry[]) =>
      (await replayOf(looks, { yaml: one })).report.hints
    expect(await hints(thin)).toEqual([
      expect.stringMatching(
        /^seller sold 3 WETH within an hour into books that were 1.5 WETH deep: /,
      ),
    ])
    expect(await hints(tapeOf(seconds(100, 3)))).toEqual([])
  })

  test('says what all is worth, and what it would be without a swap', async () => {
    const { report } = await replayOf(tapeOf(seconds(60)), { yaml: one, assumptions: { gas: 0n } })
    const [weth, usd] = [200n + 200n, 600_000n]
    // The middle of the first book and of the last.
    expect(report.value).toMatchObject({
      before: { text: `${weth * 3_500n + usd}` },
      holding: { text: `${Number(weth) * 3_529.5 + Number(usd)}` },
    })
    const gain = Number(report.value?.after.text) / Number(report.value?.holding.text) - 1
    expect(report.value?.againstHoldingBps).toBeCloseTo(gain * 1e4, 1)
  })
})
