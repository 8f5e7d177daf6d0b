import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxOf, planTrades } from '#strategy'

type AssetPosition = Parameters<typeof planTrades>[0][number]

const at = (value: number, target: number, width: number, fresh?: number): AssetPosition => ({
  value: BigInt(value),
  target: BigInt(target),
  low: BigInt(target - width),
  high: BigInt(target + width),
  fresh: fresh === undefined ? undefined : BigInt(fresh),
})

/** Portfolios whose targets make up the whole, as values and targets in parts of it. */
const portfolios = fc
  .array(fc.record({ weight: fc.bigInt(0n, 1_000n), value: fc.bigInt(0n, 10n ** 12n) }), {
    minLength: 2,
    maxLength: 8,
  })
  .filter((all) => all.some(({ weight }) => weight > 0n))
  .chain((all) =>
    fc.record({
      all: fc.constant(all),
      width: fc.bigInt(0n, 300n),
      fresh: fc.bigInt(0n, 10n ** 12n),
    }),
  )
  .map(({ all, width, fresh }) => {
    const weights = all.reduce((sum, { weight }) => sum + weight, 0n)
    const whole = all.reduce((sum, { value }) => sum + value, 0n)
    return all.map(({ weight, value }): AssetPosition => {
      const [target, slack] = [weight * whole * 1_000n, width * weights * whole]
      const low = target > slack ? target - slack : 0n
      // One unit for all, in which every share of the whole is exact.
      return { value: value * weights * 1_000n, target, low, high: target + slack, fresh }
    })
  })

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)
const positive = (value: bigint) => maxOf(0n, value)

describe('planTrades', () => {
  test.each<[string, readonly AssetPosition[], readonly bigint[]]>([
    ['leaves alone what is within', [at(52, 50, 3), at(48, 50, 3)], [0n, 0n]],
    ['goes to the edge and no further', [at(60, 50, 3), at(40, 50, 3)], [-7n, 7n]],
    [
      'completes the buys with what is furthest below its target',
      [at(60, 40, 5), at(19, 30, 15), at(21, 30, 15)],
      [-15n, 11n, 4n],
    ],
    [
      'completes the sells with what is furthest above its target',
      [at(10, 30, 5), at(43, 35, 10), at(47, 35, 15)],
      [15n, -3n, -12n],
    ],
    [
      'sells what came in lately before anything else',
      [at(10, 30, 5), at(43, 35, 10, 15), at(47, 35, 15)],
      [15n, -15n, 0n],
    ],
    [
      'does not sell what came in lately below its own edge',
      [at(10, 30, 5), at(43, 35, 2, 43), at(47, 35, 15)],
      [15n, -10n, -5n],
    ],
  ])('%s', (_aspect, positions, deltas) => {
    expect(planTrades(positions)).toEqual(deltas)
  })

  test('sells max(forced sells, forced buys), takes as much as it gives, and ends within the edges', () => {
    fc.assert(
      fc.property(portfolios, (positions) => {
        const deltas = planTrades(positions)
        const sells = sum(positions.map(({ value, high }) => positive(value - high)))
        const buys = sum(positions.map(({ value, low }) => positive(low - value)))

        expect(sum(deltas)).toBe(0n)
        expect(sum(deltas.map(positive))).toBe(maxOf(sells, buys))
        for (const [index, { value, low, high }] of positions.entries()) {
          const after = value + (deltas[index] ?? 0n)
          expect(after).toBeGreaterThanOrEqual(low)
          expect(after).toBeLessThanOrEqual(high)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('from there it has nothing more to do', () => {
    fc.assert(
      fc.property(portfolios, (positions) => {
        const deltas = planTrades(positions)
        const after = positions.map((position, index) => ({
          ...position,
          value: position.value + (deltas[index] ?? 0n),
        }))
        expect(planTrades(after).every((delta) => delta === 0n)).toBe(true)
      }),
    )
  })
})
