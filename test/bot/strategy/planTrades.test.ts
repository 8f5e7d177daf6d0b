import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxOf, minOf, planTrades } from '#strategy'

/** `npm run test:strategies` takes more. */
const times = Number(process.env.STRATEGY_TIMES ?? 0.5)

type AssetPosition = Parameters<typeof planTrades>[0][number]
type Ways = Parameters<typeof planTrades>[1]
type Transfers = ReturnType<typeof planTrades>

const always = () => true
const never = () => false
const through = (hub: number): Ways => ({ hub, direct: never, tolerance: 0n })
const openly = (hub: number): Ways => ({ hub, direct: always, tolerance: 0n })

const at = (value: number, target: number, width: number, fresh?: number): AssetPosition => ({
  value: BigInt(value),
  target: BigInt(target),
  low: BigInt(target - width),
  high: BigInt(target + width),
  fresh: fresh === undefined ? undefined : BigInt(fresh),
})

/** A plan that leaves nothing to choose: each asset has to gain exactly that. */
const gaining = (deltas: readonly bigint[]): readonly AssetPosition[] =>
  deltas.map((delta) => {
    const [value, target] = [100n, 100n + delta]
    return { value, target, low: target, high: target }
  })

/** What the transfers come to for each asset. */
const effect = (transfers: Transfers, assets: number): readonly bigint[] =>
  Array.from({ length: assets }, (_, index) =>
    transfers.reduce(
      (sum, { from, to, value }) =>
        sum + (to === index ? value : 0n) - (from === index ? value : 0n),
      0n,
    ),
  )

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)
const positive = (value: bigint) => maxOf(0n, value)
const volumeOf = (transfers: Transfers) => sum(transfers.map(({ value }) => value))
/** How high each asset can be when no swap leads up by more than one step: the duals of all flows there are. */
function heightsOf(
  { group, deltas }: { readonly group: readonly number[]; readonly deltas: readonly number[] },
  { hub, direct }: Ways,
  most: number,
) {
  // Nothing but the hub buys what it sells.
  const sells = (asset: number) => asset === hub || (deltas[asset] ?? 0) < 0
  const buys = (asset: number) => asset === hub || (deltas[asset] ?? 0) > 0
  const isOpen = (from: number, to: number) =>
    sells(from) && buys(to) && (from === hub || to === hub || direct(from, to))
  let found: readonly (readonly number[])[] = [[]]
  for (const [at, asset] of group.entries())
    found = found.flatMap((heights) =>
      Array.from({ length: most + 1 }, (_, height) => height)
        .filter((height) =>
          heights.every((other, place) => {
            const one = group[place] ?? 0
            return (
              at === place ||
              ((height <= other + 1 || !isOpen(one, asset)) &&
                (other <= height + 1 || !isOpen(asset, one)))
            )
          }),
        )
        .map((height) => [...heights, height]),
    )
  return found
}

/**
 * The least that has to be traded for gains within a group, by linear duality and no flow: the most that they climb over
 * any heights (no way is longer than two swaps with the hub and one without). Infinite where swaps do not lead there: then it climbs further the higher it may.
 */
function createLeastVolume(ways: Ways) {
  const known = new Map<string, readonly (readonly (readonly number[])[])[]>()
  return (deltas: readonly number[], group: readonly number[]): number => {
    const key = group.map((asset) => `${asset}:${Math.sign(deltas[asset] ?? 0)}`).join()
    const heights = known.get(key) ?? [
      heightsOf({ group, deltas }, ways, group.includes(ways.hub) ? 2 : 1),
      heightsOf({ group, deltas }, ways, 2),
    ]
    known.set(key, heights)
    const [least = 0, higher = 0] = heights.map((all) => {
      let most = 0
      for (const one of all) {
        let climbed = 0
        for (const [at, asset] of group.entries()) climbed += (one[at] ?? 0) * (deltas[asset] ?? 0)
        most = Math.max(most, climbed)
      }
      return most
    })
    return higher > least ? Number.POSITIVE_INFINITY : least
  }
}
type LeastVolume = ReturnType<typeof createLeastVolume>

