import fc from 'fast-check'
import { expect, test } from 'vitest'
import { balanceIn } from '../../../src/core/holdings.ts'
import { keepBooks, quietValuations } from '../../../src/story/month/books.ts'
import { completeEntries, createLots } from '../../../src/story/month/createLots.ts'
import { monthSpan } from '../../../src/story/month/monthSpan.ts'
import { factsUpto } from '../../../src/story/month/readBooks.ts'
import { markAt, statementOf } from '../../../src/story/month/statement.ts'
import { eth, gem, randomYear, usdc, weth, type Year } from './randomYear.ts'

const months = Array.from({ length: 24 }, (_, index) => {
  const year = 2026 + Math.floor(index / 12)
  return monthSpan(`${year}-${String((index % 12) + 1).padStart(2, '0')}`, 'Europe/Berlin')
})

/** Every month of a year that has two boundaries, each told from what was known at its end alone. */
function tellMonths({ facts }: Year) {
  const quiet = quietValuations(facts)
  return months.flatMap(({ from, until }) => {
    const opening = (markAt(quiet, from) ?? { valuation: quiet[0] }).valuation
    const closing = markAt(quiet, until)?.valuation
    if (opening === undefined || closing === undefined || closing.at < opening.at) return []
    const books = keepBooks(factsUpto(facts, closing.at))
    return { opening, closing, statement: statementOf(books, { opening, closing }) }
  })
}

const runs = { numRuns: Number(process.env.MONTH_RUNS ?? 60) }

test('statement: opening, flows and result come to closing exactly, in every month of any year', () => {
  let [told, sentOn] = [0, 0n]
  fc.assert(
    fc.property(randomYear, (year) => {
      for (const { statement, opening, closing } of tellMonths(year)) {
        const { sums, lines, unknown } = statement
        for (const one of lines)
          expect(
            one.opening + one.deposits - one.withdrawals + one.bought - one.sold - one.gas,
          ).toBe(one.closing)
        for (const { held } of closing.holdings)
          expect(lines.find(({ token }) => token === held.token)?.closing).toBe(held.wei)
        expect(sums === undefined).toBe(unknown.length > 0)
        if (sums === undefined) continue
        told += 1
        sentOn += sums.sentOn
        expect([sums.opening, sums.closing]).toEqual([opening.total?.wei, closing.total?.wei])
        for (const method of ['fifo', 'average'] as const) {
          const result = sums.realised[method] + sums.unrealised[method] - sums.gas
          const flows = sums.deposits - sums.withdrawals - sums.sentOn
          expect(sums.opening + flows + result).toBe(sums.closing)
        }
      }
    }),
    runs,
  )
  expect(told).toBeGreaterThan(runs.numRuns)
  expect(sentOn).toBeGreaterThan(0n)
})

test('statement: a boundary is the first whole valuation behind it, else the first, else the last before', () => {
  const boundary = Date.UTC(2026, 1, 1)
  const at = (minutes: number) => ({
    ...{ at: boundary + minutes * 60_000, unit: usdc, holdings: [] },
    total: { token: usdc, wei: 1n },
    seeded: false,
  })
  const [before, whole, late] = [at(-1), at(65), at(120)]
  const blind = { ...at(5), total: undefined }
  const marked = (...quiet: Parameters<typeof markAt>[0]) => markAt(quiet, boundary)
  expect(marked(before, blind, whole, late)).toEqual({ valuation: whole, place: 'after' })
  expect(marked(before, blind, late)).toEqual({ valuation: blind, place: 'after' })
  expect(marked(at(-90), before, late)).toEqual({ valuation: before, place: 'before' })
  expect(marked(late)).toBeUndefined()
})

test('statement: a month ends with what the next one begins with', () => {
  fc.assert(
    fc.property(randomYear, (year) => {
      const all = tellMonths(year)
      for (const [index, { opening }] of all.entries())
        if (index > 0) expect(opening).toBe(all[index - 1]?.closing)
    }),
    runs,
  )
})

test('statement: flows are what really came and left, token by token, and swaps are none', () => {
  fc.assert(
    fc.property(randomYear, (year) => {
      for (const { statement, opening, closing } of tellMonths(year))
        for (const token of [eth, weth, usdc, gem]) {
          const real = year.flows
            .filter((one) => one.token === token && one.at > opening.at && one.at <= closing.at)
            .reduce((sum, { wei }) => sum + wei, 0n)
          const line = statement.lines.find((one) => one.token === token)
          expect((line?.deposits ?? 0n) - (line?.withdrawals ?? 0n)).toBe(real)
        }
    }),
    runs,
  )
})

test('lots: what is open is what is held, and its cost by both methods is what is left of it', () => {
  fc.assert(
    fc.property(randomYear, ({ facts }) => {
      const books = keepBooks(facts)
      const lots = createLots()
      for (const entry of completeEntries(books)) lots.enter(entry)
      const last = books.quiet.at(-1)?.holdings.map(({ held }) => held) ?? []
      for (const { held, cost } of lots.held()) {
        const own = lots.all().filter(({ came }) => came.token === held.token)
        expect(held.wei).toBe(balanceIn(last, held.token))
        expect(own.reduce((sum, { left }) => sum + left, 0n)).toBe(held.wei)
        expect(own.reduce((sum, lot) => sum + lot.cost, 0n)).toBe(cost.fifo)
        for (const { came, left } of own) expect(left >= 0n && left <= came.wei).toBe(true)
      }
    }),
    runs,
  )
})

