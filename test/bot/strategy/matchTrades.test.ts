import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchTrades } from '#strategy'

const always = () => true
const never = () => false

/** What the transfers come to for each asset. */
const effect = (transfers: ReturnType<typeof matchTrades>, assets: number): readonly bigint[] =>
  Array.from({ length: assets }, (_, index) =>
    transfers.reduce(
      (sum, { from, to, value }) =>
        sum + (to === index ? value : 0n) - (from === index ? value : 0n),
      0n,
    ),
  )

/** Every way to put the entries into groups that make up zero; the most groups of any. */
const mostGroups = (entries: readonly bigint[]): number => {
  let most = 0
  const place = (at: number, sums: readonly bigint[]): void => {
    const entry = entries[at]
    if (entry === undefined) {
      if (sums.every((sum) => sum === 0n)) most = Math.max(most, sums.length)
      return
    }
    for (const group of sums.keys())
      place(
        at + 1,
        sums.map((sum, index) => (index === group ? sum + entry : sum)),
      )
    place(at + 1, [...sums, entry])
  }
  place(0, [])
  return most
}

const balanced = (assets: number) =>
  fc
    .array(fc.bigInt(-6n, 6n), { minLength: assets - 1, maxLength: assets - 1 })
    .map((deltas) => [...deltas, -deltas.reduce((sum, delta) => sum + delta, 0n)])

const anyPlan = fc.integer({ min: 2, max: 6 }).chain(balanced)

describe('matchTrades', () => {
  test.each<[string, readonly bigint[], Parameters<typeof matchTrades>[1], object[]]>([
    [
      'two groups take two swaps where greed would take three',
      [-5n, -4n, 4n, 5n, 0n],
      { hub: 4, direct: always, tolerance: 0n },
      [
        { from: 0, to: 3, value: 5n },
        { from: 1, to: 2, value: 4n },
      ],
    ],
    [
      'what trades with the hub alone goes through it',
      [-5n, 3n, 2n],
      { hub: 2, direct: never, tolerance: 0n },
      [
        { from: 0, to: 2, value: 5n },
        { from: 2, to: 1, value: 3n },
      ],
    ],
    [
      'a direct market comes before the hub',
      [-5n, 3n, 2n],
      { hub: 2, direct: always, tolerance: 0n },
      [
        { from: 0, to: 1, value: 3n },
        { from: 0, to: 2, value: 2n },
      ],
    ],
    [
      'a difference below the tolerance is not worth a swap',
      [-10n, 9n, 1n],
      { hub: 2, direct: always, tolerance: 1n },
      [{ from: 0, to: 1, value: 9n }],
    ],
  ])('%s', (_aspect, deltas, ways, transfers) => {
    expect(matchTrades(deltas, ways)).toEqual(expect.arrayContaining(transfers))
    expect(matchTrades(deltas, ways)).toHaveLength(transfers.length)
  })

  test('where every pair trades, no way takes fewer swaps', () => {
    fc.assert(
      fc.property(anyPlan, fc.nat(), (deltas, place) => {
        const ways = { hub: place % deltas.length, direct: always, tolerance: 0n }
        const transfers = matchTrades(deltas, ways)
        const moving = deltas.filter((delta) => delta !== 0n)
        expect(transfers).toHaveLength(moving.length - mostGroups(moving))
        expect(effect(transfers, deltas.length)).toEqual(deltas)
      }),
      { numRuns: 1_000 },
    )
  })

  test('whatever trades, it does what was planned in at most one swap less than assets', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 14 }).chain(balanced),
        fc.nat(),
        fc.func(fc.boolean()),
        (deltas, place, direct) => {
          const ways = { hub: place % deltas.length, direct, tolerance: 0n }
          const transfers = matchTrades(deltas, ways)
          expect(transfers.length).toBeLessThanOrEqual(deltas.length - 1)
          expect(effect(transfers, deltas.length)).toEqual(deltas)
          for (const { from, to, value } of transfers) {
            expect(value).toBeGreaterThan(0n)
            expect(from === ways.hub || to === ways.hub || direct(from, to)).toBe(true)
          }
        },
      ),
    )
  })

  test('with a tolerance no asset is off by more, or moved the wrong way', () => {
    fc.assert(
      fc.property(
        anyPlan,
        fc.bigInt(0n, 6n),
        fc.func(fc.boolean()),
        (deltas, tolerance, direct) => {
          const transfers = matchTrades(deltas, { hub: 0, direct, tolerance })
          expect(transfers.length).toBeLessThanOrEqual(deltas.length - 1)
          for (const [index, moved] of effect(transfers, deltas.length).entries()) {
            const off = moved - (deltas[index] ?? 0n)
            expect(off <= tolerance && -off <= tolerance).toBe(true)
          }
        },
      ),
    )
  })

  test('twelve assets of equal groups are done in six swaps', () => {
    const deltas = [1n, 2n, 3n, 4n, 5n, 6n].flatMap((size) => [size, -size])
    expect(matchTrades(deltas, { hub: 0, direct: always, tolerance: 0n })).toHaveLength(6)
  })
})
