import { describe, expect, test } from 'vitest'
import { isRough, keptPrice, scopeOfPrice, tripOnDrift } from '../../../src/bot/lock/priceDrift.ts'
import type { Price } from '../../../src/core/price.ts'
import { nativeAddress, type Token } from '../../../src/core/token.ts'
import { limits } from './limits.ts'

const at = Date.UTC(2026, 4, 4, 12)
const token = (symbol: string, address: Token['address']): Token => ({
  ...{ chainId: 1, symbol, decimals: 6 },
  address,
})
const usdc = token('USDC', `0x${'a'.repeat(40)}`)
const weth = token('WETH', `0x${'B'.repeat(40)}`)
const eth = token('ETH', nativeAddress)
const coin = { native: eth, wrapped: weth }
/** So many USDC for 1,000 of the other, in amounts whose rounding does not count. */
const price = (bought: bigint, other = weth): Price => ({
  sold: { token: other, wei: 1_000_000_000n },
  bought: { token: usdc, wei: bought * 1_000_000n },
})
const kept = (bought: bigint) => keptPrice(price(bought), coin) as Price
const trips = (now: bigint, ...before: bigint[]) =>
  tripOnDrift({ at, price: kept(now), before: before.map(kept) }, limits) !== undefined

describe('a price against our own of the last day', () => {
  test('locks the pair, and names both prices', () => {
    const lock = tripOnDrift({ at, price: kept(50n), before: [kept(3_000n)] }, limits)
    expect(lock).toEqual({
      kind: 'breaker',
      scope: 'pair USDC/WETH',
      code: 'PRICE_DRIFT',
      reason:
        '0.05 USDC per WETH is more than 3000 bps (breakers.priceDrift) from 3 USDC per WETH, the middle of 1 of our own prices of the last 24 hours',
      expiresAt: at + 3_600_000,
    })
  })
  test('no earlier price: no opinion', () => {
    expect(trips(1n)).toBe(false)
  })
  test('30 % lower passes, and what is lower by 30 % than the price; what is further does not', () => {
    const judged = [2_100n, 2_099n, 3_000n, 4_285n, 4_286n].map((now) => trips(now, 3_000n))
    expect(judged).toEqual([false, true, false, false, true])
  })
  test('what rounding to whole units explains is near; what it does not is far', () => {
    const of = (sold: bigint, bought: bigint): Price => ({
      sold: { token: weth, wei: sold },
      bought: { token: usdc, wei: bought },
    })
    const middle = of(10n ** 9n, 3n * 10n ** 9n)
    const tripsAt = (seen: Price) =>
      tripOnDrift(
        {
          ...{ at, price: keptPrice(seen, coin) as Price },
          before: [keptPrice(middle, coin) as Price],
        },
        limits,
      ) !== undefined
    const near = [of(1n, 2n), of(33n, 98n), of(660_000n, 1_980_000n)]
    const far = [of(660_000n, 1n), of(10n ** 9n, 1n), of(2n, 3n)]
    expect(near.map(tripsAt)).toEqual([false, false, false])
    expect(far.map(tripsAt)).toEqual([true, true, true])
    expect([of(99n, 100n), of(100n, 99n), of(100n, 100n)].map(isRough)).toEqual([true, true, false])
  })
  test('the same bound in both directions of a pair', () => {
    const turned = (bought: bigint) =>
      ({ sold: price(bought).bought, bought: price(bought).sold }) satisfies Price
    for (const bought of [2_099n, 2_100n, 4_285n, 4_286n])
      expect(keptPrice(turned(bought), coin)).toEqual(kept(bought))
  })
  test('a lie that was kept carries nothing until it is more than half of the day', () => {
    const honest = 3_000n
    expect(trips(50n, honest, 50n)).toBe(true)
    expect(trips(50n, honest, honest, 50n)).toBe(true)
    expect(trips(50n, honest, 50n, 50n)).toBe(false)
    expect(trips(honest, honest, honest, 50n)).toBe(false)
    // Half and half is not known: nothing is begun on either.
    expect(trips(honest, honest, 50n)).toBe(true)
  })
  test('a volatile day passes: 25 % down or up, by steps or at once', () => {
    const day = [3_000n, 2_900n, 2_800n, 2_650n, 2_500n, 2_400n]
    expect(trips(2_250n, ...day)).toBe(false)
    expect(trips(2_250n, 3_000n)).toBe(false)
    expect(trips(3_750n, 3_000n)).toBe(false)
  })
})

describe('a price as it is kept', () => {
  test('the coin counts as the token that wraps it', () => {
    expect(keptPrice(price(3_000n, eth), coin)).toEqual(kept(3_000n))
    expect(scopeOfPrice(kept(3_000n))).toBe('pair USDC/WETH')
  })
  test('one that states nothing is not kept', () => {
    expect(keptPrice(price(0n), coin)).toBeUndefined()
    const none = { ...price(3_000n), sold: { token: weth, wei: 0n } }
    expect(keptPrice(none, coin)).toBeUndefined()
    const same = { sold: { token: eth, wei: 1n }, bought: { token: weth, wei: 1n } }
    expect(keptPrice(same, coin)).toBeUndefined()
  })
})
