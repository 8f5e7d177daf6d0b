import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { ballastError } from '../../src/core/errors.ts'
import type { Token } from '../../src/core/token.ts'
import { createReserved, type Kept, reservedByOthers } from '../../src/engine/createReserved.ts'

const token = (symbol: string, digit: string): Token => ({
  chainId: 31_337,
  address: `0x${digit.repeat(40)}`,
  symbol,
  decimals: 18,
})
const weth = token('WETH', '1')
const usdc = token('USDC', '2')
const of = (wei: bigint, coin = weth) => ({ token: coin, wei })
const kept = (name: string, priority: number, ...amounts: Kept['amounts']): Kept => ({
  name,
  priority,
  amounts,
})

test.each<[string, Parameters<typeof reservedByOthers>[0], readonly Kept[], Kept['amounts']]>([
  ['nobody keeps anything', { name: 'a', priority: 0 }, [], []],
  ['of a higher priority: hidden', { name: 'a', priority: 0 }, [kept('b', 1, of(5n))], [of(5n)]],
  ['of a lower priority: seen', { name: 'a', priority: 1 }, [kept('b', 0, of(5n))], []],
  [
    'of the same one, from who keeps nothing: hidden, wherever it is listed',
    { name: 'a', priority: 0 },
    [kept('b', 0, of(5n)), kept('a', 0), kept('c', 0, of(6n))],
    [of(5n), of(6n)],
  ],
  ['its own: seen', { name: 'a', priority: 0 }, [kept('a', 0, of(5n))], []],
  [
    'of two that keep one token the first does not see that of the second',
    { name: 'a', priority: 0 },
    [kept('a', 0, of(5n)), kept('b', 0, of(6n), of(7n, usdc))],
    [of(7n, usdc)],
  ],
  [
    'and the second does see that of the first as not there',
    { name: 'b', priority: 0 },
    [kept('a', 0, of(5n)), kept('b', 0, of(6n))],
    [of(5n)],
  ],
  [
    'a higher priority hides from who keeps the same as well',
    { name: 'a', priority: 0 },
    [kept('a', 0, of(5n)), kept('b', 1, of(6n))],
    [of(6n)],
  ],
])('%s', (_title, looking, all, hidden) => {
  expect(reservedByOthers(looking, all)).toEqual(hidden)
})

test('somebody always sees what the wallet has: no two wait for each other', () => {
  const amount = fc.bigInt({ min: 1n, max: 100n })
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), amount), { minLength: 1 }),
      (all) => {
        const list = all.map(([priority, wei], index) => kept(`s${index}`, priority, of(wei)))
        const blind = list.filter((one) => reservedByOthers(one, list).length > 0)
        expect(blind.length).toBeLessThan(list.length)
      },
    ),
  )
})

const unexpected = async (_loaded: unknown, error: unknown): Promise<never> => {
  throw error
}

test('one whose reserves fail is told of each time, and the others do not see what it reserved last', async () => {
  let answer: (() => Kept['amounts']) | undefined = () => [of(5n)]
  const fails = () => {
    throw ballastError('STRATEGY_BROKEN', 'strategies/keeper.ts reserves failed: no such pair.')
  }
  const keeper = {
    ...{ name: 'keeper', priority: 0, params: {} },
    watches: [{ sell: of(7n), buy: usdc }],
    strategy: { reserves: () => (answer ?? fails)() },
  } as unknown as LoadedStrategy
  let running = [keeper]
  const broken: string[] = []
  const { reserved } = createReserved({
    strategies: () => running,
    standingOf: () => ({ memory: undefined }) as never,
    clock: { now: () => 0 },
    async broke({ name }, { code }) {
      broken.push(`${name} ${code}`)
    },
  })
  expect(await reserved('other')).toEqual([of(5n)])
  answer = undefined
  expect(await reserved('other')).toEqual([of(5n)])
  expect(await reserved('other')).toEqual([of(5n)])
  // Its own look opens the lock again, where a person released it and nothing is mended.
  expect(await reserved('keeper')).toEqual([])
  expect(broken).toEqual(Array(3).fill('keeper STRATEGY_BROKEN'))

  // A change of another strategy.
  running = [{ ...keeper, params: {} }]
  expect(await reserved('other')).toEqual([of(5n)])
  // Under other parameters it never answered: nobody sells what it trades.
  running = [{ ...keeper, params: { more: 1n } }]
  const all = 2n ** 256n - 1n
  expect(await reserved('other')).toEqual([of(all), of(all, usdc)])
  answer = () => [of(1n)]
  expect(await reserved('other')).toEqual([of(1n)])
  expect(broken).toHaveLength(5)
})

test('keepers are called one after the other: what waits has its turn between two that are late', async () => {
  const order: string[] = []
  const late = (name: string) =>
    ({
      ...{ name, priority: 0, params: {}, watches: [] },
      strategy: {
        reserves() {
          order.push(name)
          throw ballastError('STRATEGY_BROKEN', 'no answer')
        },
      },
    }) as unknown as LoadedStrategy
  const running = [late('a'), late('b')]
  const { reserved } = createReserved({
    strategies: () => running,
    standingOf: () => ({ memory: undefined }) as never,
    clock: { now: () => 0 },
    async broke({ name }) {
      await new Promise((resolve) => setImmediate(resolve))
      order.push(`broke ${name}`)
    },
  })
  await reserved('other')
  expect(order).toEqual(['a', 'broke a', 'b', 'broke b'])
})

test('a defect of the bot while a strategy says what it reserves is none of the strategy', async () => {
  const reserves = () => {
    throw new TypeError('a defect')
  }
  const keeper = { name: 'keeper', priority: 0, watches: [], strategy: { reserves } }
  const running = [keeper as unknown as LoadedStrategy]
  const { reserved } = createReserved({
    strategies: () => running,
    standingOf: () => ({ memory: undefined }) as never,
    clock: { now: () => 0 },
    broke: async () => {},
  })
  await expect(reserved('other')).rejects.toThrow('a defect')
})

test('a strategy of other parameters is asked with the memory of those', async () => {
  const strategyOf = (params: object) =>
    ({
      ...{ name: 'twap', priority: 0, params },
      strategy: {
        reserves: ({ memory }: { memory?: { stopped?: string } }) =>
          memory?.stopped === undefined ? [of(5n)] : [],
      },
    }) as unknown as LoadedStrategy
  const first = { stop: 300 }
  let running = [strategyOf(first)]
  const { reserved, forget } = createReserved({
    strategies: () => running,
    // The journal has a memory by the parameters that it was kept under.
    standingOf: (_, params) =>
      ({ memory: params === first ? { stopped: 'for good' } : undefined }) as never,
    clock: { now: () => 0 },
    broke: unexpected,
  })
  expect(await reserved('other')).toEqual([])
  running = [strategyOf({ stop: 500 })]
  expect(await reserved('other')).toEqual([of(5n)])
  forget('twap')
  expect(await reserved('other')).toEqual([of(5n)])
})
