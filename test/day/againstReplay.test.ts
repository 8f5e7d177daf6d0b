import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compare, type DayFill, type LiveDay } from './againstReplay.ts'
import { judgeDay } from './recordDay.ts'

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

// The sample of `npm run day:replay`: two hours of its first market, as they were lived and taped.
test('four strategies over a recorded market: as many fills as live within 5 %, at the same price within 2 bps', async () => {
  const dir = join(import.meta.dirname, 'recorded/seed-11')
  const live: LiveDay = JSON.parse(readFileSync(join(dir, 'live.json'), 'utf8'))
  const [config, tape] = [join(dir, 'ballast.yaml'), join(dir, 'tape.jsonl.gz')]
  const { comparisons, breaks } = await judgeDay({ config, tape, live })
  expect(comparisons.map(({ strategy, live: own, replayed }) => [strategy, own, replayed])).toEqual(
    [
      ['dca-weth', 2, 2],
      ['sell-strength', 4, 4],
      ['spread-weth', 8, 8],
      ['weights', 1, 1],
    ],
  )
  expect(breaks).toEqual([])

  // Without what its own swaps took it is another day.
  const guessed = await judgeDay({ config, tape, live: { ...live, timings: [] } })
  expect(guessed.breaks).not.toEqual([])
})
