import { describe, expect, test } from 'vitest'
import { amountOf, type Context, type Decision, fillsMax, type Token } from '#strategy'
import { contextWith } from '#strategy/testing'
import { priorSwapGas } from '../../src/bot/market/createMarket.ts'
import { createFields } from '../../src/bot/strategy/createFields.ts'
import { nativeAddress, usdOf } from '../../src/core/token.ts'
import rebalance from '../../strategies/rebalance.ts'
import { lookAt, type World } from './rebalanceWorld.ts'

const token = (symbol: string, decimals: number, address: string): Token => ({
  chainId: 31337,
  address: address as Token['address'],
  symbol,
  decimals,
})
const weth = token('WETH', 18, '0x01')
const usdc = token('USDC', 6, '0x02')
const wbtc = token('WBTC', 8, '0x03')
const link = token('LINK', 18, '0x04')
/** A dollar by its name that has drifted above one. */
const susd = token('SUSD', 18, '0x06')
const eth = token('ETH', 18, nativeAddress)
const bySymbol = new Map([weth, usdc, wbtc, link, eth].map((it) => [it.symbol, it]))

const read = (text: string) => {
  const [decimal = '', symbol = ''] = text.split(' ')
  return amountOf(bySymbol.get(symbol) ?? weth, decimal)
}
const holding = (text: string) => text.split(', ').map(read)

/** 3000 and 100,000 dollars, three million deep, without a spread. */
const flat: World = {
  prices: { WETH: 3_000_000_000n, USDC: 1_000_000n, WBTC: 100_000_000_000n, ETH: 3_000_000_000n },
  halfSpreadBps: 0,
  levels: [3_000_000n],
  stepBps: 0,
}
const dear: World = { ...flat, halfSpreadBps: 40 }
const steep: World = { ...flat, levels: [9_000n, 90_000n, 900_000n], stepBps: 20 }

type Params = Parameters<typeof rebalance.watch>[0]
type Overrides = Partial<Omit<Context<Params>, 'params'>>

const half: Params = {
  weights: [
    { token: weth, bps: 5_000 },
    { token: usdc, bps: 5_000 },
  ],
  tolerance: 50,
  minimum: read('100 USDC'),
  // Comes out even in all of them.
  probes: [read('300000 USDC')],
}
const three: Params = {
  ...half,
  weights: [
    { token: weth, bps: 4_000 },
    { token: wbtc, bps: 3_000 },
    { token: usdc, bps: 3_000 },
  ],
}
const now = Date.UTC(2026, 0, 1)
const gas = { swapCost: read('0.001 ETH') }

/** The cost of a swap of so much gas at a price in gwei. */
const costOf = (gasUsed: bigint, gwei: number) => ({
  swapCost: { token: eth, wei: gasUsed * BigInt(gwei) * 10n ** 9n },
})

const decide = (params: Params, overrides: Overrides, world = flat) =>
  rebalance.decide(
    contextWith(params, { now, ...lookAt(world, rebalance.watch(params)), ...overrides }),
  )
/** What it decides, without its notes. */
const ask = (...given: Parameters<typeof decide>): Decision => {
  const { memory: _, ...decision } = decide(...given)
  return decision
}

const waits = (reason: string): Decision => ({ kind: 'wait', reason })
const putsOff = (reason: string): Decision => ({ kind: 'postpone', reason })
const sells = (...swaps: readonly (readonly [string, Token, string, string])[]): Decision => ({
  kind: 'swap',
  intents: swaps.map(([sell, buy, floor, reason]) => ({
    sell: read(sell),
    buy,
    floor: read(floor),
    reason,
  })),
})
const fill = (sold: string, bought: string, hoursAgo: number) => ({
  at: now - hoursAgo * 3_600_000,
  price: { sold: read(sold), bought: read(bought) },
})
const begun = { to: 'edge', since: 0 }
const total = (sold: string, bought: string, swaps = 1) => ({
  sold: read(sold),
  bought: read(bought),
  swaps,
})

