import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Amount, amountOf, comparePrices, type Decision, type Price, worthAt } from '#strategy'
import { contextWith } from '#strategy/testing'
import { createFields } from '../../src/bot/strategy/createFields.ts'
import { type Address, nativeAddress, type Token } from '../../src/core/token.ts'
import gasTank from '../../strategies/gas-tank.ts'

const eth: Token = { chainId: 31337, address: nativeAddress, symbol: 'ETH', decimals: 18 }
const usdc: Token = { chainId: 31337, address: '0x02', symbol: 'USDC', decimals: 6 }
const weth: Token = { chainId: 31337, address: '0x01', symbol: 'WETH', decimals: 18 }
const accounts = Array.from(
  { length: 6 },
  (_, index): Address => `0x${`${index + 1}`.repeat(40)}` as Address,
)
const [first, second, third] = accounts as [Address, Address, Address]

type Params = Parameters<typeof gasTank.watch>[0]
const ether = (text: string) => amountOf(eth, text)
const dollars = (text: string) => amountOf(usdc, text)
const params: Params = {
  sell: dollars('600'),
  tanks: [first, second, third],
  below: ether('0.05'),
  to: ether('0.2'),
  tolerance: 50,
  every: 300,
}
const price = (bought: string): Price => ({ sold: dollars('600'), bought: ether(bought) })

type Look = {
  readonly holds: Readonly<Record<Address, Amount>>
  readonly wallet?: Amount
  readonly market?: Price | undefined
  readonly params?: Params
} & Partial<Parameters<typeof gasTank.decide>[0]>

function decide({ holds, wallet = dollars('10000'), params: own = params, ...look }: Look) {
  const market = 'market' in look ? look.market : price('0.2')
  return gasTank.decide(
    contextWith(own, {
      indications: [market && { ...market, route: [] }],
      balances: [wallet],
      accounts: own.tanks.map((account) => ({ account, held: holds[account] ?? ether('0.1') })),
      ...look,
    }),
  )
}

const intentsOf = (decision: Decision) => (decision.kind === 'swap' ? decision.intents : [])
const reasonOf = (decision: Decision) =>
  decision.kind === 'swap' ? decision.intents.map(({ reason }) => reason) : decision.reason

describe('gas-tank', () => {
  test('sells what a tank below its bound is short of, and the tank receives it', () => {
    const decision = decide({ holds: { [second]: ether('0.04') } })
    expect(decision).toEqual({
      kind: 'swap',
      intents: [
        {
          sell: dollars('480'),
          buy: eth,
          floor: ether('0.1592'),
          recipient: second,
          reason: `${second} holds 0.04 ETH, less than 0.05 ETH: 480 USDC bring 0.16 ETH, accepts 0.1592 ETH.`,
        },
      ],
    })
  })

  test('the emptiest first, as far as the wallet goes', () => {
    const holds = { [first]: ether('0.03'), [second]: ether('0'), [third]: ether('0.02') }
    const all = intentsOf(decide({ holds })).map(({ recipient, sell }) => [recipient, sell.wei])
    expect(all).toEqual([
      [second, 600_000_000n],
      [third, 540_000_000n],
      [first, 510_000_000n],
    ])
    const some = intentsOf(decide({ holds, wallet: dollars('700') }))
    // 100 USDC bring the third back to its bound, and are all there is.
    expect(some.map(({ recipient, sell }) => [recipient, sell.wei])).toEqual([
      [second, 600_000_000n],
      [third, 100_000_000n],
    ])
  })

  test('what just brings a tank back to its bound is sold where there is no more', () => {
    const wallet = dollars('120')
    const [intent] = intentsOf(decide({ holds: { [first]: ether('0.01') }, wallet }))
    expect(intent?.sell).toEqual(wallet)
  })

  const open = { swapId: 'a swap', sell: dollars('480'), buy: eth, since: 0 }
  const low = { [first]: ether('0.01') }
  test.each<[string, Look, string]>([
    [
      'on the bound',
      { holds: { [first]: ether('0.05') } },
      `The emptiest tank has enough: ${first} holds 0.05 ETH.`,
    ],
    [
      'while a refill is open',
      { holds: low, inflight: [open] },
      'Swap a swap of 480 USDC is in flight.',
    ],
    [
      'without a price',
      { holds: low, market: undefined },
      `${first} holds 0.01 ETH, and there is no price for 600 USDC.`,
    ],
    [
      'of a price of nothing',
      { holds: low, market: price('0') },
      `${first} holds 0.01 ETH, and there is no price for 600 USDC.`,
    ],
    [
      'with too little in the wallet',
      { holds: low, wallet: dollars('119.999999') },
      `${first} holds 0.01 ETH, and 119.999999 USDC in the wallet are too little for a refill.`,
    ],
    [
      'where nothing was read',
      { holds: {}, accounts: undefined },
      'Nothing is known of the tanks.',
    ],
  ])('waits %s', (_when, look, reason) => {
    const decision = decide(look)
    // Put off where a tank may be low and nothing is done about it.
    const kind = reason.startsWith('The emptiest tank has enough') ? 'wait' : 'postpone'
    expect([decision.kind, reasonOf(decision)]).toEqual([kind, reason])
  })

  test('watches its price and its tanks, and foresees a refill of each', () => {
    expect(gasTank.watch(params)).toEqual([{ sell: dollars('600'), buy: eth }])
    expect(gasTank.accounts?.(params)).toEqual(
      params.tanks.map((account) => ({ account, token: eth })),
    )
    const foreseen = gasTank.typicalSwaps?.({ params, swapLimits: [dollars('100')] })
    expect(foreseen).toEqual(
      params.tanks.map((recipient) => ({ sell: dollars('100'), buy: eth, recipient })),
    )
  })
})