/** Every way to share these into groups. */
function groupings(members: readonly number[]): readonly (readonly (readonly number[])[])[] {
  const [first, ...rest] = members
  if (first === undefined) return [[]]
  return groupings(rest).flatMap((groups) => [
    [[first], ...groups],
    ...groups.map((group, place) => [
      [first, ...group],
      ...groups.filter((_, other) => other !== place),
    ]),
  ])
}

const total = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)

/**
 * The fewest swaps that make these gains with that volume: one less than there are assets for each group that settles
 * within itself, whatever else it passes through.
 */
function fewestSwaps(
  deltas: readonly number[],
  { leastVolume, volume }: { readonly leastVolume: LeastVolume; readonly volume: number },
): number {
  const counts = groupings([...deltas.keys()])
    .filter((groups) => groups.every((group) => total(group.map((one) => deltas[one] ?? 0)) === 0))
    .filter((groups) => total(groups.map((group) => leastVolume(deltas, group))) === volume)
    .map((groups) => total(groups.map((group) => group.length - 1)))
  return Math.min(...counts)
}

/** Every plan in whole units that ends within the edges. */
function plansOf(positions: readonly AssetPosition[]): readonly (readonly number[])[] {
  const [first, ...rest] = positions
  if (first === undefined) return [[]]
  const gains = Array.from(
    { length: Number(first.high - first.low) + 1 },
    (_, step) => Number(first.low - first.value) + step,
  )
  return plansOf(rest).flatMap((plan) => gains.map((gain) => [gain, ...plan]))
}

const distanceOf = (positions: readonly AssetPosition[], deltas: readonly number[]) =>
  total(
    positions.map(({ value, target }, asset) =>
      Math.abs(Number(value - target) + (deltas[asset] ?? 0)),
    ),
  )

/** The best of all plans: least volume, then fewest swaps, then nearest to the targets. */
function bruteForce(positions: readonly AssetPosition[], ways: Ways) {
  const leastVolume = createLeastVolume(ways)
  const all = [...positions.keys()]
  const plans = plansOf(positions)
    .filter((plan) => total(plan) === 0)
    .map((plan) => ({ plan, volume: leastVolume(plan, all) }))
  const volume = Math.min(...plans.map((one) => one.volume))
  const least = plans
    .filter((one) => one.volume === volume)
    .map(({ plan }) => ({ plan, swaps: fewestSwaps(plan, { leastVolume, volume }) }))
  const swaps = Math.min(...least.map((one) => one.swaps))
  const near = least.filter((one) => one.swaps === swaps)
  return {
    volume,
    swaps,
    distance: Math.min(...near.map(({ plan }) => distanceOf(positions, plan))),
  }
}

/** Small portfolios in whole units, whose targets make up the whole. */
const small = (assets: number, unit: number) =>
  fc
    .record({
      targets: fc.array(fc.integer({ min: 0, max: unit }), {
        minLength: assets,
        maxLength: assets,
      }),
      moves: fc.array(fc.integer({ min: 0, max: unit }), { minLength: assets, maxLength: assets }),
      widths: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: assets, maxLength: assets }),
      hub: fc.nat({ max: assets - 1 }),
      pairs: fc.array(fc.boolean(), { minLength: assets ** 2, maxLength: assets ** 2 }),
      some: fc.boolean(),
    })
    .map(({ targets, moves, widths, hub, pairs, some }) => {
      // What each has too much of is moved around: the sum stays.
      const positions = targets.map((target, asset): AssetPosition => {
        const off = (moves[asset] ?? 0) - (moves[(asset + 1) % assets] ?? 0)
        return at(target + unit + off, target + unit, widths[asset] ?? 0)
      })
      const direct = (from: number, to: number) => some && pairs[from * assets + to] === true
      return { positions, ways: { hub, direct, tolerance: 0n } satisfies Ways }
    })

