import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { feesFor, outbid, replacementFee } from '../../src/chain/fees.ts'

const fee = fc.bigInt(0n, 10n ** 13n)

describe('fees', () => {
  test('the base fee may rise by an eighth in every block that fits; the tip comes on top', () => {
    const market = { baseFeePerGas: 1_000n, priorityFee: 2n }
    const at = (blocks: number) => feesFor(market, { ceiling: 10n ** 9n, blocks })
    expect(at(0)).toEqual({ maxFeePerGas: 1_002n, maxPriorityFeePerGas: 2n })
    expect(at(1).maxFeePerGas).toBe(1_127n)
    expect(at(2).maxFeePerGas).toBe(1_268n)
    expect(at(6).maxFeePerGas).toBe(feesFor(market, { ceiling: 10n ** 9n }).maxFeePerGas)
    expect(feesFor(market, { ceiling: 1_800n, blocks: 12 })).toEqual({
      maxFeePerGas: 1_600n,
      maxPriorityFeePerGas: 2n,
    })
  })

  test('a chain of fast blocks: no more room than twelve full ones take, a good fourfold', () => {
    const gwei = 10n ** 9n
    const cheap = { baseFeePerGas: gwei / 50n, priorityFee: 0n }
    const at = (blocks: number) => feesFor(cheap, { ceiling: 200n * gwei, blocks }).maxFeePerGas
    expect(at(121)).toBe(at(12))
    expect(at(12)).toBeLessThan(5n * cheap.baseFeePerGas)
    expect(at(12)).toBeGreaterThan(4n * cheap.baseFeePerGas)
  })

  test('outbid: both fields rise by an eighth at least, to what blocks ask for, and not above the bound', () => {
    const old = { maxFeePerGas: 80n, maxPriorityFeePerGas: 8n }
    const dearer = { maxFeePerGas: 500n, maxPriorityFeePerGas: 1n }
    expect(outbid(old, { fresh: old, most: 90n })).toEqual({
      maxFeePerGas: 90n,
      maxPriorityFeePerGas: 9n,
    })
    expect(outbid(old, { fresh: old, most: 89n })).toBeUndefined()
    expect(outbid(old, { fresh: dearer, most: 500n })).toEqual({
      maxFeePerGas: 500n,
      maxPriorityFeePerGas: 9n,
    })
    // Room for dearer blocks is cut first: a bid at the bound may be mined, and none at all is not.
    expect(outbid(old, { fresh: dearer, most: 120n })).toEqual({
      maxFeePerGas: 120n,
      maxPriorityFeePerGas: 9n,
    })
    const hasty = { maxFeePerGas: 500n, maxPriorityFeePerGas: 400n }
    expect(outbid(old, { fresh: hasty, most: 120n })).toEqual({
      maxFeePerGas: 120n,
      maxPriorityFeePerGas: 120n,
    })
  })

  test('whatever is signed can be replaced under the ceiling, on both fields', () => {
    fc.assert(
      fc.property(fee, fee, fee, fc.nat(100), (baseFeePerGas, priorityFee, ceiling, blocks) => {
        const { maxFeePerGas, maxPriorityFeePerGas } = feesFor(
          { baseFeePerGas, priorityFee },
          { ceiling, blocks },
        )
        expect(maxPriorityFeePerGas <= maxFeePerGas).toBe(true)
        if (ceiling > 1n) expect(replacementFee(maxFeePerGas) <= ceiling).toBe(true)
      }),
    )
  })

  test('a replacement is a tenth dearer at least, and more than nothing for nothing', () => {
    expect(replacementFee(0n)).toBe(1n)
    fc.assert(
      fc.property(fee, (old) => {
        expect(replacementFee(old) * 10n >= old * 11n && replacementFee(old) > old).toBe(true)
      }),
    )
  })
})