describe('gas-tank, whatever the tanks hold', () => {
  const wei = fc.bigInt(0n, 10n ** 18n)
  const looks = fc.record({
    held: fc.array(wei, { minLength: accounts.length, maxLength: accounts.length }),
    below: fc.bigInt(1n, 10n ** 18n),
    more: fc.bigInt(1n, 10n ** 18n),
    most: fc.bigInt(1n, 10n ** 10n),
    limit: fc.option(fc.bigInt(1n, 10n ** 10n), { nil: undefined }),
    wallet: fc.bigInt(0n, 10n ** 11n),
    paid: fc.bigInt(1n, 10n ** 19n),
    tolerance: fc.integer({ min: 0, max: 1_000 }),
  })
  type Drawn = typeof looks extends fc.Arbitrary<infer drawn> ? drawn : never
  const read = ({ held, below, more, most, limit, wallet, paid, tolerance }: Drawn) => {
    const own: Params = {
      sell: { token: usdc, wei: most },
      tanks: accounts,
      below: { token: eth, wei: below },
      to: { token: eth, wei: below + more },
      tolerance,
      every: 300,
    }
    const market: Price = { sold: own.sell, bought: { token: eth, wei: paid } }
    const holds = Object.fromEntries(
      accounts.map((account, index) => [account, { token: eth, wei: held[index] ?? 0n }]),
    )
    const swapLimits = limit === undefined ? [] : [{ token: usdc, wei: limit }]
    const look = { holds, wallet: { token: usdc, wei: wallet }, market, params: own, swapLimits }
    return { own, market, holds, intents: intentsOf(decide(look)) }
  }

  test('sells no more than is written, than policy lets through and than there is', () => {
    fc.assert(
      fc.property(looks, (drawn) => {
        const { intents } = read(drawn)
        for (const { sell } of intents) {
          expect(sell.wei).toBeGreaterThan(0n)
          expect(sell.wei).toBeLessThanOrEqual(drawn.most)
          expect(sell.wei).toBeLessThanOrEqual(drawn.limit ?? sell.wei)
        }
        const all = intents.reduce((sum, { sell }) => sum + sell.wei, 0n)
        expect(all).toBeLessThanOrEqual(drawn.wallet)
      }),
    )
  })

  test('refills tanks below the bound alone, each once, the emptiest first', () => {
    fc.assert(
      fc.property(looks, (drawn) => {
        const { holds, intents } = read(drawn)
        const levels = intents.map(({ recipient }) => holds[recipient ?? '']?.wei ?? -1n)
        for (const [index, level] of levels.entries()) {
          expect(level).toBeGreaterThanOrEqual(levels[index - 1] ?? 0n)
          expect(level).toBeLessThan(drawn.below)
        }
        expect(new Set(intents.map(({ recipient }) => recipient)).size).toBe(intents.length)
        const left = drawn.held.filter((one) => one < (levels.at(-1) ?? 0n))
        expect(left.length).toBeLessThan(Math.max(1, levels.length))
      }),
    )
  })

  test('reaches the level at the indicated price, and not by one unit of the sold token more', () => {
    fc.assert(
      fc.property(looks, (drawn) => {
        const { own, market, holds, intents } = read(drawn)
        for (const { sell, recipient } of intents) {
          const before = holds[recipient ?? '']?.wei ?? 0n
          const isCut = [drawn.most, drawn.limit].includes(sell.wei) || sell.wei === drawn.wallet
          if (!isCut && intents.length === 1)
            expect(before + worthAt(market, sell).wei).toBeGreaterThanOrEqual(own.to.wei)
          const less = { ...sell, wei: sell.wei - 1n }
          expect(before + worthAt(market, less).wei).toBeLessThan(own.to.wei)
        }
      }),
    )
  })

  test('no floor is further below the market than the tolerance', () => {
    fc.assert(
      fc.property(looks, (drawn) => {
        const { market, intents } = read(drawn)
        for (const { sell, floor } of intents) {
          expect(floor.token).toBe(eth)
          const least = {
            sold: { ...market.sold, wei: market.sold.wei * 10_000n },
            bought: { ...market.bought, wei: market.bought.wei * BigInt(10_000 - drawn.tolerance) },
          }
          expect(comparePrices({ sold: sell, bought: floor }, least)).toBeGreaterThanOrEqual(0)
        }
      }),
    )
  })
})

