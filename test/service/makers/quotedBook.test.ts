import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Token } from '../../../src/core/token.ts'
import { fixedBook } from '../../../src/service/makers/fixedBook.ts'
import {
  fullCost,
  type Levels,
  levelsToOffer,
  priceScale,
} from '../../../src/service/makers/levels.ts'
import { quotedBook } from '../../../src/service/makers/quotedBook.ts'

const token = (symbol: string, decimals: number, digit: string): Token => ({
  chainId: 1,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals,
})
const base = token('WETH', 18, 'a')
const quote = token('USDC', 6, 'b')

describe('fullCost', () => {
  const side = fc.array(
    fc.record({
      amount: fc.bigInt({ min: 0n, max: 10n ** 21n }),
      price: fc.bigInt({ min: 0n, max: 10n ** BigInt(priceScale + 4) }),
    }),
    { maxLength: 5 },
  )
  const levels: fc.Arbitrary<Levels> = fc.record({ bid: side, ask: side })

  test('a maker with that much offers what one offers that has no end', () => {
    fc.assert(
      fc.property(levels, levels, (levels, timeless) => {
        const offered = (free: { base: bigint; quote: bigint }) =>
          levelsToOffer({ base, quote }, { levels, timeless, free })
        const cost = fullCost({ base, quote }, { levels, timeless })
        expect(offered(cost)).toEqual(offered({ base: 10n ** 60n, quote: 10n ** 60n }))
      }),
      { numRuns: 500 },
    )
  })
})

describe('quotedBook', () => {
  const book = fixedBook({
    base,
    quote,
    bid: [['2', '3000']],
    ask: [['2', '3010']],
    minimumInBase: '0.01',
  })
  const free = { [base.address]: 10n ** 20n, [quote.address]: 10n ** 12n }
  const at = quotedBook(book, {
    block: { hash: '0x', parentHash: '0x', number: 1, timestamp: 1, baseFeePerGas: 1n } as never,
    held: () => 0n,
    inventory: { freeFor: (address) => free[address] ?? 0n },
    name: 'maker',
    desk: { address: base.address } as never,
  })

  test('is not cut again where a promise takes nothing of its levels', () => {
    const before = at(60, ['key a'])
    free[quote.address] = 6_000_000_001n
    expect(at(60, ['key a'])).toBe(before)
    expect(before.offers[0]?.curve()).toBe(before.offers[0]?.curve())
  })

  test('is cut where a promise takes something of them', () => {
    free[quote.address] = 3_000_000_000n
    const [bid] = at(60, ['key a']).offers
    expect(bid?.fill(10n ** 18n)).toEqual({ kind: 'filled', buyWei: 3_000_000_000n })
    expect(bid?.fill(10n ** 18n + 1n)).toEqual({ kind: 'exceeds-depth' })
  })
})
