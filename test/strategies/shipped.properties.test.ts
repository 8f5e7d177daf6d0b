import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Amount, type Context, type Memory, type Price, sameToken } from '#strategy'
import { contextWith } from '#strategy/testing'
import { type LoadedStrategy, loadStrategies } from '../../src/bot/strategy/load.ts'
import { strategiesFolder, strategyNames } from '../../src/bot/strategy/shippedStrategies.ts'
import { parseYaml } from '../../src/config/file/parseYaml.ts'
import { nativeAddress, type Token } from '../../src/core/token.ts'

/** `npm run test:strategies` takes more. */
const times = Number(process.env.STRATEGY_TIMES ?? 0.5)

const decimals = { ETH: 18, WETH: 18, WBTC: 8, USDC: 6, DAI: 18 }
/** What one of each is worth, in dollars. */
const worth: Readonly<Record<string, bigint>> = {
  ...{ ETH: 3_000n, WETH: 3_000n, WBTC: 90_000n, USDC: 1n, DAI: 1n },
}
const tokens = Object.entries(decimals).map(([symbol, digits], index): Token => {
  const address = symbol === 'ETH' ? nativeAddress : (`0x${'0'.repeat(39)}${index}` as const)
  return { chainId: 1, address, symbol, decimals: digits }
})

/** Every entry that the page of a strategy shows, loaded as the bot does it: in a world of its own. */
const page = strategyNames(strategiesFolder())
  .map((name) => readFileSync(`docs/${name.toUpperCase()}.md`, 'utf8'))
  .join('\n')
type Entry = { readonly name: string; readonly use: string; readonly params: unknown }
const entries = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].flatMap(
  ([, yaml = '']) =>
    (parseYaml(yaml).value as { readonly strategies: readonly Entry[] }).strategies,
)
const loaded = await loadStrategies({
  file: '/treasury/ballast.yaml',
  locate: (path) => path.join('.'),
  tokens: { bySymbol: new Map(tokens.map((token) => [token.symbol, token])) },
  strategies: entries.map((entry, index) => ({
    ...{ ...entry, priority: 0 },
    path: ['strategies', index, 'params'],
  })),
})

const many = <value>(one: fc.Arbitrary<value>) => fc.array(one, { minLength: 12, maxLength: 12 })
const rare = <value>(one: fc.Arbitrary<value>) => fc.option(one, { nil: undefined, freq: 40 })
const look = fc.record({
  /** What each watch indicates beside the level, and what the references say beside that, in thousandths. */
  indicated: many(rare(fc.bigInt({ min: 997n, max: 1_003n }))),
  apart: many(rare(fc.bigInt({ min: 990n, max: 1_010n }))),
  /** What the wallet and each account hold, in dollars. */
  held: many(fc.bigInt({ min: 0n, max: 400_000n })),
  isOpen: fc.integer({ min: 0, max: 4 }).map((drawn) => drawn === 0),
  limit: rare(fc.bigInt({ min: 1n, max: 20_000n })),
})
type Look = typeof look extends fc.Arbitrary<infer drawn> ? drawn : never

const inDollars = (token: Token, dollars: bigint): Amount => ({
  token,
  wei: (dollars * 10n ** BigInt(token.decimals)) / (worth[token.symbol] ?? 1n),
})
const brought = ({ token, wei }: Amount, into: Token, thousandths: bigint): Price => {
  const dollars = wei * (worth[token.symbol] ?? 1n) * 10n ** BigInt(into.decimals) * thousandths
  const per = (worth[into.symbol] ?? 1n) * 10n ** BigInt(token.decimals) * 1_000n
  return { sold: { token, wei }, bought: { token: into, wei: dollars / per } }
}