describe('gas-tank params', () => {
  const schema = gasTank.params(
    createFields({ bySymbol: new Map([eth, usdc, weth].map((token) => [token.symbol, token])) }),
  )
  const right = {
    ...{ sell: '600 USDC', below: '0.05 ETH', to: '0.2 ETH', tolerance: '50 bps', every: '5m' },
    tanks: [first, second],
  }
  const complaints = (given: object) =>
    schema
      .safeParse(given)
      .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
  const write = 'write for example ["0x5FbDB2315678afecb367f032d93F642f64180aa3"].'

  test('are read', () => {
    expect(schema.parse(right)).toEqual({ ...params, tanks: [first, second] })
  })

  test.each<[string, object, string]>([
    ['no tanks', { tanks: undefined }, `tanks: is missing: ${write}`],
    ['an empty list', { tanks: [] }, `tanks: names no account: ${write}`],
    ['one line of text', { tanks: first }, `tanks: must be a list of addresses: ${write}`],
    ['a tank twice', { tanks: [first, second, first] }, `tanks: names ${first} twice.`],
    [
      'too many',
      { tanks: Array.from({ length: 33 }, (_, n) => `0x${`${n + 10}`.repeat(20)}`) },
      'tanks: names 33 accounts, and 32 are the most.',
    ],
    [
      'no address',
      { tanks: ['0x12'] },
      "tanks.0: '0x12' is not an address: write 0x and 40 hex digits, in quotes.",
    ],
    ['nothing to sell', { sell: '0 USDC' }, 'sell: is nothing: sell more than zero.'],
    [
      'the coin sold',
      { sell: '1 ETH' },
      'sell: is ETH, which is what the tanks are to receive: name another token.',
    ],
    ['a bound in a token', { below: '0.05 WETH' }, 'below: is WETH, which pays no gas.'],
    ['a bound of nothing', { below: '0 ETH' }, 'below: is nothing: no tank holds less.'],
    ['a level in a token', { to: '0.2 WETH' }, 'to: is WETH, which pays no gas.'],
    ['a level on the bound', { to: '0.05 ETH' }, 'to: is not more than the 0.05 ETH of below.'],
    ['any tolerance', { tolerance: '1001 bps' }, 'tolerance: is more than 1000 bps.'],
    [
      'a key too many',
      { keep: '1 ETH' },
      'is not a known key; known keys are sell, tanks, below, to, tolerance, every.',
    ],
  ])('%s: refused in one sentence', (_what, change, sentence) => {
    const found = complaints({ ...right, ...change })
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(sentence)
  })
})
