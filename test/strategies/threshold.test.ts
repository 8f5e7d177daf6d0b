import { describe, expect, test } from 'vitest'
import { amountOf, type Context, type Memory, type Price } from '#strategy'
import { contextWith } from '#strategy/testing'
import threshold from '../../strategies/threshold.ts'

type Params = Parameters<typeof threshold.schedule>[0]
type Rest = Partial<Omit<Context<Params>, 'params'>>

const weth = { chainId: 31337, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 31337, address: '0x02', symbol: 'USDC', decimals: 6 } as const
const ether = (decimal: string) => amountOf(weth, decimal)
const dollars = (decimal: string) => amountOf(usdc, decimal)
const one = ether('1')
const at = (decimal: string): Price => ({ sold: one, bought: dollars(decimal) })
const pays = (decimal: string) => [{ ...at(decimal), route: ['maker-a'] }]
const base: Params = { sell: one, buy: usdc, every: 5, price: at('3000') }
const rich = [ether('100')]
const open = { swapId: 's1', sell: one, buy: usdc, since: 0 }
const sold = (decimal: string, swaps: number) => ({
  totals: [{ sold: ether(decimal), bought: dollars('1'), swaps }],
})
const fill = (decimal: string) => ({ at: 0, price: at(decimal) })

const decide = (params: Partial<Params>, rest: Rest) =>
  threshold.decide(contextWith({ ...base, ...params }, { balances: rich, ...rest }))

/** What it said, wrote down, and, where it swaps, what for how much. */
const short = (params: Partial<Params>, rest: Rest) => {
  const { memory, ...decision } = decide(params, rest)
  const said =
    decision.kind === 'swap'
      ? decision.intents.map(({ sell, floor, reason }) => [sell.wei, floor.wei, reason])
      : decision.reason
  return [decision.kind, said, memory]
}
type Row = [string, Partial<Params>, Rest, string, Memory?]
const table = (rows: readonly Row[]) =>
  test.each(rows)('decide: %s', (_aspect, params, rest, reason, memory) => {
    // Put off where the look says nothing of the bound, and there is something to sell.
    const kind = /^No price|no independent reference|is allowed\.$|is open|in flight/.test(reason)
      ? 'postpone'
      : 'wait'
    expect(short(params, rest)).toEqual([kind, reason, memory])
  })
type Sale = [string, Partial<Params>, Rest, readonly [sell: string, floor: string], string, Memory?]
const sales = (rows: readonly Sale[]) =>
  test.each(rows)('decide: %s', (_aspect, params, rest, [sell, floor], reason, memory) => {
    const intent = [ether(sell).wei, dollars(floor).wei, reason]
    expect(short(params, rest)).toEqual(['swap', [intent], memory])
  })

test('decide: what says nothing of the bound is all well where there is nothing to sell', () => {
  const blind = { indications: [undefined] }
  expect(decide({}, blind).kind).toBe('postpone')
  expect(decide({}, { ...blind, balances: [ether('0.5')] }).kind).toBe('wait')
  const balance = { when: 'balance', above: ether('10') } as const
  const kinds = ['12', '10.5'].map(
    (holds) => decide(balance, { ...blind, balances: [ether(holds)] }).kind,
  )
  expect(kinds).toEqual(['postpone', 'wait'])
})