describe('rebalance, before any swap has settled: starts where the drift is worth the real gas, and only there', () => {
  const { minimum: _, ...params } = half
  const starts = (wealth: { weth: string; usdc: string }, cost: Overrides) => {
    const balances = holding(`${wealth.weth} WETH, ${wealth.usdc} USDC`)
    return ask(params, { balances, ...cost }).kind === 'swap'
  }
  const small = { weth: '1.1', usdc: '2700' }
  const small70 = { weth: '1.4', usdc: '1800' }
  const middle57 = { weth: '11.4', usdc: '25800' }
  const middle70 = { weth: '14', usdc: '18000' }
  const large57 = { weth: '114', usdc: '258000' }
  const large70 = { weth: '140', usdc: '180000' }
  test.each([
    [1, small, false],
    [1, small70, true],
    [1, middle57, true],
    [1, large57, true],
    [20, small70, false],
    [20, middle70, false],
    [20, large57, true],
    [20, large70, true],
    [80, middle70, false],
    [80, large57, false],
    [80, large70, true],
  ])('%i gwei, %o: %s', (gwei, wealth, expected) => {
    expect(starts(wealth, costOf(190_000n, gwei))).toBe(expected)
    expect(starts(wealth, costOf(priorSwapGas(1_500_000n), gwei))).toBe(expected)
  })

  test('a policy that allows less gas is believed', () => {
    expect(priorSwapGas(200_000n)).toBe(200_000n)
  })
})

test('rebalance: two millionths of the whole beyond the band there is something to do', () => {
  const beyond = { balances: holding('110 WETH, 269998 USDC') }
  for (const params of [half, { ...half, trigger: 500 }])
    expect(ask(params, beyond).kind).toBe('swap')
})