test('lots: once all is sold, both methods have realised the same', () => {
  fc.assert(
    fc.property(randomYear, ({ facts }) => {
      const books = keepBooks(facts)
      const lots = createLots()
      const realised = { fifo: 0n, average: 0n }
      const enter = (entry: Parameters<typeof lots.enter>[0]) => {
        const cost = lots.enter(entry)
        realised.fifo += (entry.worth ?? 0n) - cost.fifo
        realised.average += (entry.worth ?? 0n) - cost.average
      }
      for (const entry of completeEntries(books)) enter(entry)
      const [some] = books.entries
      if (some === undefined) return
      for (const { held } of lots.held())
        enter({ ...some, kind: 'withdrawal', left: held, came: undefined, worth: 1_000n })
      for (const { held, cost } of lots.held())
        expect([held.wei, cost]).toEqual([0n, { fifo: 0n, average: 0n }])
      expect(realised.fifo).toBe(realised.average)
    }),
    runs,
  )
})

test('statement: a year by hand, in each part of its sums', () => {
  const at = (day: number) => Date.UTC(2026, 0, day)
  const dollars = (wei: bigint) => ({ token: usdc, wei })
  const value = (day: number, [coins, cash, price]: readonly [bigint, bigint, bigint]) => ({
    ...{ at: at(day), unit: usdc, total: dollars(coins * price + cash), seeded: false },
    holdings: [
      { held: { token: weth, wei: coins }, worth: dollars(coins * price) },
      { held: dollars(cash), worth: dollars(cash) },
    ],
  })
  const fill = {
    ...{
      strategy: 'test',
      coin: undefined,
      tip: undefined,
      base: undefined,
      later: [],
      sources: [],
    },
  }
  const move = { strategy: 'test', chainId: 1, wallet: '0x', hash: '0x' }
  const books = keepBooks({
    unit: usdc,
    coin: { native: eth, wrapped: weth },
    valuations: [
      value(1, [10n, 0n, 100n]),
      value(3, [20n, 0n, 200n]),
      value(5, [8n, 2_400n, 250n]),
      value(7, [5n, 2_400n, 250n]),
    ],
    fills: new Map([
      [
        'a',
        {
          ...{ ...fill, begun: at(4), ended: at(4), worth: { wei: 2_400n, by: 'unit' as const } },
          ...{ sold: { token: weth, wei: 12n }, received: dollars(2_400n) },
        },
      ],
      [
        'b',
        {
          ...{ ...fill, begun: at(6), ended: at(6), worth: { wei: 780n, by: 'quote' as const } },
          ...{ sold: { token: weth, wei: 3n }, received: dollars(779n) },
        },
      ],
    ]),
    moves: [
      {
        ...move,
        seq: 1,
        at: at(4),
        of: 'a',
        kind: 'sold',
        address: weth.address,
        token: weth,
        wei: -12n,
      },
      {
        ...move,
        seq: 1,
        at: at(4),
        of: 'a',
        kind: 'received',
        address: usdc.address,
        token: usdc,
        wei: 2_400n,
      },
      // Its proceeds went to another recipient.
      {
        ...move,
        seq: 2,
        at: at(6),
        of: 'b',
        kind: 'sold',
        address: weth.address,
        token: weth,
        wei: -3n,
      },
    ],
  })
  const [opening, , , closing] = books.quiet
  if (opening === undefined || closing === undefined) throw new Error('all are quiet')
  // Ten at 100 and ten that came at 200. Twelve sold for 2,400 cost 1,400 first in first out, 1,800 on average;
  // three for 780 cost 600 and 450. What is left cost 1,000 and 750, and is worth 1,250.
  expect(statementOf(books, { opening, closing }).sums).toEqual({
    opening: 1_000n,
    deposits: 2_000n,
    withdrawals: 0n,
    sentOn: 780n,
    gas: 0n,
    realised: { fifo: 1_180n, average: 930n },
    unrealised: { fifo: 250n, average: 500n },
    closing: 3_650n,
  })
})

test('statement: dust that is left has no price, so what left before it is worth what it was worth', () => {
  const dai = { ...weth, symbol: 'DAI', address: `0x${'da'.repeat(20)}` as const }
  const hour = 3_600_000
  const valuation = (at: number, wei: bigint) => {
    const worth = { token: usdc, wei: wei / 10n ** 12n }
    const holdings = [{ held: { token: dai, wei }, worth, later: [], sources: [] }]
    return { ...{ at, unit: usdc, holdings }, total: worth, seeded: false }
  }
  const held = 100_000_123_456_789_012_345_678n
  const sent = 100_000_123_456_000_000_000_000n
  const [opening, closing] = [valuation(hour, held), valuation(2 * hour, held - sent)]
  const books = keepBooks({
    ...{ unit: usdc, coin: { native: eth, wrapped: weth } },
    ...{ valuations: [opening, closing], fills: new Map(), moves: [] },
  })
  const { entries } = statementOf(books, { opening, closing })
  expect(entries.map(({ kind, worth }) => [kind, worth])).toEqual([
    ['withdrawal', 100_000_123_455n],
  ])
})

test('statement: what was known at an instant has the same quiet valuations, amid a swap too', () => {
  fc.assert(
    fc.property(randomYear, fc.nat(999), ({ facts }, nth) => {
      const at = facts.moves[nth % Math.max(1, facts.moves.length)]?.at ?? 0
      for (const instant of [at - 60_000, at - 1, at])
        expect(quietValuations(factsUpto(facts, instant)).map((one) => one.at)).toEqual(
          quietValuations(facts).flatMap((one) => (one.at <= instant ? one.at : [])),
        )
    }),
    runs,
  )
})
