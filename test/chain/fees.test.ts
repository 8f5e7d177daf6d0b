import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { feesFor } from '../../src/chain/fees.ts'
import { replacementFee } from '../../src/chain/replacementFee.ts'

const fee = fc.bigInt(0n, 10n ** 13n)

describe('fees', () => {
  test('the base fee may double; the tip is inside', () => {
    expect(feesFor({ baseFeePerGas: 10n, priorityFee: 2n }, 1_000n)).toEqual({
      maxFeePerGas: 22n,
      maxPriorityFeePerGas: 2n,
    })
  })

  test('whatever is signed can be replaced under the ceiling, on both fields', () => {
    fc.assert(
      fc.property(fee, fee, fee, (baseFeePerGas, priorityFee, ceiling) => {
        const { maxFeePerGas, maxPriorityFeePerGas } = feesFor(
          { baseFeePerGas, priorityFee },
          ceiling,
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