describe('threshold limit', () => {
  sales([
    [
      'sells at exactly the price',
      {},
      { indications: pays('3000') },
      ['1', '3000'],
      'The market pays 3000 USDC per WETH, the price is 3000 USDC per WETH. Accepts 3000 USDC.',
    ],
    [
      'sells above the price, and still accepts the price',
      { when: 'limit' },
      { indications: pays('3100.5') },
      ['1', '3000'],
      'The market pays 3100.5 USDC per WETH, the price is 3000 USDC per WETH. Accepts 3000 USDC.',
    ],
    [
      'keep: sells the last slice above it',
      { keep: ether('10') },
      { indications: pays('3000'), balances: [ether('11')] },
      ['1', '3000'],
      'The market pays 3000 USDC per WETH, the price is 3000 USDC per WETH. Accepts 3000 USDC.',
    ],
    [
      'limit: sells the rest of it, for as much of the price',
      { limit: ether('2.5') },
      { indications: pays('3000'), ...sold('2', 2) },
      ['0.5', '1500'],
      'The market pays 3000 USDC per WETH, the price is 3000 USDC per WETH. Accepts 1500 USDC.',
    ],
    [
      'repeat: always goes on',
      { repeat: 'always' },
      { indications: pays('3000'), ...sold('2', 2) },
      ['1', '3000'],
      'The market pays 3000 USDC per WETH, the price is 3000 USDC per WETH. Accepts 3000 USDC.',
    ],
    [
      'take-profit: sells at the gain over the entry, held to it exactly',
      { when: 'take-profit', price: undefined, entry: at('3000'), gain: 500 },
      { indications: pays('3150') },
      ['1', '3150'],
      'The market pays 3150 USDC per WETH, the target is 3150 USDC per WETH. Accepts 3150 USDC.',
    ],
  ])

  table([
    [
      'waits one unit below the price',
      {},
      { indications: pays('2999.999999') },
      'The market pays 2999.999999 USDC per WETH, the price is 3000 USDC per WETH: short by 0.0001 %.',
    ],
    [
      'says how much is missing',
      {},
      { indications: pays('2998.10') },
      'The market pays 2998.1 USDC per WETH, the price is 3000 USDC per WETH: short by 0.063 %.',
    ],
    ['waits without a price', {}, { indications: [undefined] }, 'No price for 1 WETH.'],
    [
      'takes a market that pays nothing for no market',
      {},
      { indications: pays('0') },
      'No price for 1 WETH.',
    ],
    [
      'waits while a slice is in flight, whatever the market pays',
      {},
      { indications: pays('9999'), inflight: [open] },
      'Swap s1 of 1 WETH is in flight.',
    ],
    [
      'waits when it holds one wei too little',
      {},
      { indications: pays('9999'), balances: [{ token: weth, wei: one.wei - 1n }] },
      'Holds 0.999999999999999999 WETH, less than the 1 WETH to sell.',
    ],
    [
      'waits when it holds nothing',
      {},
      { indications: pays('9999'), balances: [] },
      'Holds 0 WETH, less than the 1 WETH to sell.',
    ],
    [
      'keep: does not sell what is kept',
      { keep: ether('10') },
      { indications: pays('9999'), balances: [ether('10.999')] },
      'Holds 10.999 WETH and keeps 10 WETH: 1 WETH would be too much.',
    ],
    [
      'limit: is over when all of it is sold',
      { limit: ether('2') },
      { indications: pays('9999'), ...sold('2', 2) },
      'Sold 2 WETH of at most 2 WETH: finished.',
    ],
    [
      'limit: counts what is in flight as sold',
      { limit: ether('2') },
      { indications: pays('9999'), ...sold('1', 1), inflight: [open] },
      'Swap s1 of 1 WETH is in flight.',
    ],
    [
      'repeat: once is once, however little was sold',
      { repeat: 'once' },
      { indications: pays('9999'), ...sold('0.5', 1) },
      'Sold 0.5 WETH: repeat is once, so it is done. Another order takes another name.',
    ],
    [
      'take-profit: waits for the gain',
      { when: 'take-profit', price: undefined, entry: at('3000'), gain: 500 },
      { indications: pays('3100') },
      'The market pays 3100 USDC per WETH, the target is 3150 USDC per WETH: short by 1.587 %.',
    ],
  ])

  test('buying is selling the other token: the price is what the bought one may cost', () => {
    const price = { sold: dollars('3000'), bought: one }
    const params: Params = { sell: dollars('600'), buy: weth, every: 5, price }
    const brings = (decimal: string) =>
      contextWith(params, {
        indications: [{ sold: dollars('600'), bought: ether(decimal), route: [] }],
        balances: [dollars('600')],
      })
    expect(threshold.decide(brings('0.2'))).toEqual({
      kind: 'swap',
      intents: [
        {
          sell: dollars('600'),
          buy: weth,
          floor: ether('0.2'),
          reason:
            'The market asks 3000 USDC per WETH, the price is 3000 USDC per WETH. Accepts 0.2 WETH.',
        },
      ],
    })
    expect(threshold.decide(brings('0.1875'))).toEqual({
      kind: 'wait',
      reason:
        'The market asks 3200 USDC per WETH, the price is 3000 USDC per WETH: short by 6.25 %.',
    })
  })
})

