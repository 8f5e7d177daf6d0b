import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orderbook } from '../../src/api/orderbook.ts'
import type { Token } from '../../src/core/token.ts'
import { createPublishedBook } from '../../src/service/createPublishedBook.ts'
import type { Snapshot } from '../../src/service/createSnapshots.ts'
import { shorten } from '../../src/service/makers/levels.ts'
import type { MakerDesk } from '../../src/service/makers/makerDesk.ts'
import { type BookSide, sideOffer } from '../../src/service/makers/sideOffer.ts'
import { exactly, floor, times, whole } from '../contract/rational.ts'
import { boundaries, sellBase } from '../contract/walkBook.ts'

const token = (decimals: number, digit: string): Token => ({
  chainId: 31337,
  symbol: `T${decimals}`,
  decimals,
  address: `0x${digit.repeat(40)}`,
})

/** An ask's second spelling as it is published, if it is. */
function mirrored(side: BookSide) {
  const publish = createPublishedBook({
    expirySeconds: 60,
    mirrored: true,
    tokens: [side.base, side.quote],
    revision: () => 0,
    onWrite: () => undefined,
  })
  const state = { offers: () => [], rows: () => [sideOffer.row(side)] }
  const snapshot = { block: {}, states: [state] } as unknown as Snapshot
  const rows = orderbook.response.parse(JSON.parse(publish(snapshot).bytes.toString()))
  return rows.find((row) => row.side === 'bid')
}

const [WETH, USDC] = [token(18, '1'), token(6, '2')]
const ether = (milli: number) => BigInt(milli) * 10n ** 15n
const ask = (
  minimum: number,
  ...levels: (readonly [milli: number, price: bigint])[]
): BookSide => ({
  base: WETH,
  quote: USDC,
  side: 'ask',
  minimumWei: ether(minimum),
  levels: levels.map(([milli, price]) => ({ amount: ether(milli), price: price * 10n ** 20n })),
})

test.each<[string, BookSide, number[] | undefined]>([
  ['is the minimum, to its last unit', ask(10, [10_000, 30_100_000n]), [30.1, 30_069.9]],
  [
    'is a unit more than the minimum costs',
    ask(1, [2, 1_201n], [2, 1_300n]),
    [0.000121, 0.000119, 0.00026],
  ],
  ['reaches into a second level', ask(3, [2, 30_000_000n], [8, 31_000_000n]), [9.1, 21.7]],
  ['is all there is', ask(10, [10, 30_100_000n]), [30.1]],
  ['would take more than there is', ask(1, [1, 1_201n]), undefined],
  ['is not needed', ask(0, [2, 30_000_000n], [8, 31_000_000n]), [6, 24.8]],
  ['is less than the minimum, and so is all there is', ask(3, [2, 30_000_000n]), undefined],
  ['is worth no unit, and the next is all', ask(0, [2, 1n], [8, 31_000_000n]), [24.8]],
  ['is free, as no maker should say', ask(0, [2, 0n], [8, 31_000_000n]), undefined],
])('mirrored asks: the first level %s', (_name, side, amounts) => {
  const row = mirrored(side)
  expect(row?.levels.map(([amount]) => amount)).toEqual(amounts)
  if (side.minimumWei > 0n) expect(row?.minimum_in_base).toBe(amounts?.[0])
})

test('mirrored asks can be traded in the amounts they list, for no less than they promise', () => {
  const decimals = fc.constantFrom(2, 6, 18)
  const level = fc.record({
    amount: fc.bigInt({ min: 1n, max: 10n ** 20n }).map(shorten),
    price: fc.bigInt({ min: 10n ** 16n, max: 10n ** 28n }).map(shorten),
  })
  const levels = fc.array(level, { minLength: 1, maxLength: 4 })
  const minimum = fc.bigInt({ min: 0n, max: 10n ** 19n }).map(shorten)
  let seen = 0
  fc.assert(
    fc.property(decimals, decimals, levels, minimum, (of, to, unsorted, minimumWei) => {
      const [base, quote] = [token(of, '1'), token(to, '2')]
      const levels = unsorted.toSorted((a, b) => (a.price < b.price ? -1 : 1))
      const side: BookSide = { base, quote, side: 'ask', minimumWei, levels }
      const row = mirrored(side)
      if (row === undefined) return
      seen += 1
      const { fill } = sideOffer.offer(side, { name: 'maker', desk: {} as MakerDesk })
      const units = (amount: number) => times(exactly(amount), whole(10n ** BigInt(to)))
      for (const [amount] of row.levels) {
        const { numerator, denominator } = units(amount)
        expect(numerator % denominator).toBe(0n)
      }
      const least = floor(units(row.minimum_in_base))
      const ends = boundaries(row, { base: to, quote: of })
      if (least > 0n) expect([ends[0], fill(least).kind]).toEqual([least, 'filled'])
      for (const wei of ends.flatMap((end) => [end, (end + least) / 2n])) {
        const promised = sellBase(row, { base: to, quote: of }, wei) ?? 0n
        const filled = fill(wei)
        if (filled.kind === 'filled') expect(filled.buyWei).toBeGreaterThanOrEqual(promised)
        else expect([filled.kind, promised]).toEqual(['below-minimum', 0n])
      }
    }),
    { numRuns: 300 },
  )
  expect(seen).toBeGreaterThan(50)
})

/** The levels of a row as it is published. */
function published(minimum: number, ...levels: [amount: number, price: number][]) {
  const row = { ...sideOffer.row(ask(0, [1, 1n])), minimum_in_base: minimum, levels }
  const publish = createPublishedBook({
    ...{ expirySeconds: 60, mirrored: false, tokens: [WETH, USDC] },
    ...{ revision: () => 0, onWrite: () => undefined },
  })
  const snapshot = { block: {}, states: [{ offers: () => [], rows: () => [row] }] }
  return JSON.parse(publish(snapshot as unknown as Snapshot).bytes.toString())[0].levels
}

test('a first level is split at the minimum only where both parts are the level to its last digit', () => {
  expect(published(0.5, [2, 3_000], [5, 2_999])).toEqual([
    [0.5, 3_000],
    [1.5, 3_000],
    [5, 2_999],
  ])
  // Fifteen digits, of which the rest has fifteen as well.
  expect(published(0.001, [0.123456789012345, 3_000])).toEqual([
    [0.001, 3_000],
    [0.122456789012345, 3_000],
  ])
  // With sixteen the parts would miss the last one.
  const finer = 0.1234567890123456
  expect(published(0.001, [finer, 3_000])).toEqual([[finer, 3_000]])
  for (const minimum of [0, 2, 3]) expect(published(minimum, [2, 3_000])).toEqual([[2, 3_000]])
})
