import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Amount, held, maxOf, type Token } from '#strategy'
import rebalance from '../../strategies/rebalance.ts'
import { convert, createDesk, type World } from './rebalanceWorld.ts'

/** `npm run test:strategies` takes more. */
const times = Number(process.env.STRATEGY_TIMES ?? 0.5)

const token = (symbol: string, decimals: number, address: string): Token => ({
  chainId: 31337,
  address: address as Token['address'],
  symbol,
  decimals,
})
const usdc = token('USDC', 6, '0x01')
const others = [
  token('WETH', 18, '0x02'),
  token('WBTC', 8, '0x03'),
  token('GOLD', 6, '0x04'),
  token('LINK', 18, '0x05'),
]
type Params = Parameters<typeof rebalance.watch>[0]

const dayMs = 86_400_000
const usd = (dollars: bigint): Amount => ({ token: usdc, wei: dollars * 1_000_000n })
const minimum = 20n

/** Some assets with targets that make up the whole, a wallet, and a market that is deep enough to trade them in. */
const cases = fc.integer({ min: 1, max: others.length }).chain((count) =>
  fc
    .record({
      prices: fc.array(fc.bigInt(10_000n, 10n ** 11n), { minLength: count, maxLength: count }),
      cuts: fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: count, maxLength: count }),
      dollars: fc.array(fc.bigInt(0n, 1_000_000n), { minLength: count + 1, maxLength: count + 1 }),
      halfSpreadBps: fc.integer({ min: 0, max: 20 }),
      stepBps: fc.integer({ min: 0, max: 9 }),
      trigger: fc.integer({ min: 100, max: 1_500 }),
      destination: fc.option(fc.integer({ min: 0, max: 99 }), { nil: undefined }),
      paired: fc.boolean(),
      known: fc.boolean(),
    })
    .filter(({ dollars }) => dollars.reduce((sum, part) => sum + part, 0n) > 100_000n)
    .map((drawn) => {
      const tokens = others.slice(0, count)
      const cuts = [0, ...[...drawn.cuts].sort((a, b) => a - b), 10_000]
      const all = [...tokens, usdc]
      const world: World = {
        prices: {
          USDC: 1_000_000n,
          ...Object.fromEntries(tokens.map(({ symbol }, at) => [symbol, drawn.prices[at] ?? 1n])),
        },
        halfSpreadBps: drawn.halfSpreadBps,
        levels: [300_000n, 300_000n, 3_000_000n],
        stepBps: drawn.stepBps,
      }
      const params: Params = {
        weights: all.map((one, at) => ({ token: one, bps: (cuts[at + 1] ?? 0) - (cuts[at] ?? 0) })),
        trigger: drawn.trigger,
        destination: drawn.destination,
        tolerance: 60,
        minimum: usd(minimum),
        gamma: 1_000_000_000,
        turnover: 10_000,
        maxDeviation: drawn.known ? 100 : undefined,
        probes: all.map((one) => convert(world, usd(1_000n), one)),
        pairs: drawn.paired
          ? tokens.slice(1).map((one, at) => [tokens[at] ?? one, one] as const)
          : undefined,
      }
      const balances = all.map((one, at) => convert(world, usd(drawn.dollars[at] ?? 0n), one))
      return { params, world, balances }
    }),
)

/** By how much each asset is off its target, and the whole, in millionths of a dollar. */
const offBy = (
  { params, world }: { readonly params: Params; readonly world: World },
  balances: readonly Amount[],
) => {
  const values = params.weights.map(
    ({ token: one }) => convert(world, held(balances, one), usdc).wei,
  )
  const whole = values.reduce((sum, value) => sum + value, 0n)
  const off = values.map((value, at) => {
    const distance = value * 10_000n - BigInt(params.weights[at]?.bps ?? 0) * whole
    return maxOf(distance, -distance) / 10_000n
  })
  return { whole, off: maxOf(0n, ...off) }
}
const partOf = (whole: bigint, bps: number) => (whole * BigInt(bps)) / 10_000n
/** What prices lose when they are rounded to a token's own decimals. */
const grain = (whole: bigint) => whole / 100_000n + 2n
/** And what that of the dearest token loses: its probe is so many of its units. */
const grainOfDearest = ({ probes = [] }: Params, whole: bigint) =>
  maxOf(0n, ...probes.map(({ wei }) => whole / wei))