describe('threshold stop', () => {
  const stop: Partial<Params> = { when: 'stop', price: at('2500'), tolerance: 100 }
  const sees = (market: string, reference?: string): Rest => ({
    indications: pays(market),
    references: [reference === undefined ? undefined : at(reference)],
  })

  sales([
    [
      'sells at exactly the stop, at the market less the tolerance',
      stop,
      sees('2500', '2500'),
      ['1', '2475'],
      'The market pays 2500 USDC per WETH, the stop is 2500 USDC per WETH. Accepts 2475 USDC.',
    ],
    [
      'follows a market that is far below, as long as the reference does',
      stop,
      sees('2000', '2020.20202'),
      ['1', '1980'],
      'The market pays 2000 USDC per WETH, the stop is 2500 USDC per WETH. Accepts 1980 USDC.',
    ],
    [
      'confirmWithin: is the operator’s',
      { ...stop, confirmWithin: 500 },
      sees('2000', '2105.263157'),
      ['1', '1980'],
      'The market pays 2000 USDC per WETH, the stop is 2500 USDC per WETH. Accepts 1980 USDC.',
    ],
  ])

  table([
    [
      'waits above it',
      stop,
      sees('2600', '2600'),
      'The market pays 2600 USDC per WETH, the stop is 2500 USDC per WETH: 4 % away.',
    ],
    [
      'does not believe a market without a reference',
      stop,
      sees('2400'),
      'The market pays 2400 USDC per WETH, and no independent reference confirms it.',
    ],
    [
      'does not believe a market below its reference, by one unit more than allowed',
      stop,
      sees('2000', '2020.202021'),
      'The market pays 2000 USDC per WETH, the reference says 2020.202021 USDC per WETH: 1 % apart, 1 % is allowed.',
    ],
    [
      'does not believe a market above its reference',
      stop,
      sees('2500', '2400'),
      'The market pays 2500 USDC per WETH, the reference says 2400 USDC per WETH: 4.167 % apart, 1 % is allowed.',
    ],
  ])

  test('watch: asks for a reference where one is compulsory, and nowhere else', () => {
    const watched = (when: Params['when']) => threshold.watch({ ...base, when })[0]?.wants
    expect(
      ['limit', 'take-profit', 'balance', 'stop', 'trailing', undefined].map((when) =>
        watched(when as Params['when']),
      ),
    ).toEqual([undefined, undefined, undefined, ['reference'], ['reference'], undefined])
  })
})

