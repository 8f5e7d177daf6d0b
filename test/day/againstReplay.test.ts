import { expect, test } from 'vitest'
import { compare, type DayFill } from './againstReplay.ts'

const fill = (strategy: string, sold: number, bought: number, sell = '0x01'): DayFill => ({
  ...{ strategy, sell, buy: sell === '0x01' ? '0x02' : '0x01' },
  ...{ sold: `${sold}`, bought: `${bought}` },
})

test('fills are counted, and prices held to each other by what was sold, each direction by itself', () => {
  const live = [
    fill('a', 100, 300_000),
    fill('a', 300, 903_000),
    fill('a', 300_000, 100, '0x02'),
    fill('b', 100, 300_000),
  ]
  const replayed = [
    fill('a', 400, 1_201_797),
    fill('a', 300_000, 100, '0x02'),
    fill('b', 100, 300_000),
    fill('b', 100, 300_000),
  ]
  expect(compare(live, replayed)).toEqual([
    // 3007.5 against 3004.4925 in two of three, and nothing in the third.
    { strategy: 'a', live: 3, replayed: 2, apartPercent: -33.33, priceBps: 6.67 },
    { strategy: 'b', live: 1, replayed: 2, apartPercent: 100, priceBps: 0 },
  ])
})