describe('rebalance', () => {
  test('never trades inside the band', () => {
    fc.assert(
      fc.property(cases, ({ params, world, balances }) => {
        const desk = createDesk({ strategy: rebalance, params, balances })
        const { whole, off } = offBy({ params, world }, balances)
        const band = partOf(whole, params.trigger ?? 0)
        const { kind } = rebalance.decide(desk.contextIn(world))
        if (off < band - grain(whole)) expect(kind).toBe('wait')
        if (off > band + grain(whole) + minimum * 4_000_000n) expect(kind).toBe('swap')
      }),
      { numRuns: 1_000 * times },
    )
  })

  test('ends inside its destination and stays there, in at most one swap less than assets at a time', () => {
    fc.assert(
      fc.property(cases, ({ params, world, balances }) => {
        const desk = createDesk({ strategy: rebalance, params, balances })
        const before = offBy({ params, world }, balances)
        const isBeyond =
          before.off > partOf(before.whole, params.trigger ?? 0) + grain(before.whole)
        let looks = 0
        for (; looks < 60; looks++) {
          const decision = desk.ask(world)
          if (decision.kind !== 'swap') break
          expect(decision.intents.length).toBeLessThanOrEqual(params.weights.length - 1)
          desk.wait(dayMs)
        }
        expect(looks).toBeLessThan(60)

        const after = offBy({ params, world }, desk.balances())
        const edge = params.destination ?? (params.trigger ?? 0) / 2
        const left = partOf(after.whole, Math.ceil(edge)) + 2n * minimum * 1_000_000n
        if (isBeyond) expect(after.off).toBeLessThanOrEqual(left + grain(after.whole))
        for (let more = 0; more < 5; more++) {
          desk.wait(dayMs)
          expect(desk.ask(world).kind).toBe('wait')
        }
      }),
      { numRuns: 500 * times },
    )
  })

  test('two parts of one token, rounded, are not a wei more than there is of it', () => {
    const [weth, wbtc, gold] = others as [Token, Token, Token]
    const share = (of: Token, bps: number) => ({ token: of, bps })
    const probe = (of: Token, wei: bigint) => ({ token: of, wei })
    const params: Params = {
      weights: [share(weth, 0), share(wbtc, 1), share(gold, 0), share(usdc, 9_999)],
      ...{ trigger: 100, destination: 0, tolerance: 60, minimum: usd(minimum) },
      ...{ gamma: 1_000_000_000, turnover: 10_000, maxDeviation: 100 },
      probes: [
        probe(weth, 10n ** 16n),
        probe(wbtc, 10n ** 13n),
        probe(gold, 10n ** 11n),
        probe(usdc, 10n ** 9n),
      ],
      pairs: [
        [weth, wbtc],
        [wbtc, gold],
      ],
    }
    const world: World = {
      prices: { USDC: 1_000_000n, WETH: 100_000_000_000n, WBTC: 10_000n, GOLD: 10_000n },
      ...{ halfSpreadBps: 1, levels: [300_000n, 300_000n, 3_000_000n], stepBps: 0 },
    }
    const balances = [
      probe(weth, 156_340_000_000_000_000n),
      probe(gold, 18_436_000_000_000n),
      probe(usdc, 6_000_000n),
    ]
    const desk = createDesk({ strategy: rebalance, params, balances })
    expect(desk.ask(world)).toMatchObject({ kind: 'swap', intents: [{}, {}, {}] })
    expect(held(desk.balances(), weth).wei).toBe(0n)
  })

  test('turns over what its edges force, through the hub at most twice that', () => {
    fc.assert(
      fc.property(cases, ({ params, world, balances }) => {
        const desk = createDesk({ strategy: rebalance, params, balances })
        for (let look = 0; look < 60 && desk.ask(world).kind === 'swap'; look++) desk.wait(dayMs)
        const { whole } = offBy({ params, world }, balances)
        const edge = BigInt(params.destination ?? Math.ceil((params.trigger ?? 0) / 2))
        const forced = params.weights.map(({ token: one, bps }) => {
          const value = convert(world, held(balances, one), usdc).wei * 10_000n
          const [low, high] = [(BigInt(bps) - edge) * whole, (BigInt(bps) + edge) * whole]
          return { sell: maxOf(0n, value - high), buy: maxOf(0n, low - value) }
        })
        const sum = (side: 'sell' | 'buy') =>
          forced.reduce((all, one) => all + one[side], 0n) / 10_000n
        const least = maxOf(sum('sell'), sum('buy'))
        const turned = desk
          .fills()
          .reduce((all, { price }) => all + convert(world, price.sold, usdc).wei, 0n)
        // Spread and impact, up to half a percent, are sold for as well; so is half a bps of an odd trigger.
        const slack = least / 100n + grain(whole) * 20n + whole / 10_000n
        expect(turned).toBeLessThanOrEqual(2n * least + 2n * slack)
      }),
      { numRuns: 300 * times },
    )
  })

  test('decides nothing while a price or a reference is missing', () => {
    fc.assert(
      fc.property(cases, fc.nat(), fc.boolean(), ({ params, world, balances }, nth, isPrice) => {
        const desk = createDesk({ strategy: rebalance, params, balances })
        const context = desk.contextIn(world)
        const place = nth % (2 * (params.weights.length - 1))
        const without = <item>(all: readonly item[]) =>
          all.map((item, at) => (at === place ? undefined : item))
        const decision = rebalance.decide({
          ...context,
          ...(isPrice || params.maxDeviation === undefined
            ? { indications: without(context.indications) }
            : { references: without(context.references) }),
        })
        expect(decision).toMatchObject({
          kind: 'postpone',
          reason: expect.stringMatching(/^No (price|reference) for .* in \w+\.$/),
        })
      }),
    )
  })

  test('never turns over more in 24 hours than it may, whatever the market does', () => {
    const walk = fc.array(fc.bigInt(-300n, 300n), { minLength: 100, maxLength: 200 })
    fc.assert(
      fc.property(cases, walk, fc.integer({ min: 50, max: 3_000 }), (drawn, moves, turnover) => {
        const params = { ...drawn.params, maxDeviation: undefined, turnover }
        const desk = createDesk({ strategy: rebalance, params, balances: drawn.balances })
        let world = drawn.world
        for (const [at, move] of moves.entries()) {
          const symbol = others[at % (params.weights.length - 1)]?.symbol ?? ''
          const price = ((world.prices[symbol] ?? 0n) * (10_000n + move)) / 10_000n
          world = { ...world, prices: { ...world.prices, [symbol]: maxOf(10_000n, price) } }
          const { whole } = offBy({ params, world }, desk.balances())
          desk.ask(world)
          const today = desk.fills().filter((fill) => desk.now() - fill.at < dayMs)
          const turned = today.reduce(
            (sum, { price: { sold } }) => sum + convert(world, sold, usdc).wei,
            0n,
          )
          const isNew = today[0]?.at === desk.now()
          const most = partOf(whole, turnover) + grain(whole) + grainOfDearest(params, whole)
          if (isNew) expect(turned).toBeLessThanOrEqual(most)
          desk.wait(dayMs / 24)
        }
      }),
      // A case is two hundred decisions: to make a failure small would take many minutes.
      { numRuns: 50 * times, endOnFailure: true },
    )
  })
})