describe('threshold trailing', () => {
  const trailing: Partial<Params> = {
    when: 'trailing',
    price: undefined,
    trail: 300,
    tolerance: 100,
  }
  const sees = (market: string, reference = market): Rest => ({
    indications: pays(market),
    references: [at(reference)],
  })
  const best = (decimal: string, swaps = 0): Memory => ({
    swaps,
    bestSold: `${one.wei}`,
    bestBought: `${dollars(decimal).wei}`,
  })

  sales([
    [
      'sells where the market has fallen by exactly the trail',
      trailing,
      { ...sees('2910'), memory: best('3000') },
      ['1', '2880.9'],
      'The market pays 2910 USDC per WETH, the stop is 2910 USDC per WETH after a best of 3000 USDC per WETH. Accepts 2880.9 USDC.',
      best('3000'),
    ],
  ])

  table([
    [
      'begins at the first price it believes',
      trailing,
      sees('3000'),
      'The market pays 3000 USDC per WETH, the stop is 2910 USDC per WETH after a best of 3000 USDC per WETH: 3.093 % away.',
      best('3000'),
    ],
    [
      'rises with the market',
      trailing,
      { ...sees('3100'), memory: best('3000') },
      'The market pays 3100 USDC per WETH, the stop is 3007 USDC per WETH after a best of 3100 USDC per WETH: 3.093 % away.',
      best('3100'),
    ],
    [
      'does not fall with it',
      trailing,
      { ...sees('2950'), memory: best('3000') },
      'The market pays 2950 USDC per WETH, the stop is 2910 USDC per WETH after a best of 3000 USDC per WETH: 1.375 % away.',
      best('3000'),
    ],
    [
      'does not rise with a market the reference knows nothing of',
      trailing,
      { ...sees('4000', '3000'), memory: best('3000') },
      'The market pays 4000 USDC per WETH, the reference says 3000 USDC per WETH: 33.333 % apart, 1 % is allowed.',
      best('3000'),
    ],
    [
      'does not fall for a market the reference knows nothing of',
      trailing,
      { ...sees('2000', '3000'), memory: best('3000') },
      'The market pays 2000 USDC per WETH, the reference says 3000 USDC per WETH: 33.333 % apart, 1 % is allowed.',
      best('3000'),
    ],
    [
      'price: is followed from there on',
      { ...trailing, price: at('3000') },
      sees('2999'),
      'The market pays 2999 USDC per WETH: it is followed from 3000 USDC per WETH on.',
      { swaps: 0 },
    ],
    [
      'price: no longer matters when it is followed',
      { ...trailing, price: at('3000') },
      { ...sees('2999'), memory: best('3000') },
      'The market pays 2999 USDC per WETH, the stop is 2910 USDC per WETH after a best of 3000 USDC per WETH: 3.058 % away.',
      best('3000'),
    ],
    [
      'a fill ends what was followed: it begins anew',
      trailing,
      { ...sees('2900'), memory: best('3000'), ...sold('1', 1) },
      'The market pays 2900 USDC per WETH, the stop is 2813 USDC per WETH after a best of 2900 USDC per WETH: 3.093 % away.',
      best('2900', 1),
    ],
    [
      'hysteresis: after a fill it is followed again from that much above the fill',
      { ...trailing, hysteresis: 100 },
      { ...sees('2928'), memory: best('3000'), ...sold('1', 1), fills: [fill('2900')] },
      'The market pays 2928 USDC per WETH: it is followed from 2929 USDC per WETH on.',
      { swaps: 0 },
    ],
    [
      'hysteresis: and begins anew there',
      { ...trailing, hysteresis: 100 },
      { ...sees('2929'), memory: { swaps: 0 }, ...sold('1', 1), fills: [fill('2900')] },
      'The market pays 2929 USDC per WETH, the stop is 2841.13 USDC per WETH after a best of 2929 USDC per WETH: 3.093 % away.',
      best('2929', 1),
    ],
  ])
})