function contextOf(
  { params, watches, accounts }: LoadedStrategy,
  { indicated, apart, held, isOpen, limit, level }: Look & { readonly level: bigint },
  now: Pick<Context<unknown>, 'slot' | 'memory'>,
): Context<unknown> {
  const prices = watches.map(({ sell, buy }, place) => {
    // A dollar that buys brings more of what has fallen.
    const moved = sell.token.symbol === 'USDC' ? 1_000_000n / level : level
    const [part, beside] = [indicated[place % 12], apart[place % 12]]
    const price = part === undefined ? undefined : brought(sell, buy, (moved * part) / 1_000n)
    const indication = price && { ...price, route: [] }
    const reference =
      part === undefined || beside === undefined
        ? undefined
        : brought(sell, buy, (moved * beside) / 1_000n)
    return { indication, reference }
  })
  const [sell] = watches
  const open = sell && { swapId: 'open', sell: sell.sell, buy: sell.buy, since: now.slot }
  return contextWith(params, {
    ...now,
    indications: prices.map(({ indication }) => indication),
    references: prices.map(({ reference }) => reference),
    depths: prices.map(({ indication }) => (indication === undefined ? [] : [indication])),
    balances: tokens.map((token, index) => inDollars(token, held[index] ?? 0n)),
    inflight: isOpen && open ? [open] : [],
    swapLimits: limit === undefined ? undefined : tokens.map((token) => inDollars(token, limit)),
    swapCost: inDollars(tokens[0] as Token, 1n),
    accounts: accounts?.map(({ account, token }, index) => ({
      ...{ account, held: inDollars(token, (held[index] ?? 0n) / 1_000n) },
    })),
  })
}

/** What a price is of its worth, in thousandths: it moves once, after as many looks as make an average. */
const levels = fc.array(fc.bigInt({ min: 880n, max: 1_100n }), { minLength: 2, maxLength: 2 })

const secondsOf = ({ schedule }: LoadedStrategy) =>
  schedule.kind === 'every' ? schedule.seconds : 600

/** The swaps of each, so that it is known which of them were tried. */
const swapsOf = new Map<string, number>()

test('every strategy that ships has a page that shows it', () => {
  expect([...new Set(entries.map(({ use }) => use))].sort()).toEqual(
    strategyNames(strategiesFolder()),
  )
})

test.each(loaded)(
  '$name: whatever it is shown, one answer, with its own money, and nothing while a swap is open',
  (entry) => {
    fc.assert(
      fc.property(levels, fc.array(look, { minLength: 16, maxLength: 30 }), (levels, seen) => {
        let memory: Memory | undefined
        for (const [index, one] of seen.entries()) {
          // When the order of the page that has a begin and an end is under way.
          const slot = Date.UTC(2026, 4, 4, 9) + index * secondsOf(entry) * 1_000
          const level = levels[Math.floor(index / 15)] ?? 1_000n
          const context = contextOf(entry, { ...one, level }, { slot, memory })
          const decision = entry.strategy.decide(context)
          expect(entry.strategy.decide(structuredClone(context))).toEqual(decision)
          memory = decision.memory
          if (decision.kind !== 'swap') {
            expect(decision.reason).toMatch(/[.:]/)
            continue
          }
          swapsOf.set(entry.name, (swapsOf.get(entry.name) ?? 0) + 1)
          expect(context.inflight).toEqual([])
          for (const { token, wei } of context.balances) {
            const sold = decision.intents.filter(({ sell }) => sameToken(sell.token, token))
            const sum = sold.reduce((all, { sell }) => all + sell.wei, 0n)
            expect(sum).toBeLessThanOrEqual(wei)
          }
          for (const { sell, buy, floor } of decision.intents) {
            expect(sell.wei).toBeGreaterThan(0n)
            expect(floor.wei).toBeGreaterThan(0n)
            expect(sameToken(floor.token, buy) && !sameToken(sell.token, buy)).toBe(true)
          }
        }
      }),
      { numRuns: 60 * times },
    )
  },
)

test('most of them swapped somewhere', () => {
  expect(loaded.filter(({ name }) => swapsOf.has(name)).length).toBeGreaterThanOrEqual(10)
})