describe('rebalance', () => {
  test.each<[string, Params, Overrides, Decision, World?]>([
    [
      'leaves a portfolio alone inside its band',
      half,
      { balances: holding('105 WETH, 315000 USDC') },
      waits('Inside the band: WETH 50 % of 50 %, USDC 50 % of 50 %.'),
    ],
    [
      'leaves it alone on the very edge of the band',
      half,
      { balances: holding('110 WETH, 270000 USDC') },
      waits('Inside the band: WETH 55 % of 50 %, USDC 45 % of 50 %.'),
    ],
    [
      'sells down to half the trigger, and no further',
      half,
      { balances: holding('120 WETH, 240000 USDC') },
      sells([
        '15 WETH',
        usdc,
        '44775 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 15 WETH of 15 WETH bring 45000 USDC, accepts 44775 USDC.',
      ]),
    ],
    [
      'buys as well',
      half,
      { balances: holding('80 WETH, 360000 USDC') },
      sells([
        '45000 USDC',
        weth,
        '14.925 WETH',
        'USDC 60 % of 50 %, WETH 40 % of 50 %: 45000 USDC of 45000 USDC bring 15 WETH, accepts 14.925 WETH.',
      ]),
    ],
    [
      'goes where it is told to',
      { ...half, trigger: 800, destination: 400 },
      { balances: holding('120 WETH, 240000 USDC') },
      sells([
        '12 WETH',
        usdc,
        '35820 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 12 WETH of 12 WETH bring 36000 USDC, accepts 35820 USDC.',
      ]),
    ],
    [
      'takes a part of the target for the band: the narrower one where both are given',
      { ...half, relative: 3_000, trigger: 1_200 },
      { balances: holding('120 WETH, 240000 USDC') },
      waits('Inside the band: WETH 60 % of 50 %, USDC 40 % of 50 %.'),
    ],
    [
      'counts a part of the target in hundredths of a bps',
      { ...half, relative: 1_999 },
      { balances: holding('120 WETH, 240000 USDC') },
      sells([
        '10.005 WETH',
        usdc,
        '29864.925 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 10.005 WETH of 10.005 WETH bring 30015 USDC, accepts 29864.925 USDC.',
      ]),
    ],
    [
      'goes to the target where gas is dear',
      { ...half, keep: read('1 ETH'), minimum: undefined, maxGasShare: 50 },
      { balances: holding('12 WETH, 24000 USDC, 1 ETH'), swapCost: read('0.001 ETH') },
      sells([
        '2 WETH',
        usdc,
        '5970 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 2 WETH of 2 WETH bring 6000 USDC, accepts 5970 USDC.',
      ]),
    ],
    [
      'makes no swap that is too small for its gas',
      { ...half, keep: read('1 ETH'), minimum: undefined },
      { balances: holding('1.2 WETH, 2400 USDC, 1 ETH'), ...gas },
      waits('No swap of at least 3000 USDC is left to do: WETH 60 % of 50 %, USDC 40 % of 50 %.'),
    ],
    [
      'knows what gas is worth where the wrapped coin is an asset by its name',
      { ...half, minimum: undefined },
      { balances: holding('1.2 WETH, 2400 USDC'), ...gas },
      waits('No swap of at least 3000 USDC is left to do: WETH 60 % of 50 %, USDC 40 % of 50 %.'),
    ],
    [
      'does not guess what gas costs',
      { ...half, keep: read('1 ETH'), minimum: undefined },
      { balances: holding('120 WETH, 240000 USDC') },
      putsOff('Gas cannot be priced and no `minimum` is set: set `keep` or `minimum`.'),
    ],
    [
      'makes no swap that costs more than the drift',
      { ...half, horizon: 86_400 },
      { balances: holding('112 WETH, 264000 USDC') },
      waits(
        'Costs 84.350966 USDC and is worth 2.40344 USDC: WETH 56 % of 50 %, USDC 43.99 % of 50 %.',
      ),
      dear,
    ],
    [
      'rests after a swap',
      { ...half, cooldown: 7_200 },
      {
        balances: holding('120 WETH, 240000 USDC'),
        fills: [fill('1 WETH', '3000 USDC', 1.5)],
        lastFill: fill('1 WETH', '3000 USDC', 1.5),
      },
      waits('The last swap was 5400 s ago, not 7200 s: WETH 60 % of 50 %, USDC 40 % of 50 %.'),
    ],
    [
      'has rested when the cooldown has passed to the millisecond',
      { ...half, cooldown: 5_400 },
      {
        balances: holding('120 WETH, 240000 USDC'),
        fills: [fill('1 WETH', '3000 USDC', 1.5)],
        lastFill: fill('1 WETH', '3000 USDC', 1.5),
      },
      sells([
        '15 WETH',
        usdc,
        '44775 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 15 WETH of 15 WETH bring 45000 USDC, accepts 44775 USDC.',
      ]),
    ],
    [
      'turns over no more than a part in 24 hours, to the millisecond',
      half,
      {
        balances: holding('120 WETH, 240000 USDC'),
        fills: [fill('3000 USDC', '1 WETH', 1), fill('30 WETH', '87000 USDC', 23.999)],
      },
      sells([
        '9 WETH',
        usdc,
        '26865 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 9 WETH of 15 WETH bring 27000 USDC, accepts 26865 USDC.',
      ]),
    ],
    [
      'waits when the day is used up',
      half,
      {
        balances: holding('120 WETH, 240000 USDC'),
        fills: [fill('39.97 WETH', '119000 USDC', 1)],
      },
      waits('119910 USDC were turned over in the last 24 h, of 120000 USDC that may be.'),
    ],
    [
      'forgets what is a day old',
      { ...half, cooldown: 60 },
      {
        balances: holding('120 WETH, 240000 USDC'),
        fills: [fill('40 WETH', '119000 USDC', 24)],
      },
      sells([
        '15 WETH',
        usdc,
        '44775 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 15 WETH of 15 WETH bring 45000 USDC, accepts 44775 USDC.',
      ]),
    ],
    [
      'waits when there may have been more swaps than are known',
      half,
      {
        balances: holding('120 WETH, 240000 USDC'),
        fills: Array.from({ length: fillsMax }, () => fill('0.01 WETH', '30 USDC', 1)),
      },
      putsOff(
        'The last 32 swaps are of the last 24 h: what was turned over before them is not known.',
      ),
    ],
    [
      'waits when it cannot value what was swapped',
      half,
      {
        balances: holding('120 WETH, 240000 USDC'),
        fills: [fill('0.01 WBTC', '1 ETH', 1)],
      },
      putsOff('0.01 WBTC were sold in the last 24 h, and nobody says what they are worth.'),
    ],
    [
      'sells no more at once than the book takes, and says so',
      { ...half, probes: [read('3000 USDC')] },
      { balances: holding('120 WETH, 240000 USDC') },
      sells([
        '6 WETH',
        usdc,
        '17910 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 6 WETH of 15.007882882882882884 WETH bring 17982 USDC, accepts 17910 USDC.',
      ]),
      steep,
    ],
    [
      'sells no more at once than it may',
      { ...half, maximum: read('7500 USDC') },
      { balances: holding('120 WETH, 240000 USDC') },
      sells([
        '2.5 WETH',
        usdc,
        '7462.5 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 2.5 WETH of 15 WETH bring 7500 USDC, accepts 7462.5 USDC.',
      ]),
    ],
    [
      'follows the policy: a slice is what one swap may sell',
      half,
      {
        balances: holding('120 WETH, 240000 USDC'),
        swapLimits: [read('2.5 WETH'), read('1 USDC')],
      },
      sells([
        '2.5 WETH',
        usdc,
        '7462.5 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 2.5 WETH of 15 WETH bring 7500 USDC, accepts 7462.5 USDC.',
      ]),
    ],
    [
      'follows the policy: a slice is what one swap may be worth, a hundredth less',
      half,
      {
        balances: holding('120 WETH, 240000 USDC'),
        swapWorth: { token: usdOf(31337), wei: 300_000_000_000n },
      },
      sells([
        '0.99 WETH',
        usdc,
        '2955.15 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 0.99 WETH of 15 WETH bring 2970 USDC, accepts 2955.15 USDC.',
      ]),
    ],
    [
      'follows the policy by the least of the dollars, whichever is listed first',
      {
        ...half,
        weights: [
          { token: susd, bps: 4_000 },
          { token: weth, bps: 4_000 },
          { token: usdc, bps: 2_000 },
        ],
        in: usdc,
      },
      {
        balances: [...holding('60 WETH, 60000 USDC'), { token: susd, wei: 10n ** 23n }],
        swapWorth: { token: usdOf(31337), wei: 300_000_000_000n },
      },
      sells([
        '0.99 WETH',
        usdc,
        '2955.15 USDC',
        'WETH 50 % of 40 %, USDC 16.66 % of 20 %: 0.99 WETH of 9 WETH bring 2970 USDC, accepts 2955.15 USDC.',
      ]),
      { ...flat, prices: { ...flat.prices, SUSD: 1_200_000n } },
    ],
    [
      'sells the form of the coin that the policy lists, and no more than it may',
      { ...half, keep: read('1 ETH') },
      { balances: holding('1 WETH, 120 ETH, 240000 USDC'), swapLimits: [read('2 ETH')] },
      sells([
        '2 ETH',
        usdc,
        '5970 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 2 ETH of 15 WETH bring 6000 USDC, accepts 5970 USDC.',
      ]),
    ],
    [
      'says when the policy lets less through than the least swap',
      { ...half, minimum: read('7000 USDC') },
      { balances: holding('120 WETH, 240000 USDC'), swapLimits: [read('2 WETH')] },
      putsOff(
        'Only 2 WETH can go into USDC at once, worth 6000 USDC, less than the least swap of 7000 USDC.',
      ),
    ],
    [
      'counts the gas of every slice that the policy makes of it',
      { ...half, minimum: read('1 USDC') },
      {
        balances: holding('120 WETH, 240000 USDC'),
        ...gas,
        swapLimits: [read('0.01 WETH')],
      },
      waits('Costs 6000 USDC and is worth 241.643835 USDC: WETH 60 % of 50 %, USDC 40 % of 50 %.'),
    ],
    [
      'without a book sells what there is a price for',
      { ...half, probes: [read('2 WETH'), read('3000 USDC')] },
      { balances: holding('120 WETH, 240000 USDC'), depths: [] },
      sells([
        '2 WETH',
        usdc,
        '5970 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 2 WETH of 15 WETH bring 6000 USDC, accepts 5970 USDC.',
      ]),
    ],
    [
      'makes no slice below the minimum',
      { ...half, minimum: read('7000 USDC'), probes: [read('2 WETH'), read('3000 USDC')] },
      { balances: holding('120 WETH, 240000 USDC'), depths: [] },
      putsOff(
        'Only 2 WETH can go into USDC at once, worth 6000 USDC, less than the least swap of 7000 USDC.',
      ),
    ],
    [
      'waits while a swap is in flight',
      half,
      {
        balances: holding('120 WETH, 240000 USDC'),
        inflight: [{ swapId: 's1', sell: read('1 WETH'), buy: usdc, since: 0 }],
      },
      waits('Swap s1 of 1 WETH is in flight.'),
    ],
    [
      'waits without a price, and says which',
      three,
      { balances: holding('120 WETH, 240000 USDC'), indications: [] },
      putsOff('No price for 1 WETH in USDC.'),
    ],
    [
      'takes a market that pays nothing for none',
      half,
      {
        balances: holding('120 WETH, 240000 USDC'),
        indications: [{ sold: read('1 WETH'), bought: read('0 USDC'), route: [] }],
      },
      putsOff('No price for 1 WETH in USDC.'),
    ],
    [
      'needs the price of every asset',
      three,
      { balances: holding('120 WETH, 240000 USDC') },
      putsOff('No price for 300000 USDC in WBTC.'),
      { ...flat, closed: ['USDC/WBTC'] },
    ],
    [
      'waits without a reference, and says which',
      { ...half, maxDeviation: 100 },
      { balances: holding('120 WETH, 240000 USDC'), references: [] },
      putsOff('No reference for WETH in USDC.'),
    ],
    [
      'trusts no price that the references contradict',
      { ...half, maxDeviation: 39 },
      { balances: holding('120 WETH, 240000 USDC') },
      putsOff(
        'The service indicates 2988 USDC per WETH, the references say 3000 USDC per WETH: more than 0.39 % apart.',
      ),
      dear,
    ],
    [
      'holds the floor to the references as well',
      { ...half, maxDeviation: 40, tolerance: 30 },
      { balances: holding('120 WETH, 240000 USDC') },
      putsOff(
        '15.031626506024096387 WETH bring 44914.5 USDC, below the 44959.59488 USDC to accept.',
      ),
      dear,
    ],
    [
      'has nothing to do with nothing',
      half,
      { balances: [] },
      waits('There is nothing to keep in balance.'),
    ],
    [
      'counts the native coin and its wrapped form as one, and keeps what pays the gas',
      { ...half, keep: read('5 ETH') },
      { balances: holding('2 WETH, 123 ETH, 240000 USDC'), ...gas },
      sells([
        '15 ETH',
        usdc,
        '44775 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 15 ETH of 15 WETH bring 45000 USDC, accepts 44775 USDC.',
      ]),
    ],
    [
      'sells the wrapped form first where it is enough',
      { ...half, keep: read('5 ETH'), wrapped: weth },
      { balances: holding('16 WETH, 109 ETH, 240000 USDC'), ...gas },
      sells([
        '15 WETH',
        usdc,
        '44775 USDC',
        'WETH 60 % of 50 %, USDC 40 % of 50 %: 15 WETH of 15 WETH bring 45000 USDC, accepts 44775 USDC.',
      ]),
    ],
    [
      'sells first and buys when the money is there',
      three,
      { balances: holding('120 WETH, 0.6 WBTC, 180000 USDC') },
      sells([
        '35 WETH',
        usdc,
        '104475 USDC',
        'WETH 60 % of 40 %, USDC 30 % of 30 %: 35 WETH of 35 WETH bring 105000 USDC, accepts 104475 USDC.',
      ]),
    ],
    [
      'buys at once with what is over, and with what is sold when it is there',
      three,
      { balances: holding('110 WETH, 0.6 WBTC, 210000 USDC') },
      sells(
        [
          '25 WETH',
          usdc,
          '74625 USDC',
          'WETH 55 % of 40 %, USDC 35 % of 30 %: 25 WETH of 25 WETH bring 75000 USDC, accepts 74625 USDC.',
        ],
        [
          '30000 USDC',
          wbtc,
          '0.2985 WBTC',
          'USDC 35 % of 30 %, WBTC 10 % of 30 %: 30000 USDC of 105000 USDC bring 0.3 WBTC, accepts 0.2985 WBTC.',
        ],
      ),
    ],
    [
      'a swap of exactly the minimum is not too small',
      { ...three, destination: 0, minimum: read('9000 USDC') },
      {
        balances: holding('86 WETH, 1.71 WBTC, 171000 USDC'),
        totals: [total('1 WETH', '3000 USDC')],
        memory: { to: 'edge', since: 0 },
      },
      sells([
        '3 WETH',
        usdc,
        '8955 USDC',
        'WETH 43 % of 40 %, USDC 28.5 % of 30 %: 3 WETH of 3 WETH bring 9000 USDC, accepts 8955 USDC.',
      ]),
    ],
    [
      'ends where every swap that is left would be too small',
      { ...three, destination: 0, minimum: read('10000 USDC') },
      {
        balances: holding('86 WETH, 1.71 WBTC, 171000 USDC'),
        totals: [total('1 WETH', '3000 USDC')],
        memory: { to: 'edge', since: 0 },
      },
      waits(
        'No swap of at least 10000 USDC is left to do: WETH 43 % of 40 %, WBTC 28.5 % of 30 %, USDC 28.5 % of 30 %.',
      ),
    ],
    [
      'sells directly where the pair trades as well',
      { ...three, pairs: [[weth, wbtc]] },
      { balances: holding('120 WETH, 0.6 WBTC, 180000 USDC') },
      sells([
        '35 WETH',
        wbtc,
        '1.04475 WBTC',
        'WETH 60 % of 40 %, WBTC 10 % of 30 %: 35 WETH of 35 WETH bring 1.05 WBTC, accepts 1.04475 WBTC.',
      ]),
    ],
    [
      'does without a pair that has no price',
      { ...three, pairs: [[weth, wbtc]] },
      { balances: holding('120 WETH, 0.6 WBTC, 180000 USDC') },
      sells([
        '35 WETH',
        usdc,
        '104475 USDC',
        'WETH 60 % of 40 %, USDC 30 % of 30 %: 35 WETH of 35 WETH bring 105000 USDC, accepts 104475 USDC.',
      ]),
      { ...flat, closed: ['WETH/WBTC'] },
    ],
    [
      'a calendar alone trades at any drift, to the target',
      { ...half, cron: '0 9 1 * *', timeZone: 'UTC' },
      { balances: holding('102 WETH, 294000 USDC') },
      sells([
        '2 WETH',
        usdc,
        '5970 USDC',
        'WETH 51 % of 50 %, USDC 49 % of 50 %: 2 WETH of 2 WETH bring 6000 USDC, accepts 5970 USDC.',
      ]),
    ],
    [
      'a calendar with a band trades beyond it only',
      { ...half, cron: '0 9 1 * *', timeZone: 'UTC', trigger: 200 },
      { balances: holding('102 WETH, 294000 USDC') },
      waits('Inside the band: WETH 51 % of 50 %, USDC 49 % of 50 %.'),
    ],
    [
      'a calendar slot stays open while the market is away',
      { ...half, cron: '0 9 1 * *', timeZone: 'UTC' },
      { balances: holding('102 WETH, 294000 USDC'), indications: [] },
      { kind: 'postpone', reason: 'No price for 1 WETH in USDC.' },
    ],
    [
      'what has begun goes on inside the band, whatever the cooldown and the costs',
      { ...half, cooldown: 7_200, horizon: 1 },
      {
        balances: holding('108 WETH, 276000 USDC'),
        lastFill: fill('1 WETH', '3000 USDC', 0.1),
        totals: [total('1 WETH', '3000 USDC')],
        memory: begun,
      },
      sells([
        '3 WETH',
        usdc,
        '8955 USDC',
        'WETH 54 % of 50 %, USDC 46 % of 50 %: 3 WETH of 3 WETH bring 9000 USDC, accepts 8955 USDC.',
      ]),
    ],
    [
      'what came to nothing has not begun',
      half,
      { balances: holding('108 WETH, 276000 USDC'), memory: begun },
      waits('Inside the band: WETH 54 % of 50 %, USDC 46 % of 50 %.'),
    ],
  ])('decide: %s', (_aspect, params, overrides, decision, world) => {
    expect(ask(params, overrides, world)).toEqual(decision)
  })

  test('pairs: a direct price is taken unless both ways through the hub are better', () => {
    const params: Params = { ...three, pairs: [[weth, wbtc]] }
    const look = lookAt(flat, rebalance.watch(params))
    const buys = (wei: bigint) => {
      const indications = look.indications.map((indication) =>
        indication?.sold.token === weth && indication.bought.token === wbtc
          ? { ...indication, bought: { token: wbtc, wei } }
          : indication,
      )
      const balances = holding('120 WETH, 0.6 WBTC, 180000 USDC')
      const decision = decide(params, { balances, indications })
      return decision.kind === 'swap' && decision.intents.map(({ buy }) => buy.symbol)
    }
    expect(buys(3_000_000n)).toEqual(['WBTC'])
    expect(buys(2_999_999n)).toEqual(['USDC'])
  })

  test('inflow: what came in is sold before anything else, until it is spent', () => {
    // WBTC lacks 6 %. USDC is 4 % over and furthest; of the 2 % that WETH is over, some came in.
    const direct: Params = { ...three, pairs: [[weth, wbtc]] }
    const { memory } = decide(direct, { balances: holding('80 WETH, 1.44 WBTC, 204000 USDC') })
    const later = { balances: holding('84 WETH, 1.44 WBTC, 204000 USDC'), memory }
    const sold = (decision: Decision) =>
      decision.kind === 'swap' ? decision.intents.map(({ sell }) => sell) : decision
    expect(sold(decide({ ...direct, inflow: 'ignore' }, later))).toEqual(holding('21000 USDC'))
    expect(sold(decide(direct, later))).toEqual(holding('4 WETH, 9000 USDC'))
  })

  test('inflow: what was bought did not come in, and what went out is taken off', () => {
    const fresh = (overrides: Overrides) => decide(half, overrides).memory?.['fresh:USDC']
    const memory = {
      'there:WETH': '0',
      'bought:WETH': '0',
      'fresh:WETH': '0',
      'there:USDC': '1000000',
      'bought:USDC': '5000000',
      'fresh:USDC': '600000',
    }
    const totals = [total('1 WETH', '7 USDC')]
    expect(fresh({ memory, totals, balances: holding('3 USDC') })).toBe('600000')
    expect(fresh({ memory, totals, balances: holding('13 USDC') })).toBe('10600000')
    expect(fresh({ memory, totals, balances: holding('2.5 USDC') })).toBe('100000')
    expect(fresh({ memory, totals, balances: holding('0.5 USDC, 1 WETH') })).toBe('0')
    expect(fresh({ totals, balances: holding('3 USDC') })).toBe('0')
  })

  test('a token that is cheap is not valued by a price that is rounded to a few units', () => {
    const pepe = token('PEPE', 18, '0x05')
    const weights = [
      { token: pepe, bps: 5_000 },
      { token: usdc, bps: 5_000 },
    ]
    // A millionth of a dollar less, and half of its price is rounded off.
    const cheap: World = { ...flat, prices: { USDC: 1_000_000n, PEPE: 2n }, halfSpreadBps: 10 }
    const balances = [{ token: pepe, wei: 10n ** 27n }, read('1000 USDC')]
    const params = { ...half, weights, probes: [] }
    expect(ask(params, { balances }, cheap)).toEqual(
      putsOff(
        '1 PEPE brings 0.000001 USDC, too little for an exact price: more in `probes` helps.',
      ),
    )
    const probes = [{ token: pepe, wei: 10n ** 24n }]
    expect(ask({ ...params, probes }, { balances }, cheap)).toMatchObject({ kind: 'swap' })
  })
  test('memory: outlives a look at which nothing could be said', () => {
    const memory = { ...begun, 'there:USDC': '1' }
    const { memory: kept } = decide(half, { memory, indications: [] })
    expect(kept).toEqual(memory)
  })

  test('memory: a rebalance ends when nothing is left to do', () => {
    const balances = holding('105 WETH, 315000 USDC')
    const totals = [total('1 WETH', '3000 USDC')]
    const { memory, ...decision } = decide(half, { balances, totals, memory: begun })
    expect(decision).toEqual(
      waits('No swap of at least 100 USDC is left to do: WETH 50 % of 50 %, USDC 50 % of 50 %.'),
    )
    expect(memory).not.toHaveProperty('to')
  })

  test('watch: both directions of every asset, at most two for each, and the gas where it has no price', () => {
    const wants = ['depth']
    expect(rebalance.watch(three)).toEqual([
      { sell: read('1 WETH'), buy: usdc, wants },
      { sell: read('300000 USDC'), buy: weth, wants },
      { sell: read('1 WBTC'), buy: usdc, wants },
      { sell: read('300000 USDC'), buy: wbtc, wants },
    ])
    const gold = { ...half, weights: [{ token: link, bps: 5_000 }, ...half.weights.slice(1)] }
    expect(rebalance.watch({ ...gold, keep: read('1 ETH') })[2]).toEqual({
      sell: read('1 ETH'),
      buy: usdc,
      wants: [],
    })
    expect(rebalance.watch({ ...half, keep: read('1 ETH') })).toHaveLength(2)
    expect(rebalance.watch({ ...gold, keep: read('1 ETH'), wrapped: link })).toHaveLength(2)
    expect(rebalance.watch({ ...half, maxDeviation: 50 })[0]?.wants).toEqual(['depth', 'reference'])
  })

  test('schedule: a period, or the calendar in its own time zone', () => {
    expect(rebalance.schedule({ ...half, every: 60 })).toEqual({ kind: 'every', seconds: 60 })
    expect(rebalance.schedule({ ...half, cron: '0 9 1 * *', timeZone: 'Europe/Berlin' })).toEqual({
      kind: 'cron',
      expression: '0 9 1 * *',
      timeZone: 'Europe/Berlin',
    })
  })
})