describe('threshold balance', () => {
  const balance: Partial<Params> = {
    when: 'balance',
    price: undefined,
    above: ether('10'),
    tolerance: 100,
  }
  const holds = (decimal: string): Rest => ({
    indications: pays('3000'),
    balances: [ether(decimal)],
  })

  sales([
    [
      'sells a slice of what is too much',
      balance,
      holds('11'),
      ['1', '2970'],
      'Holds 11 WETH, 10 WETH is enough; the market pays 3000 USDC per WETH. Accepts 2970 USDC.',
    ],
    [
      'minimum: sells all that is too much, from there on',
      { ...balance, minimum: ether('0.1') },
      holds('10.1'),
      ['0.1', '297'],
      'Holds 10.1 WETH, 10 WETH is enough; the market pays 3000 USDC per WETH. Accepts 297 USDC.',
    ],
    [
      'price: is the worst, and bounds the floor',
      { ...balance, price: at('2990') },
      holds('11'),
      ['1', '2990'],
      'Holds 11 WETH, 10 WETH is enough; the market pays 3000 USDC per WETH, the worst is 2990 USDC per WETH. Accepts 2990 USDC.',
    ],
    [
      'price: does not lower the floor',
      { ...balance, price: at('2000') },
      holds('11'),
      ['1', '2970'],
      'Holds 11 WETH, 10 WETH is enough; the market pays 3000 USDC per WETH, the worst is 2000 USDC per WETH. Accepts 2970 USDC.',
    ],
    [
      'limit: the rest of it is enough of an excess',
      { ...balance, limit: ether('2.5') },
      { ...holds('10.5'), ...sold('2', 2) },
      ['0.5', '1485'],
      'Holds 10.5 WETH, 10 WETH is enough; the market pays 3000 USDC per WETH. Accepts 1485 USDC.',
    ],
  ])

  table([
    [
      'waits for a whole slice',
      balance,
      holds('10.999'),
      'Holds 10.999 WETH, 10 WETH is enough: sells 1 WETH or more above it.',
    ],
    [
      'minimum: leaves dust alone',
      { ...balance, minimum: ether('0.1') },
      holds('10.099'),
      'Holds 10.099 WETH, 10 WETH is enough: sells 0.1 WETH or more above it.',
    ],
    [
      'keep: counts where it is more',
      { ...balance, keep: ether('11') },
      holds('11.5'),
      'Holds 11.5 WETH, 11 WETH is enough: sells 1 WETH or more above it.',
    ],
    [
      'price: waits below the worst',
      { ...balance, price: at('3100') },
      holds('12'),
      'Holds 12 WETH, 10 WETH is enough; the market pays 3000 USDC per WETH, the worst is 3100 USDC per WETH: short by 3.226 %.',
    ],
  ])
})

