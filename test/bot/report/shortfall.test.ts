import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inBps } from '../../../src/bot/report/benchmarks.ts'
import { shortfall, timingOf } from '../../../src/bot/report/shortfall.ts'
import { coin, dossierOf, native, usd, usdc, wbtc, weth } from './dossierOf.ts'

describe('shortfall', () => {
  test('is delay, spread, slippage and gas, each in the bought token', () => {
    const swap = dossierOf({
      decided: 3_001_000_000n,
      asked: 3_000_500_000n,
      firm: 2_999_000_000n,
      received: 2_998_500_000n,
      // 0.0001 of the coin, which is what is sold: a ten thousandth of what one brings.
      gasPaid: 10n ** 14n,
    })
    expect(shortfall(swap, coin)).toEqual({
      benchmark: {
        kind: 'independent sources',
        worth: { token: usdc, wei: 3_001_000_000n },
        sources: ['a feed'],
        ageMs: 500,
      },
      delay: 500_000n,
      spread: 1_500_000n,
      slippage: 500_000n,
      gas: 300_050n,
      total: 2_800_050n,
    })
  })

  test('its parts add up to the unit, whatever was paid', () => {
    const wei = fc.bigInt({ min: 1n, max: 10n ** 30n })
    fc.assert(
      fc.property(wei, wei, wei, wei, wei, wei, (sold, decided, asked, firm, received, gasPaid) => {
        const sell = { token: weth, wei: sold }
        const found = shortfall(dossierOf({ sell, decided, asked, firm, received, gasPaid }), coin)
        if (found === undefined) throw new Error('there is a benchmark')
        const { delay, spread, slippage, gas, total, benchmark } = found
        expect((delay ?? 0n) + spread + slippage + (gas ?? 0n)).toBe(total)
        // And to what a person would say without any parts: what it was worth, less what came, and the gas.
        expect(total).toBe(benchmark.worth.wei - received + (gas ?? 0n))
      }),
      { numRuns: 500 },
    )
  })

  test('without sources it is held to the indication, and says so', () => {
    expect(shortfall(dossierOf({ indicated: 3_002_000_000n }), coin)).toMatchObject({
      benchmark: { kind: 'indication', ageMs: undefined, worth: { wei: 3_002_000_000n } },
      delay: undefined,
      spread: 2_000_000n,
      slippage: 0n,
    })
  })

  test('without anything valid there is none: never a zero', () => {
    expect(shortfall(dossierOf({}), coin)).toBeUndefined()
    expect(shortfall(dossierOf({ decided: 0n }), coin)).toBeUndefined()
    expect(shortfall(dossierOf({ decided: 1n, over: { moved: undefined } }), coin)).toBeUndefined()
  })

  test.each([
    [
      'the coin is bought',
      {
        sell: { token: usdc, wei: 3_000_000_000n },
        buy: weth,
        decided: 10n ** 18n,
        firm: 10n ** 18n,
      },
      10n ** 14n,
    ],
    [
      'the native coin is sold',
      {
        sell: { token: native, wei: 2n * 10n ** 18n },
        decided: 6_000_000_000n,
        firm: 6_000_000_000n,
      },
      300_000n,
    ],
    [
      'neither: over the unit of account',
      {
        sell: { token: wbtc, wei: 10n ** 8n },
        decided: 60_000_000_000n,
        firm: 60_000_000_000n,
        asked: 60_000_000_000n,
        notional: { token: usd, wei: 60_000n * 10n ** 8n },
        coin: { token: usd, wei: 3_000n * 10n ** 8n },
      },
      300_000n,
    ],
    [
      'neither, and the coin has no price',
      { sell: { token: wbtc, wei: 10n ** 8n }, decided: 60_000_000_000n, firm: 1n },
      undefined,
    ],
  ] as const)('gas where %s', (_, said, gas) => {
    expect(shortfall(dossierOf(said), coin)?.gas).toBe(gas)
  })
})

test('inBps: what is shown adds up to the whole as it is shown', () => {
  const part = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n })
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.bigInt({ min: 10n ** 18n, max: 10n ** 24n }),
      (parts, base) => {
        const shown = inBps(parts, base).reduce(
          (sum, one) => sum + BigInt(Math.round(one * 100)),
          0n,
        )
        const [whole = 0] = inBps([parts.reduce((sum, one) => sum + one, 0n)], base)
        expect(shown).toBe(BigInt(Math.round(whole * 100)))
      },
    ),
    { numRuns: 300 },
  )
  expect(inBps([1n, 1n, 1n], 30_000n)).toEqual([0.33, 0.34, 0.33])
})

test('timingOf: as this machine saw it, and undefined where it did not get that far', () => {
  expect(timingOf(dossierOf({}))).toEqual({
    quoteAgeMs: 10,
    inclusionMs: 1_000,
    inclusionBlocks: 2,
    leftSeconds: 28,
  })
  const unsigned = { signedAt: undefined, block: undefined, attempts: [], events: [] }
  expect(timingOf(dossierOf({ over: unsigned }))).toEqual({
    quoteAgeMs: undefined,
    inclusionMs: undefined,
    inclusionBlocks: undefined,
    leftSeconds: undefined,
  })
})
