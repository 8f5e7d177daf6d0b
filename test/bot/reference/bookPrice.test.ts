import { describe, expect, test } from 'vitest'
import type { OrderPair } from '../../../src/api/orderbook.ts'
import { bookPrice, createBook } from '../../../src/bot/reference/bookPrice.ts'
import { BallastError } from '../../../src/core/errors.ts'
import { worthAt } from '../../../src/core/price.ts'
import { nativeAddress, type Token } from '../../../src/core/token.ts'
import { manualClock } from '../schedule/manualClock.ts'

const weth: Token = {
  chainId: 1,
  address: '0x00000000000000000000000000000000000000aA',
  symbol: 'WETH',
  decimals: 18,
}
const usdc: Token = { ...weth, address: `0x${'0'.repeat(38)}bb`, symbol: 'USDC', decimals: 6 }
const ether = 10n ** 18n

type Levels = OrderPair['levels']
const row = (side: 'bid' | 'ask', levels: Levels, change: Partial<OrderPair> = {}): OrderPair => ({
  base_symbol: 'WETH',
  base_address: weth.address.toLowerCase() as Token['address'],
  quote_symbol: 'USDC',
  quote_address: usdc.address,
  levels,
  side,
  minimum_in_base: 0,
  ...change,
})
const bids = row('bid', [
  [1, 2999.5],
  [0, 9_999],
  [2, 2998],
])
const asks = row('ask', [
  [1, 3000.000001],
  [5, 3001],
])

async function told(rows: readonly OrderPair[], pair: readonly [Token, Token] = [weth, usdc]) {
  const clock = manualClock(1_000)
  const book = createBook({
    label: 'https://books.example',
    own: false,
    fetch: async () => rows,
    clock,
  })
  const reference = { kind: 'order-book', pair, book, ageMsMax: 5_000 } as const
  return bookPrice(reference, { wrapped: weth, now: clock.now })
}
async function worth(rows: readonly OrderPair[], wei = ether) {
  const answer = await told(rows)
  if ('reason' in answer) return answer.reason
  return worthAt(answer.price, { token: weth, wei }).wei
}

describe('bookPrice', () => {
  test('is the exact middle of the best levels that offer something', async () => {
    // (2999.5 + 3000.000001) / 2 = 2999.7500005
    expect(await worth([asks, bids])).toBe(2_999_750_000n)
    expect(await worth([asks, bids], 10n * ether)).toBe(29_997_500_005n)
  })

  test('takes several rows of one side, and a book of the currency itself', async () => {
    const better = row('bid', [[1, 2999.9]], { base_address: nativeAddress })
    expect(await worth([asks, bids, better], 10n * ether)).toBe(29_999_500_005n)
  })

  test('reads a pair that is listed the other way round', async () => {
    const answer = await told([bids, asks], [usdc, weth])
    if ('reason' in answer) throw new Error(answer.reason)
    expect(worthAt(answer.price, { token: usdc, wei: 29_997_500_005n }).wei).toBe(10n * ether)
  })

  test('numbers of any size stay what was written', async () => {
    const tiny = [row('bid', [[1, 1e-7]]), row('ask', [[1, 3e-7]])]
    expect(await worth(tiny, 10n * ether)).toBe(2n)
    const huge = [row('bid', [[1, 1e21]]), row('ask', [[1, 1.5e300]])]
    expect(await worth(huge)).toBe((10n ** 21n + 15n * 10n ** 299n) * 500_000n)
  })

  test.for([
    ['one side only', [bids], 'the book has no asks'],
    ['the other side only', [asks, row('bid', [[0, 3000]])], 'the book has no bids'],
    ['levels that cost nothing', [asks, row('bid', [[1, 0]])], 'the book has no bids'],
    [
      'an ask of dust below the bids',
      [bids, asks, row('ask', [[1e-18, 1]])],
      'the best bid of the book is above its best ask',
    ],
    [
      '[API-39] a symbol at another address',
      [row('bid', [[1, 1]], { quote_address: weth.address })],
      'the book does not have the pair',
    ],
    ['nothing', [], 'the book does not have the pair'],
  ] as const)('[API-40] says nothing of a book with %s', async ([, rows, reason]) => {
    expect(await worth(rows)).toBe(reason)
  })
})

describe('createBook', () => {
  test('asks once for all within a second, and again after a failure', async () => {
    const clock = manualClock(1_000)
    let asked = 0
    let fails = false
    const book = createBook({
      own: false,
      label: 'https://books.example',
      clock,
      async fetch() {
        asked += 1
        if (fails)
          throw new BallastError('The quoting service is away.', {
            code: 'QUOTE_UNAVAILABLE',
            remedy: 'retry',
            fault: 'upstream',
          })
        return [asks, bids]
      },
    })
    await Promise.all([book.read(), book.read()])
    await clock.setTo(2_000)
    expect((await book.read()).askedAt).toBe(1_000)
    expect(asked).toBe(1)
    await clock.setTo(2_001)
    fails = true
    const reference = { kind: 'order-book', pair: [weth, usdc], book, ageMsMax: 5_000 } as const
    const seen = { wrapped: weth, now: clock.now }
    expect(await bookPrice(reference, seen)).toEqual({ reason: 'The quoting service is away.' })
    fails = false
    expect(await bookPrice(reference, seen)).toMatchObject({ at: 2_001 })
    expect(asked).toBe(3)
  })

  test('a clock that is set back: the book is fetched again, and what was known before has no age', async () => {
    let now = 7_200_000
    let fetched = 0
    const clock = { now: () => now, sleep: async () => {} }
    const fetch = async () => {
      fetched += 1
      if (fetched === 2) now -= 1
      return [asks, bids]
    }
    const book = createBook({ own: false, label: 'https://books.example', clock, fetch })
    const reference = { kind: 'order-book', pair: [weth, usdc], book, ageMsMax: 5_000 } as const
    const seen = { wrapped: weth, now: clock.now }
    expect(await bookPrice(reference, seen)).toMatchObject({ at: 7_200_000 })
    now = 1_000
    expect(await bookPrice(reference, seen)).toMatchObject({ reason: expect.any(String) })
    expect(fetched).toBe(2)
  })

  test('an answer that took too long describes another market', async () => {
    const clock = manualClock(1_000)
    const book = createBook({
      own: false,
      label: 'https://books.example',
      clock,
      async fetch() {
        await clock.setTo(6_001)
        return [asks, bids]
      },
    })
    const reference = { kind: 'order-book', pair: [weth, usdc], book, ageMsMax: 5_000 } as const
    expect(await bookPrice(reference, { wrapped: weth, now: clock.now })).toEqual({
      reason: 'its answer is 5001 ms old, at most 5000 ms are allowed',
    })
  })
})