describe('rebalance params', () => {
  const schema = rebalance.params(createFields({ bySymbol }))
  const written = { weights: { WETH: '50 %', USDC: '50 %' }, tolerance: '50 bps', keep: '0.1 ETH' }
  const complaints = (changed: object) =>
    schema
      .safeParse({ ...written, ...changed })
      .error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`)

  test('reads what is written', () => {
    expect(
      schema.parse({
        ...written,
        pairs: 'WETH/WBTC',
        weights: { WETH: '40 %', WBTC: '30 %', USDC: '30 %' },
        probes: '0.5 WETH, 500 USDC',
      }),
    ).toEqual({
      weights: three.weights,
      tolerance: 50,
      keep: read('0.1 ETH'),
      pairs: [[weth, wbtc]],
      probes: [read('0.5 WETH'), read('500 USDC')],
    })
  })

  test.each<[object, string]>([
    [
      { weights: { WETH: '50 %', WBTC: '50 %' } },
      'in is missing: which of the weights is to count?',
    ],
    [{ in: 'WBTC' }, 'in is not one of the weights.'],
    [{ trigger: '0 %' }, 'trigger would trade at any drift.'],
    [{ relative: '0 %' }, 'relative would trade at any drift.'],
    [{ turnover: '0 %' }, 'turnover would allow no swap.'],
    [{ gamma: '0' }, 'gamma is no aversion: no drift would ever be worth a trade.'],
    [{ destination: '5 %' }, 'destination does not lie inside the band.'],
    [{ every: '10m', cron: '0 9 * * *', timeZone: 'UTC' }, 'every and cron exclude each other.'],
    [{ cron: '0 9 * * *' }, 'timeZone and cron go together.'],
    [
      { keep: undefined, weights: { LINK: '50 %', USDC: '50 %' } },
      'minimum is missing: without keep nobody knows what gas is worth.',
    ],
    [{ minimum: '1 WETH' }, 'minimum is in WETH, but everything is counted in USDC.'],
    [{ maximum: '1 WETH' }, 'maximum is in WETH, but everything is counted in USDC.'],
    [{ maximum: '9 USDC', minimum: '10 USDC' }, 'maximum is less than the minimum.'],
    [{ maxGasShare: '0 bps' }, 'maxGasShare would allow no swap.'],
    [{ tolerance: '9 bps' }, 'tolerance is less than the 10 bps of impact a slice may have.'],
    [{ tolerance: '1001 bps' }, 'tolerance is more than 1000 bps.'],
    [{ keep: '1 WETH' }, 'keep is WETH, which pays no gas.'],
    [
      { keep: undefined, minimum: '1 USDC', weights: { ETH: '50 %', USDC: '50 %' } },
      'keep is missing: all of the coin that pays the gas would be traded.',
    ],
    [{ wrapped: 'WBTC' }, 'wrapped has 8 decimals and ETH has 18: it wraps another coin.'],
    [{ wrapped: 'LINK' }, 'wrapped or the native coin is one of the weights, not both.'],
    [{ probes: '0 WETH' }, 'probes asks for the price of nothing.'],
    [{ pairs: 'WETH/USDC' }, 'pairs are of weights other than USDC, which trades with all.'],
    [{ pairs: 'WETH' }, "pairs 'WETH' is not a pair: write two tokens, such as WETH/WBTC."],
    [{ pairs: 'WETH/WETH' }, "pairs 'WETH/WETH' is one token twice."],
  ])('refuses %j', (changed, complaint) => {
    expect(complaints(changed)).toEqual([complaint])
  })
})
