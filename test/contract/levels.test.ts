import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { type OrderPair, orderbook } from '../../src/api/orderbook.ts'
import type { SandboxWorld } from '../../src/sandbox/world.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { exactly } from './rational.ts'
import { boundaries, sellBase, sellQuote } from './walkBook.ts'

let fork: Fork | undefined
afterEach(async () => {
  await fork?.close()
  fork = undefined
})

type LevelText = [amount: string, price: string]

/** WETH against DAI, which no pool trades and no route passes by: whatever is quoted comes from this book alone. */
async function serving(bid: LevelText[], ask: LevelText[], minimumInBase = '0'): Promise<Fork> {
  const books = [{ pair: ['WETH', 'DAI'] as [string, string], bid, ask, minimumInBase }]
  const world = (fixed: SandboxWorld): SandboxWorld => ({
    ...fixed,
    service: { ...fixed.service, hubs: [] },
    makers: fixed.makers.map((maker) => ({ ...maker, books })),
  })
  fork = await forkOrigin({ mining: 'auto', world })
  return fork
}

const decimals = { base: 18, quote: 18 }

async function rowOf({ ready }: Fork, side: 'bid' | 'ask'): Promise<OrderPair> {
  const { body } = await ask(ready.serviceUrl, 'orderbook', { chain: 'local' })
  const row = orderbook.response.parse(body).find((each) => each.side === side)
  if (row === undefined) throw new Error(`no ${side}`)
  return row
}

async function quoted({ ready }: Fork, side: 'bid' | 'ask', wei: bigint): Promise<bigint | string> {
  const [base, quote] = [ready.tokens.WETH?.address, ready.tokens.DAI?.address]
  const [token_in, token_out] = side === 'bid' ? [base, quote] : [quote, base]
  const { body } = await ask(ready.serviceUrl, 'indicative-quote', {
    chain: 'local',
    token_in,
    token_out,
    amount_wei: wei.toString(),
    from_address: ready.wallets.treasury?.address,
  })
  return body.success ? BigInt(body.buyerTokenAmountWei) : `refused ${body.code}`
}

const walk = { bid: sellBase, ask: sellQuote }

/** Books by what is special about them. DAI for 100,000 and WETH for 500 are there to pay. */
const books: readonly (readonly [string, bid: LevelText[], ask: LevelText[]])[] = [
  [
    'whole numbers',
    [
      ['10', '3000'],
      ['15', '2990'],
      ['5', '2980'],
    ],
    [
      ['10', '3010'],
      ['15', '3020'],
      ['5', '3030'],
    ],
  ],
  [
    'decimals that no double can hold',
    [
      ['0.1', '3000.1'],
      ['0.2', '2999.7'],
      ['0.3', '2999.69999999999'],
    ],
    [
      ['0.1', '3000.3'],
      ['0.7', '3001.1'],
      ['1.1', '3001.10000000001'],
    ],
  ],
  [
    'numbers that JSON writes with exponents',
    [
      ['0.0000001', '0.000000123456789'],
      ['0.000000000000000007', '0.0000001'],
    ],
    [
      ['0.0000001', '0.000000123456789'],
      ['0.00000023', '0.0000002'],
    ],
  ],
  [
    'fifteen digits',
    [
      ['1.23456789012345', '2999.12345678901'],
      ['7.77777777777777', '2998.98765432109'],
    ],
    [
      ['1.23456789012345', '3001.12345678901'],
      ['7.77777777777777', '3002.98765432109'],
    ],
  ],
  [
    'an order that is not the best, as in the published sample',
    [
      ['10', '1621.71'],
      ['15', '1621.72'],
      ['5', '1621.54'],
    ],
    [
      ['10', '1621.72'],
      ['15', '1621.71'],
      ['5', '1621.9'],
    ],
  ],
  ['one level', [['5', '2999.5']], [['5', '3000.5']]],
]

describe.each(books)('a book of %s', (_name, bids, asks) => {
  test.for(['bid', 'ask'] as const)(
    '%s: one wei around every boundary, the exact whole depth, and one wei more',
    async (side) => {
      const market = await serving(bids, asks)
      const row = await rowOf(market, side)
      const ends = boundaries(row, decimals)
      const depth = ends.at(-1) ?? 0n
      const amounts = new Set(ends.flatMap((end) => [end - 1n, end, end + 1n]))
      for (const wei of [...amounts, depth / 2n, depth / 3n, depth * 2n]) {
        if (wei <= 0n) continue
        const expected = walk[side](row, decimals, wei)
        const answer = await quoted(market, side, wei)
        if (expected === 0n) expect(answer).toBe('refused 101011')
        else expect([wei, answer]).toEqual([wei, expected ?? 'refused 101010'])
      }
      expect(walk[side](row, decimals, depth + 1n)).toBeUndefined()
    },
  )

  test('any amount within the depth', async () => {
    const market = await serving(bids, asks)
    for (const side of ['bid', 'ask'] as const) {
      const row = await rowOf(market, side)
      const depth = boundaries(row, decimals).at(-1) ?? 0n
      await fc.assert(
        fc.asyncProperty(fc.bigInt({ min: 1n, max: depth }), async (wei) => {
          const expected = walk[side](row, decimals, wei)
          const answer = await quoted(market, side, wei)
          if (expected === 0n) expect(answer).toBe('refused 101011')
          else expect(answer).toBe(expected)
        }),
        { numRuns: 40 },
      )
    }
  })
})

describe('examples that were published', () => {
  test('30 into three levels costs a1 p1 + a2 p2 + (30 - a1 - a2) p3', async () => {
    const market = await serving(
      [
        ['10', '1621.71'],
        ['15', '1621.72'],
        ['20', '1621.54'],
      ],
      [],
    )
    expect(await quoted(market, 'bid', 30n * 10n ** 18n)).toBe(48_650_600_000_000_000_000_000n)
  })

  test('a minimum in base limits what is sold into bids, and what asks pay out', async () => {
    const market = await serving([['5', '3000']], [['5', '3000']], '0.5')
    const half = 5n * 10n ** 17n
    expect((await rowOf(market, 'bid')).minimum_in_base).toBe(0.5)
    expect(await quoted(market, 'bid', half)).toBe(half * 3000n)
    expect(await quoted(market, 'bid', half - 1n)).toBe('refused 101011')
    expect(await quoted(market, 'ask', half * 3000n)).toBe(half)
    expect(await quoted(market, 'ask', half * 3000n - 1n)).toBe('refused 101011')
  })
})

test('the reference reads a JSON number as its shortest decimal text', () => {
  expect(exactly(0.1)).toEqual({ numerator: 1n, denominator: 10n })
  expect(exactly(1e-7)).toEqual({ numerator: 1n, denominator: 10_000_000n })
  expect(exactly(1.5e21)).toEqual({ numerator: 15n * 10n ** 20n, denominator: 1n })
  expect(exactly(3000)).toEqual({ numerator: 3000n, denominator: 1n })
})