describe('threshold confirm and hysteresis', () => {
  const slot = 1_000_000
  const confirm = { need: 2, of: 3 }
  const voted = (votes: string, votedAt = slot - 5_000): Memory => ({
    ...{ votes, votedAt, votedSlot: Math.min(votedAt, slot) },
  })
  const price = 'the price is 3000 USDC per WETH'

  sales([
    [
      'confirm: sells when seen often enough',
      { confirm },
      { slot, indications: pays('3000'), memory: voted('010') },
      ['1', '3000'],
      `The market pays 3000 USDC per WETH, ${price}. Accepts 3000 USDC.`,
      voted('101', slot),
    ],
    [
      "confirm: a look that waited for another strategy's swap counts from then",
      { confirm },
      { slot, now: slot + 60_000, indications: pays('3000'), memory: voted('010') },
      ['1', '3000'],
      `The market pays 3000 USDC per WETH, ${price}. Accepts 3000 USDC.`,
      voted('101', slot + 60_000),
    ],
    [
      'hysteresis: is armed before the first fill',
      { hysteresis: 50 },
      { indications: pays('3000') },
      ['1', '3000'],
      `The market pays 3000 USDC per WETH, ${price}. Accepts 3000 USDC.`,
      { swaps: 0 },
    ],
    [
      'hysteresis: what did not settle is no fill',
      { hysteresis: 50 },
      { indications: pays('3000'), ...sold('1', 1), memory: { swaps: 1 } },
      ['1', '3000'],
      `The market pays 3000 USDC per WETH, ${price}. Accepts 3000 USDC.`,
      { swaps: 1 },
    ],
  ])

  table([
    [
      'confirm: waits until it was seen often enough',
      { confirm },
      { slot, indications: pays('3000') },
      `The market pays 3000 USDC per WETH, ${price}. Seen 1 of the 2 times in 3 it takes.`,
      voted('1', slot),
    ],
    [
      'confirm: what was seen before does not sell now',
      { confirm },
      { slot, indications: pays('2999'), memory: voted('111') },
      `The market pays 2999 USDC per WETH, ${price}: short by 0.033 %.`,
      voted('110', slot),
    ],
    [
      'confirm: no price is not seen',
      { confirm },
      { slot, indications: [undefined], memory: voted('111') },
      'No price for 1 WETH.',
      voted('110', slot),
    ],
    [
      'confirm: what was seen before a pause confirms nothing',
      { confirm },
      { slot, indications: pays('3000'), memory: voted('111', slot - 15_001) },
      `The market pays 3000 USDC per WETH, ${price}. Seen 1 of the 2 times in 3 it takes.`,
      voted('1', slot),
    ],
    [
      'hysteresis: after a fill it waits for the market to go back',
      { hysteresis: 50 },
      { indications: pays('3000'), ...sold('1', 1), memory: { swaps: 0 } },
      `The market pays 3000 USDC per WETH, ${price}. Sold before: armed again at 2985 USDC per WETH.`,
      { swaps: 0 },
    ],
    [
      'hysteresis: one unit above is not back',
      { hysteresis: 50 },
      { indications: pays('2985.000001'), ...sold('1', 1), memory: { swaps: 0 } },
      `The market pays 2985.000001 USDC per WETH, ${price}: short by 0.5 %.`,
      { swaps: 0 },
    ],
    [
      'hysteresis: is armed again when it is back',
      { hysteresis: 50 },
      { indications: pays('2985'), ...sold('1', 1), memory: { swaps: 0 } },
      `The market pays 2985 USDC per WETH, ${price}: short by 0.5 %.`,
      { swaps: 1 },
    ],
    [
      'hysteresis: a stop is armed again above',
      { when: 'stop', tolerance: 100, hysteresis: 50 },
      {
        indications: pays('2900'),
        references: [at('2900')],
        ...sold('1', 1),
        memory: { swaps: 0 },
      },
      'The market pays 2900 USDC per WETH, the stop is 3000 USDC per WETH. Sold before: armed again at 3015 USDC per WETH.',
      { swaps: 0 },
    ],
    [
      'hysteresis: a market in doubt arms nothing',
      { when: 'stop', tolerance: 100, hysteresis: 50 },
      { indications: pays('3100'), references: [undefined], ...sold('1', 1), memory: { swaps: 0 } },
      'The market pays 3100 USDC per WETH, and no independent reference confirms it.',
      { swaps: 0 },
    ],
  ])
})

test('threshold schedule: is its period', () => {
  expect(threshold.schedule(base)).toEqual({ kind: 'every', seconds: 5 })
  expect(threshold.watch(base)).toEqual([{ sell: one, buy: usdc }])
})

test('a swap of another pair that was booked from the chain is no fill; one of this pair may be its own', () => {
  const trailing = { when: 'trailing', price: undefined, trail: 300, tolerance: 50 } as const
  const seen = { indications: pays('3900'), references: [at('3900')] }
  const best = decide(trailing, { ...seen, indications: pays('4000'), references: [at('4000')] })
  const dai = { ...usdc, address: '0x03', symbol: 'DAI' } as const
  const recovered = (bought: typeof one) => [
    { sold: one, bought, swaps: 1, recovered: true as const },
  ]
  const later = (totals: ReturnType<typeof recovered>, memory = best.memory) =>
    JSON.stringify(decide(trailing, { ...seen, memory, totals }))
  expect(later(recovered(amountOf(dai, '4000')))).toContain('after a best of 4000')
  expect(later(recovered(dollars('4000')))).not.toContain('after a best of 4000')
  // What was counted once and is not any more is no fill either.
  const counted = { ...best.memory, swaps: 1 }
  expect(later(recovered(amountOf(dai, '4000')), counted)).toContain('after a best of 4000')
})