/** Portfolios whose targets make up the whole, as values and targets in parts of it. */
const portfolios = (maxLength: number) =>
  fc
    .record({
      all: fc
        .array(fc.record({ weight: fc.bigInt(0n, 1_000n), value: fc.bigInt(0n, 10n ** 12n) }), {
          minLength: 2,
          maxLength,
        })
        .filter((all) => all.some(({ weight }) => weight > 0n)),
      width: fc.bigInt(0n, 300n),
      fresh: fc.bigInt(0n, 10n ** 12n),
      place: fc.nat(),
      direct: fc.func(fc.boolean()),
    })
    .map(({ all, width, fresh, place, direct }) => {
      const weights = sum(all.map(({ weight }) => weight))
      const whole = sum(all.map(({ value }) => value))
      const positions = all.map(({ weight, value }): AssetPosition => {
        const [target, slack] = [weight * whole * 1_000n, width * weights * whole]
        const low = target > slack ? target - slack : 0n
        // One unit for all, in which every share of the whole is exact.
        return { value: value * weights * 1_000n, target, low, high: target + slack, fresh }
      })
      const ways: Ways = { hub: place % all.length, direct, tolerance: 0n }
      return { positions, ways }
    })

describe('planTrades', () => {
  test.each<[string, readonly AssetPosition[], Ways, readonly bigint[]]>([
    ['leaves alone what is within', [at(52, 50, 3), at(48, 50, 3)], openly(0), [0n, 0n]],
    ['goes to the edge and no further', [at(60, 50, 3), at(40, 50, 3)], openly(0), [-7n, 7n]],
    [
      'completes the buys with the hub, which takes one leg, not with what is further off and takes two',
      [at(60, 40, 5), at(19, 30, 15), at(21, 30, 15)],
      through(2),
      [-15n, 0n, 15n],
    ],
    [
      'completes the buys with one asset where one is enough, the one that ends nearer',
      [at(60, 40, 5), at(19, 30, 15), at(21, 30, 15)],
      openly(0),
      [-15n, 15n, 0n],
    ],
    [
      'sells what came in lately before anything else',
      [at(10, 30, 5), at(43, 35, 10, 15), at(47, 35, 15)],
      openly(0),
      [15n, -15n, 0n],
    ],
    [
      'does not sell what came in lately below its own edge',
      [at(10, 30, 5), at(43, 35, 2, 43), at(47, 35, 15)],
      openly(0),
      [15n, -10n, -5n],
    ],
  ])('%s', (_aspect, positions, ways, deltas) => {
    expect(effect(planTrades(positions, ways), positions.length)).toEqual(deltas)
  })

  test.each<[string, readonly bigint[], Ways, object[]]>([
    [
      'two groups take two swaps where greed would take three',
      [-5n, -4n, 4n, 5n, 0n],
      openly(4),
      [
        { from: 0, to: 3, value: 5n },
        { from: 1, to: 2, value: 4n },
      ],
    ],
    [
      'what trades with the hub alone goes through it',
      [-5n, 3n, 2n],
      through(2),
      [
        { from: 0, to: 2, value: 5n },
        { from: 2, to: 1, value: 3n },
      ],
    ],
    [
      'a direct market comes before the hub',
      [-5n, 3n, 2n],
      openly(2),
      [
        { from: 0, to: 1, value: 3n },
        { from: 0, to: 2, value: 2n },
      ],
    ],
    [
      'a direct market is left to the one that has no other',
      [-5n, -5n, 5n, 5n, 0n],
      { ...through(4), direct: (from, to) => from + to < 4 },
      [
        { from: 0, to: 3, value: 5n },
        { from: 1, to: 2, value: 5n },
      ],
    ],
    [
      'a difference below the tolerance is not worth a swap',
      [-10n, 9n, 1n],
      { ...openly(2), tolerance: 1n },
      [{ from: 0, to: 1, value: 9n }],
    ],
  ])('%s', (_aspect, deltas, ways, transfers) => {
    expect(planTrades(gaining(deltas), ways)).toEqual(expect.arrayContaining(transfers))
    expect(planTrades(gaining(deltas), ways)).toHaveLength(transfers.length)
  })

  test.each([
    [2, 6, 300],
    [3, 6, 1_500],
    [4, 4, 1_000],
    [5, 3, 500],
  ])(
    'of %i assets it trades no more than any plan there is, in as few swaps, and ends as near',
    (assets, unit, runs) => {
      fc.assert(
        fc.property(small(assets, unit), ({ positions, ways }) => {
          const transfers = planTrades(positions, ways)
          const found = {
            volume: Number(volumeOf(transfers)),
            swaps: transfers.length,
            distance: distanceOf(positions, effect(transfers, assets).map(Number)),
          }
          expect(found).toEqual(bruteForce(positions, ways))
        }),
        { numRuns: runs * times },
      )
    },
  )

  test('of any size, it ends within the edges, over markets there are, in one swap less than assets at most', () => {
    fc.assert(
      fc.property(portfolios(10), ({ positions, ways }) => {
        const transfers = planTrades(positions, ways)
        const deltas = effect(transfers, positions.length)
        for (const [index, { value, low, high }] of positions.entries()) {
          const after = value + (deltas[index] ?? 0n)
          expect(after).toBeGreaterThanOrEqual(low)
          expect(after).toBeLessThanOrEqual(high)
        }
        expect(transfers.length).toBeLessThanOrEqual(positions.length - 1)
        for (const { from, to, value } of transfers) {
          expect(value).toBeGreaterThan(0n)
          expect(from === ways.hub || transfers.every((other) => other.to !== from)).toBe(true)
          expect(from === ways.hub || to === ways.hub || ways.direct(from, to)).toBe(true)
        }
      }),
      { numRuns: 1_000 * times },
    )
  })

  test('through the hub, of any size: what is forced, and of the rest what the hub has no room for', () => {
    fc.assert(
      fc.property(portfolios(8), ({ positions, ways: { hub } }) => {
        const outside = (side: (position: AssetPosition) => bigint) =>
          positions.map((position) => positive(side(position)))
        const sells = outside(({ value, high }) => value - high)
        const buys = outside(({ value, low }) => low - value)
        const missing = sum(sells) - sum(buys)
        const { value, low, high } = positions[hub] ?? at(0, 0, 0)
        const room =
          missing > 0n
            ? high - maxOf(low, minOf(value, high))
            : minOf(high, maxOf(low, value)) - low
        const beyond = positive((missing > 0n ? missing : -missing) - room)
        const forced = sum([...sells, ...buys]) - (sells[hub] ?? 0n) - (buys[hub] ?? 0n)
        expect(volumeOf(planTrades(positions, through(hub)))).toBe(forced + beyond)
      }),
      { numRuns: 1_000 * times },
    )
  })

  test('from there it has nothing more to do', () => {
    fc.assert(
      fc.property(portfolios(8), ({ positions, ways }) => {
        const deltas = effect(planTrades(positions, ways), positions.length)
        const after = positions.map((position, index) => ({
          ...position,
          value: position.value + (deltas[index] ?? 0n),
        }))
        expect(planTrades(after, ways)).toEqual([])
      }),
    )
  })

  test('with a tolerance no asset is off by more, or moved the wrong way', () => {
    const plans = fc.array(fc.bigInt(-6n, 6n), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(plans, fc.bigInt(0n, 6n), fc.func(fc.boolean()), (some, tolerance, direct) => {
        const deltas = [...some, -sum(some)]
        const transfers = planTrades(gaining(deltas), { hub: 0, direct, tolerance })
        expect(transfers.length).toBeLessThanOrEqual(deltas.length - 1)
        for (const [index, moved] of effect(transfers, deltas.length).entries()) {
          const off = moved - (deltas[index] ?? 0n)
          expect(off <= tolerance && -off <= tolerance).toBe(true)
        }
      }),
    )
  })

  test('targets that do not make up the whole are met as far as they can be', () => {
    expect(planTrades([at(60, 50, 0), at(40, 45, 0)], openly(1))).toEqual([
      { from: 0, to: 1, value: 5n },
    ])
  })

  test('twelve assets of equal groups are done in six swaps', () => {
    const deltas = [1n, 2n, 3n, 4n, 5n, 6n].flatMap((size) => [size, -size])
    expect(planTrades(gaining(deltas), openly(0))).toHaveLength(6)
  })
})
