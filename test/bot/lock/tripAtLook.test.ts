import { describe, expect, test } from 'vitest'
import { tripAtLook } from '../../../src/bot/lock/breakers.ts'
import type { LookFacts } from '../../../src/bot/stages.ts'
import type { Price } from '../../../src/core/price.ts'
import type { Token } from '../../../src/core/token.ts'
import { limits } from './limits.ts'

const at = Date.UTC(2026, 4, 4, 12)
const wallet = '0x00000000000000000000000000000000000000AA'
const token = (symbol: string, digit: string): Token => ({
  chainId: 1,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals: 6,
})
const weth = token('WETH', '1')
const usdc = token('USDC', '2')
const price = (bought: bigint, sold = 1_000_000n): Price => ({
  sold: { token: weth, wei: sold },
  bought: { token: usdc, wei: bought },
})
const facts = (changes: Partial<LookFacts> = {}): LookFacts => ({
  at,
  wallet,
  headAt: at - 1_000,
  serviceAheadMs: undefined,
  prices: [],
  before: undefined,
  missing: [],
  ...changes,
})
const trip = (changes: Partial<LookFacts>) =>
  tripAtLook(facts(changes), limits).map(({ code, scope, expiresAt, kind }) => {
    expect(kind).toBe('breaker')
    return { code, scope, lockMs: expiresAt === undefined ? undefined : expiresAt - at }
  })

describe('price jump', () => {
  const look = (now: Price | undefined, then: Price | undefined, ageMs = 600_000) =>
    trip({ prices: [now], before: { at: at - ageMs, prices: [then] } })
  const jump = [{ code: 'PRICE_JUMP', scope: 'pair WETH/USDC', lockMs: 300_000 }]
  const then = price(3_000_000n)

  test('more than 500 bps, up or down, locks the pair for five minutes', () => {
    expect(look(price(3_150_001n), then)).toEqual([])
    expect(look(price(3_150_300n), then)).toEqual(jump)
    expect(look(price(2_849_700n), then)).toEqual(jump)
  })
  test('one unit more or less of few is rounding; two are a jump', () => {
    expect(look(price(2n), price(1n))).toEqual([])
    expect(look(price(1n), price(2n))).toEqual([])
    expect(look(price(4n), price(2n))).toEqual(jump)
    expect(look(price(1n), price(3n))).toEqual(jump)
  })
  test('500 bps exactly, a look too long ago, another amount, no price: nothing', () => {
    expect(look(price(3_150_000n), then)).toEqual([])
    expect(look(price(2_850_000n), then)).toEqual([])
    expect(look(price(9_000_000n), then, 600_001)).toEqual([])
    expect(look(price(9_000_000n, 2_000_000n), then)).toEqual([])
    expect(look(undefined, then)).toEqual([])
    expect(look(price(9_000_000n), undefined)).toEqual([])
    expect(trip({ prices: [price(9_000_000n)] })).toEqual([])
  })
})

describe('clock skew', () => {
  const skew = [{ code: 'CLOCK_SKEW', scope: 'all', lockMs: 300_000 }]
  test.each<[string, Partial<LookFacts>, boolean]>([
    ['15 s ahead of the newest block', { headAt: at - 15_000 }, false],
    ['more than that', { headAt: at - 15_001 }, true],
    ['a block 2 s in the future', { headAt: at + 2_000 }, false],
    ['a block further in the future', { headAt: at + 2_001 }, true],
    ['10 s off the service', { serviceAheadMs: 10_000 }, false],
    ['further ahead than that', { serviceAheadMs: 10_001 }, true],
    ['further behind than that', { serviceAheadMs: -10_001 }, true],
  ])('%s: %j', (_, changes, trips) => {
    expect(trip(changes)).toEqual(trips ? skew : [])
  })
})

describe('ledger drift', () => {
  test('what is missing locks the wallet without expiry, and is named', () => {
    const missing = [{ token: usdc, wei: 1n }]
    expect(trip({ missing })).toEqual([
      { code: 'LEDGER_DRIFT', scope: `wallet ${wallet.toLowerCase()}`, lockMs: undefined },
    ])
    expect(tripAtLook(facts({ missing }), limits)[0]?.reason).toContain('0.000001 USDC missing')
  })

  test.each<[string, LookFacts['nonce'], RegExp]>([
    [
      'beyond the books',
      { ofChain: 7, ofBooks: 5 },
      /its nonce is 7 and the books end at 5: somebody used its key for 2 transactions/,
    ],
    [
      'of the books',
      { ofChain: 5, ofBooks: 5 },
      /its nonce is 5, as in the books: its key was not/,
    ],
    [
      'below the books',
      { ofChain: 4, ofBooks: 5 },
      /its nonce is 4, below the 5 of the books: a reorganisation/,
    ],
    ['unknown', undefined, /the nonce of the wallet is not known/],
  ])('a nonce %s', (_, nonce, says) => {
    const missing = [{ token: usdc, wei: 1n }]
    expect(tripAtLook(facts({ missing, nonce }), limits)[0]?.reason).toMatch(says)
  })
})
