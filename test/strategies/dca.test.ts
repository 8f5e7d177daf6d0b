import { describe, expect, test } from 'vitest'
import { amountOf, type Context, type Memory, type Price } from '#strategy'
import { contextWith } from '#strategy/testing'
import dca from '../../strategies/dca.ts'

type Params = Parameters<typeof dca.schedule>[0]
type Rest = Partial<Omit<Context<Params>, 'params'>>

const weth = { chainId: 31337, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 31337, address: '0x02', symbol: 'USDC', decimals: 6 } as const
const ether = (decimal: string) => amountOf(weth, decimal)
const dollars = (decimal: string) => amountOf(usdc, decimal)
const sell = dollars('500')
const slot = Date.UTC(2026, 4, 4, 7)
const day = 86_400_000
/** What one WETH costs. */
const costs = (decimal: string): Price => ({ sold: dollars(decimal), bought: ether('1') })
const brings = (decimal: string, sold = sell) => ({ sold, bought: ether(decimal), route: [] })
const market = { indications: [brings('0.2')] }
const base: Params = {
  sell,
  buy: weth,
  cron: '0 9 * * *',
  timeZone: 'Europe/Berlin',
  tolerance: 50,
}
const rich = [dollars('100000')]
const open = { swapId: 's1', sell, buy: weth, since: 0 }
const sold = (usd: string, eth = '1', swaps = 1) => ({
  totals: [{ sold: dollars(usd), bought: ether(eth), swaps }],
})
const fill = (usd: string, eth: string) => ({
  at: 0,
  price: { sold: dollars(usd), bought: ether(eth) },
})

type Noted = { before?: string; intended?: string; dropped?: string; target?: string }
/** What it is to write down, in dollars. */
const notes = (
  { before = '0', intended = '500', dropped = '0', target }: Noted = {},
  { final = true, at = slot } = {},
): Memory => ({
  slot: at,
  final,
  before: `${dollars(before).wei}`,
  intended: `${dollars(intended).wei}`,
  dropped: `${dollars(dropped).wei}`,
  ...(target === undefined ? {} : { target: `${dollars(target).wei}` }),
})
const yesterday = (noted: Noted, final = true) => notes(noted, { final, at: slot - day })

const short = (params: Partial<Params>, rest: Rest) => {
  const context = contextWith({ ...base, ...params }, { slot, balances: rich, ...rest })
  const { memory, ...decision } = dca.decide(context)
  const said =
    decision.kind === 'swap'
      ? decision.intents.map(({ sell, floor, reason }) => [sell.wei, floor.wei, reason])
      : decision.reason
  return [decision.kind, said, memory]
}
type Sale = [
  aspect: string,
  params: Partial<Params>,
  rest: Rest,
  amounts: readonly [sell: string, floor: string],
  more: string,
  memory?: Memory,
]
const head = 'Slot 2026-05-04T07:00:00.000Z: the market asks'
const sales = (rows: readonly Sale[]) =>
  test.each(rows)('decide: %s', (_aspect, params, rest, [amount, floor], said, memory) => {
    const intent = [dollars(amount).wei, ether(floor).wei, `${head} ${said}`]
    expect(short(params, rest)).toEqual(['swap', [intent], memory ?? notes()])
  })
type Row = ['wait' | 'postpone', string, Partial<Params>, Rest, string, (Memory | 'nothing')?]
const table = (rows: readonly Row[]) =>
  test.each(rows)('decide: %ss: %s', (kind, _aspect, params, rest, reason, memory) => {
    const noted = memory === 'nothing' ? undefined : (memory ?? notes())
    expect(short(params, rest)).toEqual([kind, reason, noted])
  })

describe('dca fixed', () => {
  sales([
    [
      'buys at the slot, for the indication less the tolerance',
      {},
      market,
      ['500', '0.199'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199 WETH.',
    ],
    [
      'rounds the floor up',
      { mode: 'fixed' },
      { indications: [brings('0.000000000000000001')] },
      ['500', '0.000000000000000001'],
      '500000000000000000000 USDC per WETH, sells 500 USDC for at least 0.000000000000000001 WETH.',
    ],
    [
      'a slot that is made up for is bought, however late',
      { late: 3_600 },
      { ...market, now: slot + 3 * day },
      ['500', '0.199'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199 WETH.',
    ],
    [
      'a slot whose swap failed wants the same again',
      {},
      { ...market, memory: notes() },
      ['500', '0.199'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199 WETH.',
    ],
    [
      'what an earlier slot left is not sold where nothing is carried',
      {},
      { ...market, memory: yesterday({}) },
      ['500', '0.199'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199 WETH.',
      notes({ dropped: '500' }),
    ],
    [
      'nor is a swap that failed after the next slot was counted',
      {},
      { ...market, memory: notes({ before: '500' }) },
      ['500', '0.199'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199 WETH.',
      notes({ before: '500' }),
    ],
    [
      'price: bounds the floor from below',
      { price: costs('2510') },
      market,
      ['500', '0.199203187250996016'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199203187250996016 WETH.',
    ],
    [
      'price: does not lower the floor',
      { price: costs('2510') },
      { indications: [brings('0.25')] },
      ['500', '0.24875'],
      '2000 USDC per WETH, sells 500 USDC for at least 0.24875 WETH.',
    ],
    [
      'priceMin, priceMax: the dearer end bounds the floor, whichever way round they are written',
      { priceMin: costs('2510'), priceMax: costs('2000') },
      market,
      ['500', '0.199203187250996016'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199203187250996016 WETH.',
    ],
    [
      'price: counts where it is stricter than the band',
      { priceMin: costs('2000'), priceMax: costs('3000'), price: costs('2510') },
      market,
      ['500', '0.199203187250996016'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199203187250996016 WETH.',
    ],
    [
      'budget: the last slice is what is left of it',
      { budget: dollars('1100') },
      { ...market, ...sold('1000'), memory: yesterday({ before: '500' }) },
      ['100', '0.0398'],
      '2500 USDC per WETH, sells 100 USDC for at least 0.0398 WETH. 400 USDC is left.',
      notes({ before: '1000' }),
    ],
    [
      'minimum: sells what there is, down to it',
      { minimum: dollars('50') },
      { ...market, balances: [dollars('50')] },
      ['50', '0.0199'],
      '2500 USDC per WETH, sells 50 USDC for at least 0.0199 WETH. 450 USDC is left.',
    ],
    [
      'start: is the first slot',
      { start: slot },
      market,
      ['500', '0.199'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199 WETH.',
    ],
    [
      'end: the slot before it is the last',
      { end: slot + 1 },
      market,
      ['500', '0.199'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199 WETH.',
    ],
  ])

  table([
    [
      'postpone',
      'there is no price',
      {},
      { indications: [undefined] },
      'No price for 500 USDC.',
      notes({}, { final: false }),
    ],
    [
      'postpone',
      'a market that pays nothing is no market',
      {},
      { indications: [brings('0')] },
      'No price for 500 USDC.',
      notes({}, { final: false }),
    ],
    [
      'postpone',
      'a swap is in flight',
      {},
      { ...market, inflight: [open] },
      'Swap s1 of 500 USDC is in flight.',
      notes({ before: '500' }),
    ],
    [
      'postpone',
      'it holds too little',
      {},
      { ...market, balances: [dollars('499.999999')] },
      'Holds 499.999999 USDC, less than the 500 USDC to sell.',
    ],
    [
      'wait',
      'the slot was asked before and has settled since',
      {},
      { ...market, ...sold('500', '0.2'), memory: notes() },
      'Slot 2026-05-04T07:00:00.000Z: all that was due is sold.',
    ],
    [
      'wait',
      'a slot out of turn buys nothing',
      {},
      { ...market, ...sold('500', '0.2'), memory: notes({}, { at: slot + day }) },
      'Slot 2026-05-04T07:00:00.000Z: all that was due is sold.',
      notes({}, { at: slot + day }),
    ],
    [
      'wait',
      'the market is beyond the worst price, by one unit',
      { price: costs('2500') },
      { indications: [brings('0.199999999999999999')] },
      'The market asks 2500 USDC per WETH, the worst is 2500 USDC per WETH: short by 0.0001 %.',
    ],
    [
      'wait',
      'the market is too dear for the band',
      { priceMin: costs('2000'), priceMax: costs('2400') },
      market,
      'The market asks 2500 USDC per WETH, the worst is 2400 USDC per WETH: short by 4 %.',
    ],
    [
      'wait',
      'the market is too cheap to be true',
      { priceMin: costs('2600'), priceMax: costs('3000') },
      market,
      'The market asks 2500 USDC per WETH, better than 2600 USDC per WETH: outside the band.',
    ],
    [
      'wait',
      'the budget is used up',
      { budget: dollars('1000') },
      { ...market, ...sold('1000'), memory: yesterday({ before: '500' }) },
      'Sold 1000 USDC of 1000 USDC: finished.',
      notes({ before: '1000' }),
    ],
    [
      'wait',
      'the budget counts what was sold for another token as well',
      { budget: dollars('1000') },
      {
        ...market,
        totals: [
          {
            sold: dollars('1000'),
            bought: { token: { ...weth, address: '0x03' }, wei: 1n },
            swaps: 1,
          },
        ],
      },
      'Sold 1000 USDC of 1000 USDC: finished.',
      notes({ before: '1000' }),
    ],
    [
      'wait',
      'minimum: the rest of the budget is dust',
      { budget: dollars('1010'), minimum: dollars('50') },
      { ...market, ...sold('1000'), memory: yesterday({ before: '500' }) },
      'Sold 1000 USDC of 1010 USDC: finished. The rest of 10 USDC is less than the minimum of 50 USDC.',
      notes({ before: '1000' }),
    ],
    [
      'postpone',
      'minimum: it holds less',
      { minimum: dollars('50') },
      { ...market, balances: [dollars('49')] },
      'Holds 49 USDC, less than the 50 USDC to sell.',
    ],
    [
      'wait',
      'start: it has not begun',
      { start: slot + 1 },
      market,
      'Starts at 2026-05-04T07:00:00.001Z.',
      'nothing',
    ],
    [
      'wait',
      'end: it is over',
      { end: slot },
      market,
      'Ended at 2026-05-04T07:00:00.000Z.',
      'nothing',
    ],
  ])
})

describe('dca carry', () => {
  const carryMost = 3
  /** A price for the usual slice, and a worse one for the largest. */
  const deep = { indications: [brings('0.2'), brings('0.78', dollars('2000'))] }

  sales([
    [
      'sells what was left with what is due, at the price of the largest slice',
      { carryMost },
      { ...deep, memory: yesterday({}) },
      ['1000', '0.38805'],
      '2564.102564 USDC per WETH, sells 1000 USDC for at least 0.38805 WETH. 500 USDC is carried from before.',
      notes({ before: '500' }),
    ],
    [
      'what the largest slice has no price for goes on to the next slot',
      { carryMost },
      { indications: [brings('0.2'), undefined], memory: yesterday({}) },
      ['500', '0.199'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199 WETH. 500 USDC is carried from before. 500 USDC is left.',
      notes({ before: '500' }),
    ],
    [
      'and what it would sell too badly',
      { carryMost, price: costs('2550') },
      { ...deep, memory: yesterday({}) },
      ['500', '0.199'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199 WETH. 500 USDC is carried from before. 500 USDC is left.',
      notes({ before: '500' }),
    ],
    [
      'sells what it holds, from a whole slice on',
      { carryMost },
      { ...deep, balances: [dollars('600')], memory: yesterday({}) },
      ['600', '0.23283'],
      '2564.102564 USDC per WETH, sells 600 USDC for at least 0.23283 WETH. 500 USDC is carried from before. 400 USDC is left.',
      notes({ before: '500' }),
    ],
    [
      'most: bounds one slot',
      { carryMost, most: dollars('750') },
      { indications: [brings('0.2'), brings('0.297', dollars('750'))], memory: yesterday({}) },
      ['750', '0.295515'],
      '2525.252525 USDC per WETH, sells 750 USDC for at least 0.295515 WETH. 500 USDC is carried from before. 250 USDC is left.',
      notes({ before: '500' }),
    ],
    [
      'no more is carried than so many slices',
      { carryMost },
      { ...deep, memory: yesterday({ intended: '500', before: '1200' }) },
      ['2000', '0.7761'],
      '2564.102564 USDC per WETH, sells 2000 USDC for at least 0.7761 WETH. 1500 USDC is carried from before.',
      notes({ before: '1500', dropped: '200' }),
    ],
    [
      'a swap that failed after the next slot was counted is carried',
      { carryMost },
      { ...deep, memory: notes({ before: '500' }) },
      ['1000', '0.38805'],
      '2564.102564 USDC per WETH, sells 1000 USDC for at least 0.38805 WETH. 500 USDC is carried from before.',
      notes({ before: '500' }),
    ],
  ])

  table([
    [
      'postpone',
      'what could not be spent is carried, and said',
      { carryMost },
      { ...deep, balances: [dollars('499')] },
      'Holds 499 USDC, less than the 500 USDC to sell. 500 USDC is carried.',
    ],
    [
      'wait',
      'what the market would not have is carried',
      { carryMost, price: costs('2400') },
      { ...deep, memory: yesterday({}) },
      'The market asks 2500 USDC per WETH, the worst is 2400 USDC per WETH: short by 4 %. 1000 USDC is carried.',
      notes({ before: '500' }),
    ],
    [
      'wait',
      'what the next slot cannot sell any more is dropped, and said',
      { carryMost: 1, price: costs('2400') },
      { ...deep, memory: yesterday({}) },
      'The market asks 2500 USDC per WETH, the worst is 2400 USDC per WETH: short by 4 %. 500 USDC is carried, 500 USDC is dropped.',
      notes({ before: '500' }),
    ],
    [
      'wait',
      'no more is carried than the budget has',
      { carryMost: 3, price: costs('2400'), budget: dollars('600') },
      { ...deep, memory: yesterday({}) },
      'The market asks 2500 USDC per WETH, the worst is 2400 USDC per WETH: short by 4 %. 600 USDC is carried, 400 USDC is dropped.',
      notes({ before: '500' }),
    ],
    [
      'postpone',
      'a slot without a price is counted once, however often it is asked',
      { carryMost },
      { indications: [undefined, undefined], memory: notes({ before: '500' }, { final: false }) },
      'No price for 500 USDC.',
      notes({ before: '500' }, { final: false }),
    ],
  ])
})

describe('dca dip', () => {
  const dip: Partial<Params> = { dipBelow: 500, dipFactor: 20_000 }
  // 1000 USDC for 0.38 WETH: 2631.58 for one, of which 2500 is 95 %.
  const fills = [fill('500', '0.18'), fill('500', '0.2')]
  const deep = (decimal: string) => [brings(decimal), brings('0.39', dollars('1000'))]

  sales([
    [
      'buys so much more when it costs exactly so much less than the last fills on average',
      dip,
      { indications: deep('0.2'), fills },
      ['1000', '0.38805'],
      '2564.102564 USDC per WETH, sells 1000 USDC for at least 0.38805 WETH. A dip: 1000 USDC instead of 500 USDC.',
      notes({ intended: '1000' }),
    ],
    [
      'buys as usual one unit above that',
      dip,
      { indications: deep('0.199999999999999999'), fills },
      ['500', '0.199'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199 WETH.',
    ],
    [
      'has no average before the first fill',
      dip,
      { indications: deep('0.3') },
      ['500', '0.2985'],
      '1666.666666 USDC per WETH, sells 500 USDC for at least 0.2985 WETH.',
    ],
    [
      'a slot that began as a dip stays one',
      dip,
      { indications: deep('0.19'), fills, memory: notes({ intended: '1000' }) },
      ['1000', '0.38805'],
      '2564.102564 USDC per WETH, sells 1000 USDC for at least 0.38805 WETH. A dip: 1000 USDC instead of 500 USDC.',
      notes({ intended: '1000' }),
    ],
    [
      'a slot that began without a price may still become one',
      dip,
      { indications: deep('0.2'), fills, memory: notes({}, { final: false }) },
      ['1000', '0.38805'],
      '2564.102564 USDC per WETH, sells 1000 USDC for at least 0.38805 WETH. A dip: 1000 USDC instead of 500 USDC.',
      notes({ intended: '1000' }),
    ],
  ])
})

describe('dca value', () => {
  const value: Partial<Params> = { mode: 'value', most: dollars('1500') }
  const deep = { indications: [brings('0.2'), brings('0.58', dollars('1500'))] }

  sales([
    [
      'the first slot buys one slice',
      value,
      deep,
      ['500', '0.199'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199 WETH. The target is 500 USDC.',
      notes({ target: '500' }),
    ],
    [
      'begins at what there is: 1 WETH is worth 2500 USDC',
      value,
      { ...deep, ...sold('3000') },
      ['500', '0.199'],
      '2500 USDC per WETH, sells 500 USDC for at least 0.199 WETH. The target is 3000 USDC.',
      notes({ before: '3000', target: '3000' }),
    ],
    [
      'buys what is missing to the target',
      value,
      { ...deep, ...sold('3000'), memory: yesterday({ before: '2500', target: '2900' }) },
      ['900', '0.34626'],
      '2586.206896 USDC per WETH, sells 900 USDC for at least 0.34626 WETH. The target is 3400 USDC.',
      notes({ before: '3000', intended: '900', target: '3400' }),
    ],
    [
      'most: bounds one slot',
      value,
      { ...deep, ...sold('3000'), memory: yesterday({ before: '2500', target: '9000' }) },
      ['1500', '0.5771'],
      '2586.206896 USDC per WETH, sells 1500 USDC for at least 0.5771 WETH. The target is 9500 USDC.',
      notes({ before: '3000', intended: '1500', target: '9500' }),
    ],
    [
      'a slot that is asked again has grown the target once, and wants the same',
      value,
      {
        indications: [brings('0.19'), brings('0.57', dollars('1500'))],
        memory: notes({ intended: '500', target: '500' }),
      },
      ['500', '0.18905'],
      '2631.578947 USDC per WETH, sells 500 USDC for at least 0.18905 WETH. The target is 500 USDC.',
      notes({ intended: '500', target: '500' }),
    ],
  ])

  table([
    [
      'wait',
      'never sells: what is worth more than the target is left alone',
      value,
      { ...deep, ...sold('3000'), memory: yesterday({ before: '2500', target: '2000' }) },
      'What was bought is worth 2500 USDC, the target is 2500 USDC.',
      notes({ before: '3000', intended: '0', target: '2500' }),
    ],
    [
      'postpone',
      'without a price there is no value, and the target has grown all the same',
      value,
      { indications: [undefined, undefined], memory: yesterday({ target: '500' }) },
      'No price for 500 USDC.',
      notes({ intended: '0', dropped: '500', target: '1000' }, { final: false }),
    ],
    [
      'postpone',
      'what is in flight is not valued yet',
      value,
      { ...deep, inflight: [open], memory: yesterday({ target: '500' }) },
      'Swap s1 of 500 USDC is in flight.',
      notes({ before: '500', intended: '0', target: '1000' }, { final: false }),
    ],
    [
      'postpone',
      'a first slot without a price has no target',
      value,
      { indications: [undefined, undefined] },
      'No price for 500 USDC.',
      notes({ intended: '0' }, { final: false }),
    ],
    [
      'wait',
      'minimum: what is missing is dust',
      { ...value, minimum: dollars('50') },
      { ...deep, ...sold('3000'), memory: yesterday({ before: '2500', target: '2040' }) },
      '40 USDC is due, less than the minimum of 50 USDC.',
      notes({ before: '3000', intended: '40', target: '2540' }),
    ],
  ])
})

describe('dca around the decision', () => {
  const largest = (params: Partial<Params>) =>
    dca.watch({ ...base, ...params }).map(({ sell }) => sell)

  test('watch: one slice, and the largest where it may come to more', () => {
    expect(dca.watch(base)).toEqual([{ sell, buy: weth }])
    expect(largest({ carryMost: 3 })).toEqual([sell, dollars('2000')])
    expect(largest({ carryMost: 3, dipBelow: 500, dipFactor: 20_000 })).toEqual([
      sell,
      dollars('2500'),
    ])
    expect(largest({ carryMost: 3, most: dollars('750') })).toEqual([sell, dollars('750')])
    expect(largest({ carryMost: 3, budget: dollars('900') })).toEqual([sell, dollars('900')])
    expect(largest({ mode: 'value', most: dollars('1500') })).toEqual([sell, dollars('1500')])
    expect(largest({ most: dollars('1500'), budget: dollars('300') })).toEqual([sell])
  })

  test('schedule: is the calendar in its own time zone, with what it says of late and missed slots', () => {
    const calendar = { kind: 'cron', expression: '0 9 * * *', timeZone: 'Europe/Berlin' }
    expect(dca.schedule(base)).toEqual(calendar)
    expect(dca.schedule({ ...base, late: 60, missed: 3, jitter: 30 })).toEqual({
      ...calendar,
      late: 60,
      makeUp: 3,
      jitter: 30,
    })
  })

  test('reserves: what it says, and no more than the budget still allows', () => {
    const keeps = (params: Partial<Params>, rest: Rest = {}) =>
      dca.reserves?.({ ...contextWith({ ...base, ...params }, rest) })
    const reserve = dollars('1000')
    expect(keeps({})).toEqual([])
    expect(keeps({ reserve })).toEqual([reserve])
    expect(keeps({ reserve, budget: dollars('2000') }, sold('500'))).toEqual([reserve])
    expect(
      keeps({ reserve, budget: dollars('2000') }, { ...sold('1200'), inflight: [open] }),
    ).toEqual([dollars('300')])
    expect(keeps({ reserve, budget: dollars('2000') }, sold('2100'))).toEqual([dollars('0')])
    expect(keeps({ reserve, end: contextWith(base).now + 1 })).toEqual([reserve])
    expect(keeps({ reserve, end: contextWith(base).now })).toEqual([])
  })

  test('selling a coin by the calendar is said the way round it is priced', () => {
    const params: Params = {
      ...base,
      sell: ether('1'),
      buy: usdc,
      price: { sold: ether('1'), bought: dollars('3000') },
    }
    const pays = (decimal: string) =>
      contextWith(params, {
        slot,
        balances: [ether('1')],
        indications: [{ sold: ether('1'), bought: dollars(decimal), route: [] }],
      })
    const reason = (decimal: string) => {
      const decision = dca.decide(pays(decimal))
      return decision.kind === 'swap' ? decision.intents[0]?.reason : decision.reason
    }
    expect(reason('3100')).toBe(
      'Slot 2026-05-04T07:00:00.000Z: the market pays 3100 USDC per WETH, sells 1 WETH for at least 3084.5 USDC.',
    )
    expect(reason('2998.1')).toBe(
      'The market pays 2998.1 USDC per WETH, the worst is 3000 USDC per WETH: short by 0.063 %.',
    )
  })
})
