import { describe, expect, test } from 'vitest'
import { amountOf, type Context, type Decision, type Level } from '#strategy'
import { contextWith } from '#strategy/testing'
import { createFields } from '../../src/bot/strategy/createFields.ts'
import twap from '../../strategies/twap.ts'

const weth = { chainId: 31337, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 31337, address: '0x02', symbol: 'USDC', decimals: 6 } as const
const ether = (decimal: string) => amountOf(weth, decimal)
const usd = (decimal: string) => amountOf(usdc, decimal)

type Params = Parameters<typeof twap.watch>[0]
type Overrides = Partial<Omit<Context<Params>, 'params'>>

const start = Date.UTC(2026, 4, 4, 9)
const minute = 60_000
/** Ten slices of ten WETH, one every ten minutes. */
const params: Params = {
  sell: ether('100'),
  buy: usdc,
  start,
  slices: 10,
  every: 600,
  tolerance: 50,
}
const price = (dollars: string, of = ether('10')) => ({
  sold: of,
  bought: { token: usdc, wei: (of.wei * usd(dollars).wei) / 10n ** 18n },
})
const pays = (dollars: string, of?: typeof params.sell): Overrides => ({
  indications: [{ ...price(dollars, of), route: ['maker-a'] }],
})
const book = (...levels: readonly (readonly [string, string])[]): Overrides => ({
  depths: [levels.map(([size, dollars]): Level => price(dollars, ether(size)))],
})
const deep = book(['1000', '3000'])
const sold = (decimal: string): Overrides => ({
  totals: [{ sold: ether(decimal), bought: usd('1'), swaps: 1 }],
})
const arrival = {
  arrivalSold: ether('10').wei.toString(),
  arrivalBought: usd('30000').wei.toString(),
}

const decide = (changed: Partial<Params>, slices: number, overrides: Overrides) =>
  twap.decide(
    contextWith(
      { ...params, ...changed },
      {
        slot: start + slices * 10 * minute,
        balances: [ether('1000')],
        ...pays('3000'),
        ...deep,
        ...overrides,
      },
    ),
  )
/** Put off where a slice was due and is not sold, or the order is over and not sold whole. */
const waits = (reason: string): Decision => ({
  kind: /^(?:No price|Over since|Slice \d+ of|[\d.]+ WETH bring)|^No reference|^The service indicates|in flight/.test(
    reason,
  )
    ? 'postpone'
    : 'wait',
  reason,
})
const sells = (size: string, floor: string, reason: string): Decision => ({
  kind: 'swap',
  intents: [{ sell: ether(size), buy: usdc, floor: usd(floor), reason }],
})

describe('twap', () => {
  test.each<[string, Partial<Params>, number, Overrides, Decision]>([
    [
      'follows the policy: a slice is what one swap may sell',
      {},
      0,
      { swapLimits: [usd('1'), ether('4')] },
      sells(
        '4',
        '11940',
        'Slice 1 of 10: 4 WETH of the 100 WETH left bring 12000 USDC, accepts 11940 USDC.',
      ),
    ],
    [
      'spreads what the policy left over on later slices, within the policy',
      {},
      8,
      { swapLimits: [ether('12')], ...sold('70') },
      sells(
        '12',
        '35820',
        'Slice 9 of 10: 12 WETH of the 30 WETH left bring 36000 USDC, accepts 35820 USDC.',
      ),
    ],
    [
      'says when the policy lets less through than the least slice',
      { minimum: ether('5') },
      0,
      { swapLimits: [ether('4')] },
      waits('Slice 1 of 10: policy lets 4 WETH through, too little for 5 WETH.'),
    ],
    [
      'leaves a token without a limit to the policy, which refuses it',
      {},
      0,
      { swapLimits: [usd('1')] },
      sells(
        '10',
        '29850',
        'Slice 1 of 10: 10 WETH of the 100 WETH left bring 30000 USDC, accepts 29850 USDC.',
      ),
    ],
    ['begins at its start', {}, -1, {}, waits('Begins at 2026-05-04T09:00:00.000Z.')],
    [
      'sells an even slice',
      {},
      0,
      {},
      sells(
        '10',
        '29850',
        'Slice 1 of 10: 10 WETH of the 100 WETH left bring 30000 USDC, accepts 29850 USDC.',
      ),
    ],
    [
      'spreads over the slices that are left what an earlier one did not sell',
      {},
      5,
      sold('40'),
      sells(
        '12',
        '35820',
        'Slice 6 of 10: 12 WETH of the 60 WETH left bring 36000 USDC, accepts 35820 USDC.',
      ),
    ],
    [
      'sells at most twice the even slice after a pause',
      {},
      7,
      sold('10'),
      sells(
        '20',
        '59700',
        'Slice 8 of 10: 20 WETH of the 90 WETH left bring 60000 USDC, accepts 59700 USDC.',
      ),
    ],
    [
      'sells as much more after a pause as it is told',
      { most: 15_000 },
      7,
      sold('10'),
      sells(
        '15',
        '44775',
        'Slice 8 of 10: 15 WETH of the 90 WETH left bring 45000 USDC, accepts 44775 USDC.',
      ),
    ],
    [
      'sells what is left with the last slice',
      { minimum: ether('5') },
      9,
      sold('96.5'),
      sells(
        '3.5',
        '10447.5',
        'Slice 10 of 10: 3.5 WETH of the 3.5 WETH left bring 10500 USDC, accepts 10447.5 USDC.',
      ),
    ],
    ['is done when all is sold', {}, 4, sold('100'), waits('Done: 100 WETH of 100 WETH are sold.')],
    [
      'is over after its time, done or not',
      {},
      10,
      sold('96.5'),
      waits('Over since 2026-05-04T10:40:00.000Z: 96.5 WETH of 100 WETH are sold.'),
    ],
    [
      'waits while a slice is in flight',
      {},
      1,
      { inflight: [{ swapId: 's1', sell: ether('10'), buy: usdc, since: 0 }] },
      waits('Swap s1 of 10 WETH is in flight.'),
    ],
    [
      'takes from the book no more than the impact allows',
      { impact: 20 },
      0,
      book(['4', '3000'], ['100', '2990']),
      sells(
        '10',
        '29850',
        'Slice 1 of 10: 10 WETH of the 100 WETH left bring 30000 USDC, accepts 29850 USDC.',
      ),
    ],
    [
      'sells less than an even slice where the book is thin',
      {},
      0,
      { ...pays('2994'), ...book(['4', '3000'], ['100', '2990']) },
      sells(
        '5.714285714285714285',
        '17023.028572',
        'Slice 1 of 10: 5.714285714285714285 WETH of the 100 WETH left bring 17125.714285 USDC, accepts 17023.028572 USDC.',
      ),
    ],
    [
      'without a book sells no more than there is a price for',
      {},
      7,
      { ...sold('10'), depths: [] },
      sells(
        '10',
        '29850',
        'Slice 8 of 10: 10 WETH of the 90 WETH left bring 30000 USDC, accepts 29850 USDC.',
      ),
    ],
    [
      'leaves a slice out that would be too small',
      { minimum: ether('8') },
      0,
      { ...pays('2994'), ...book(['4', '3000'], ['100', '2990']) },
      waits(
        'Slice 1 of 10: 1000 WETH are there and the book takes 5.714285714285714285 WETH, too little for 8 WETH.',
      ),
    ],
    [
      'collects even slices until there is enough for one',
      { minimum: ether('16') },
      0,
      {},
      waits('10 WETH are due, less than the least slice of 16 WETH.'),
    ],
    [
      'sells the least slice when so much is due',
      { minimum: ether('16') },
      1,
      {},
      sells(
        '16',
        '47760',
        'Slice 2 of 10: 16 WETH of the 100 WETH left bring 48000 USDC, accepts 47760 USDC.',
      ),
    ],
    [
      'leaves no rest that is too small for a slice',
      { minimum: ether('16'), most: 30_000 },
      8,
      sold('74'),
      sells(
        '26',
        '77610',
        'Slice 9 of 10: 26 WETH of the 26 WETH left bring 78000 USDC, accepts 77610 USDC.',
      ),
    ],
    [
      'sells what is there',
      {},
      0,
      { balances: [ether('7')] },
      sells(
        '7',
        '20895',
        'Slice 1 of 10: 7 WETH of the 100 WETH left bring 21000 USDC, accepts 20895 USDC.',
      ),
    ],
    [
      'keeps what it is to keep',
      { keep: ether('7') },
      0,
      { balances: [ether('7')] },
      waits(
        'Slice 1 of 10: 0 WETH are there and the book takes 1000 WETH, too little for 0.000000000000000001 WETH.',
      ),
    ],
    [
      'waits without a price, and says of what',
      {},
      0,
      { indications: [], depths: [] },
      waits('No price for 10 WETH in USDC.'),
    ],
    [
      'waits without a reference it needs',
      { maxDeviation: 100 },
      0,
      {},
      waits('No reference for WETH in USDC.'),
    ],
    [
      'trusts no price that the references contradict',
      { maxDeviation: 100 },
      0,
      { references: [price('3031')] },
      waits(
        'The service indicates 3000 USDC per WETH, the references say 3031 USDC per WETH: more than 1 % apart.',
      ),
    ],
    [
      'holds the floor to the references',
      { maxDeviation: 100 },
      0,
      { references: [price('3012')] },
      sells(
        '10',
        '29969.4',
        'Slice 1 of 10: 10 WETH of the 100 WETH left bring 30000 USDC, accepts 29969.4 USDC.',
      ),
    ],
    [
      'holds the floor to the price of the operator',
      { floor: price('2999') },
      0,
      {},
      sells(
        '10',
        '29990',
        'Slice 1 of 10: 10 WETH of the 100 WETH left bring 30000 USDC, accepts 29990 USDC.',
      ),
    ],
    [
      'sells nothing below that price',
      { floor: price('3000.000001') },
      0,
      {},
      waits('10 WETH bring 30000 USDC, below the 30000.00001 USDC to accept.'),
    ],
    [
      'goes on just above its stop',
      { stop: 300 },
      1,
      { memory: arrival, ...pays('2910.000001'), ...book(['100', '2910.000001']), ...sold('10') },
      sells(
        '10',
        '28954.50001',
        'Slice 2 of 10: 10 WETH of the 90 WETH left bring 29100.00001 USDC, accepts 28954.50001 USDC.',
      ),
    ],
    [
      'stops when the market has fallen so far from the arrival',
      { stop: 300 },
      1,
      { memory: arrival, ...pays('2910'), ...sold('10') },
      waits(
        'Stopped for good: the market pays 2910 USDC per WETH, 300 bps or more below the 3000 USDC per WETH of the arrival; 10 WETH of 100 WETH are sold.',
      ),
    ],
    [
      'stays stopped whatever the market does',
      { stop: 300 },
      2,
      { memory: { ...arrival, stopped: 'Stopped for good.' }, ...pays('4000') },
      waits('Stopped for good.'),
    ],
  ])('decide: %s', (_aspect, changed, slices, overrides, decision) => {
    const { memory: _, ...decided } = decide(changed, slices, overrides)
    expect(decided).toEqual(decision)
  })

  test('a slice that is deeper than the book sells what the book takes: 1,500 WETH in 40 slices over 35', () => {
    const thin = { sell: ether('1500'), slices: 40 }
    const few = book(['20', '3000'], ['15', '2998'])
    let all = 0n
    for (let slot = 0; slot < 40; slot++) {
      const totals = [{ sold: { token: weth, wei: all }, bought: usd('1'), swaps: slot }]
      const decision = decide(thin, slot, {
        ...{ balances: [ether('1500')], indications: [undefined], totals, ...few },
      })
      if (decision.kind !== 'swap') throw new Error(decision.reason)
      all += decision.intents[0]?.sell.wei ?? 0n
    }
    expect(all).toBe(ether('1400').wei)
    const one = decide(thin, 0, { balances: [ether('1500')], indications: [undefined], ...few })
    expect(one).toMatchObject(
      sells(
        '35',
        '104445.15',
        'Slice 1 of 40: 35 WETH of the 1500 WETH left bring 104970 USDC, accepts 104445.15 USDC.',
      ),
    )
    const steep = book(['20', '3000'], ['15', '2900'])
    expect(
      decide(thin, 0, { balances: [ether('1500')], indications: [undefined], ...steep }),
    ).toMatchObject({ intents: [{ sell: { wei: ether('2000').wei / 97n } }] })
  })

  test('impact: after a fill that cost more than it may it takes less of the book, and more again after cheap ones', () => {
    const few = book(['4', '3000'])
    const first = decide({}, 0, few)
    const sizeOf = (decision: Decision) =>
      decision.kind === 'swap' ? decision.intents[0]?.sell.wei : undefined
    expect(sizeOf(first)).toBe(ether('4').wei)
    const afterFill = (dollars: string, memory: Decision['memory'], swaps: number) =>
      decide({}, swaps, {
        ...few,
        memory,
        lastFill: { at: start, price: price(dollars, ether('4')) },
        totals: [{ sold: ether('4'), bought: usd('1'), swaps }],
      })
    // 40 bps where 10 are allowed: a quarter.
    const dear = afterFill('2988', first.memory, 1)
    expect(sizeOf(dear)).toBe(ether('1').wei)
    expect(dear).toMatchObject({
      intents: [{ reason: expect.stringContaining('Fills cost more than 10 bps: 25 % of what') }],
    })
    // The same fill does not count twice, and no fill costs the whole of it.
    expect(sizeOf(afterFill('2988', dear.memory, 1))).toBe(ether('1').wei)
    expect(sizeOf(afterFill('1500', dear.memory, 2))).toBe(ether('0.5').wei)
    expect(sizeOf(afterFill('3000', dear.memory, 2))).toBe(ether('1.25').wei)
  })

  test('volatility: while prices move twice as much as expected, a slice is half and its quote a quarter as long', () => {
    const calm = decide({ volatility: 7_000 }, 0, {})
    expect(calm).toMatchObject({ intents: [{ sell: ether('10') }] })
    expect(calm).not.toHaveProperty('intents.0.expiryBps')
    const day = 86_400_000
    // 9.5 % in a day is 182 % a year, one look beside fifteen at 70 %: 85 %.
    const wild = decide({ volatility: 7_000 }, 0, {
      ...pays('3285'),
      memory: { ...calm.memory, pricedAt: start - day },
    })
    expect(wild).toMatchObject({
      intents: [
        {
          sell: {
            wei: expect.toSatisfy((wei: bigint) => wei < ether('9').wei && wei > ether('8').wei),
          },
          expiryBps: expect.toSatisfy((bps: number) => bps > 6_400 && bps < 8_100),
          reason: expect.stringMatching(
            / Prices move by 8\d % a year, not 70 %: 8\d\.\d+ % of a slice, /,
          ),
        },
      ],
    })
    const wildest = decide({ volatility: 7_000 }, 0, {
      ...pays('6000'),
      memory: { ...calm.memory, pricedAt: start - 60_000 },
    })
    expect(wildest).toMatchObject({ intents: [{ sell: ether('5'), expiryBps: 2_500 }] })
    expect(
      decide({ volatility: 7_000 }, 9, { ...sold('90'), ...pays('6000'), memory: wildest.memory }),
    ).toMatchObject({
      intents: [{ sell: ether('10') }],
    })
  })

  test('volatility: an order in a market that is wild all the way is sold whole', () => {
    let [total, memory] = [0n, {} as Context<Params>['memory']]
    const reasons: string[] = []
    for (let slice = 0; slice < 10; slice += 1) {
      const decision = decide({ volatility: 7_000, most: 20_000 }, slice, {
        ...pays(slice % 2 === 0 ? '3000' : '6000'),
        ...book(['1000', slice % 2 === 0 ? '3000' : '6000']),
        memory,
        totals: [{ sold: { token: weth, wei: total }, bought: usd('1'), swaps: slice }],
      })
      memory = decision.memory
      if (decision.kind !== 'swap') throw new Error(decision.reason)
      const [intent] = decision.intents
      total += intent?.sell.wei ?? 0n
      reasons.push(intent?.reason ?? '')
    }
    expect(total).toBe(ether('100').wei)
    // Half a slice at first; then as much as the two slices at once that are allowed leave.
    expect(reasons[1]).toMatch(/ 50 % of a slice, 25 % of the expiry\.$/)
    expect(reasons[8]).toMatch(/ Not less than the later slices leave\.$/)
    expect(reasons[9]).not.toContain('later slices')
  })

  test('volatility: a token that is worth a hundred-thousandth of a cent moves as one that is worth thousands', () => {
    const million = (dollars: string): Overrides => ({
      indications: [{ sold: ether('1000000'), bought: usd(dollars), route: ['maker-a'] }],
    })
    const moved = (before: string, after: string) => {
      const { memory } = decide({ volatility: 7_000 }, 0, million(before))
      const later = { ...memory, pricedAt: start - 86_400_000 }
      const decision = decide({ volatility: 7_000 }, 0, { ...million(after), memory: later })
      return decision.kind === 'swap' ? decision.intents[0]?.expiryBps : decision
    }
    const dear = moved('3000000000', '3285000000')
    expect(dear).toBeLessThan(8_100)
    expect(moved('10', '10.95')).toBe(dear)
    expect(moved('0.1', '0.1095')).toBe(dear)
  })

  test('memory: the arrival is the first price after the start, and stays it', () => {
    expect(decide({}, -1, {}).memory).toEqual({})
    expect(decide({}, 0, {}).memory).toMatchObject(arrival)
    expect(decide({}, 1, { memory: arrival, ...pays('2999') }).memory).toMatchObject(arrival)
    expect(decide({}, 1, { memory: arrival, indications: [], depths: [] }).memory).toEqual(arrival)
  })

  test('a slice is worth no more than policy lets one swap be, in dollars of either side', () => {
    const dollar = {
      chainId: 31337,
      address: '0x0000000000000000000000000000000000000348' as const,
    }
    const swapWorth = { token: { ...dollar, symbol: 'USD', decimals: 8 }, wei: 20_000n * 10n ** 8n }
    const decision = decide({}, 8, { swapWorth, totals: [] })
    // 20000 dollars less a hundredth, at 3000 for each.
    expect(decision).toMatchObject({ kind: 'swap', intents: [{ sell: ether('6.6') }] })
    expect(decide({}, 8, { totals: [] })).toMatchObject({ intents: [{ sell: ether('20') }] })
  })

  test('without a book a least slice above the even one is asked for as such', () => {
    const least = { minimum: ether('11') }
    const [watch] = twap.watch({ ...params, ...least })
    expect(watch?.sell).toEqual(ether('11'))
    const { kind } = decide(least, 1, { depths: [], ...pays('3000', ether('11')) })
    expect(kind).toBe('swap')
  })

  test('a book that is thin at first and deeper later is no fall, and one whose best level falls is', () => {
    const none: Overrides = { indications: [undefined] }
    const thin = book(['2', '3000'], ['6', '2940'])
    const first = decide({ stop: 150 }, 0, { ...none, ...thin })
    const memory = first.memory
    expect(first.kind).toBe('swap')
    // The even slice has a price for the first time, and the best level has not moved.
    const deeper = decide({ stop: 150 }, 1, {
      ...{ memory, ...sold('2'), ...pays('2942') },
      ...book(['2', '3000'], ['6', '2940'], ['2', '2890']),
    })
    expect(deeper.kind).toBe('swap')
    const lower = decide({ stop: 150 }, 2, {
      ...{ memory: deeper.memory, ...pays('2897') },
      ...book(['2', '3000']),
    })
    expect(lower.memory?.stopped).toMatch(/^Stopped for good: the market pays 2897/)
  })

  test('a small bid on top of the first book is no price of a slice', () => {
    const dust = book(['0.001', '3060'], ['1000', '3000'])
    const { memory } = decide({ stop: 150 }, 0, { ...pays('3000'), ...dust })
    expect(decide({ stop: 150 }, 1, { memory, ...pays('3000'), ...deep }).kind).toBe('swap')
    const fallen = { memory, ...pays('2955'), ...dust }
    expect(decide({ stop: 150 }, 1, fallen).memory?.stopped).toMatch(/^Stopped for good/)
  })

  test('a look without a book, or with a thin one, is no fall', () => {
    const none: Overrides = { indications: [undefined] }
    const first = decide({ stop: 150 }, 0, { ...none, ...book(['2', '3000'], ['6', '2940']) })
    const priced = { ...pays('2942'), ...book(['2', '3000'], ['6', '2940'], ['2', '2890']) }
    const second = decide({ stop: 150 }, 1, { memory: first.memory, ...priced })
    const third = { memory: second.memory, ...pays('2942'), depths: [[]] }
    expect(decide({ stop: 150 }, 2, third).memory?.stopped).toBeUndefined()
    // A small bid was on top, and is not any more; the rest is where it was.
    const dust = book(['0.001', '3060'], ['1000', '3000'])
    const { memory } = decide({ stop: 150 }, 0, { ...pays('3000'), ...dust })
    const thin = (dollars: string) =>
      decide({ stop: 150 }, 1, { memory, ...none, ...book(['5', dollars]) }).memory?.stopped
    expect(thin('3000')).toBeUndefined()
    expect(thin('2950')).toMatch(/^Stopped for good/)
  })

  test('notes of an older version, of the price of a small amount, are held to the best level', () => {
    const small = {
      arrivalSold: ether('2').wei.toString(),
      arrivalBought: usd('6000').wei.toString(),
    }
    const at = (best: string, slice: string) =>
      decide({ stop: 150 }, 1, {
        ...{ memory: small, ...pays(slice) },
        ...book(['2', best], ['8', slice]),
      }).memory?.stopped
    expect(at('3000', '2942')).toBeUndefined()
    expect(at('2955', '2942')).toMatch(/^Stopped for good/)
  })

  test('where a slice had no price at first, a fall counts by the best level, and from its first price', () => {
    const none: Overrides = { indications: [undefined] }
    const stopped = (overrides: Overrides) =>
      decide({ stop: 150 }, 1, overrides).memory?.stopped ?? 'goes on'
    const byBook = decide({ stop: 150 }, 0, { ...none, ...book(['2', '3000'], ['6', '2940']) })
    const fallen = book(['2', '2954'], ['6', '2940'])
    const said =
      /^Stopped for good: the market pays 2954 USDC per WETH, 150 bps or more below the 3000/
    expect(stopped({ memory: byBook.memory, ...none, ...fallen })).toMatch(said)
    // The even slice has its first price only now.
    expect(stopped({ memory: byBook.memory, ...pays('2950'), ...fallen })).toMatch(said)
    // An order that began without a book, and has no price of its size any more.
    expect(stopped({ memory: arrival, ...none, ...book(['20', '2500']) })).toMatch(
      /^Stopped for good: the market pays .* below the 3000/,
    )
    expect(stopped({ memory: arrival, ...none, ...book(['20', '2990']) })).toBe('goes on')
    // Nor is the fallen book a new beginning.
    const later = decide({ stop: 5_000 }, 1, { memory: arrival, ...none, ...book(['20', '2500']) })
    expect(stopped({ memory: later.memory ?? {}, ...none, ...book(['20', '2500']) })).toMatch(
      /^Stopped/,
    )
  })

  test('memory: a stop is for good', () => {
    const stopped = decide({ stop: 300 }, 1, { memory: arrival, ...pays('2000') })
    const later = decide({ stop: 300 }, 2, { memory: stopped.memory, ...pays('4000') })
    expect(later).toEqual(stopped)
  })

  test('totals: all it ever sold of the token counts, for whatever it was sold', () => {
    const dai = { ...usdc, address: '0x03', symbol: 'DAI' } as const
    const totals = [
      { sold: ether('50'), bought: amountOf(dai, '1'), swaps: 1 },
      { sold: ether('10'), bought: usd('1'), swaps: 1 },
      { sold: usd('90'), bought: ether('1'), swaps: 1 },
    ]
    expect(decide({}, 6, { totals })).toMatchObject({ intents: [{ sell: ether('10') }] })
  })

  test('reserves: what is neither sold nor in flight', () => {
    const own = {
      ...{ inflight: [], lastFill: undefined, fills: [], totals: [] },
      ...{ params, now: params.start, memory: undefined },
    }
    expect(twap.reserves?.(own)).toEqual([ether('100')])
    expect(
      twap.reserves?.({
        ...own,
        ...sold('30'),
        inflight: [{ swapId: 's1', sell: ether('10'), buy: usdc, since: 0 }],
      }),
    ).toEqual([ether('60')])
    expect(twap.reserves?.({ ...own, ...sold('101') })).toEqual([ether('0')])
    // It has stopped for good, or has had its time: what is left is anybody's again.
    expect(twap.reserves?.({ ...own, memory: { stopped: 'Stopped for good' } })).toEqual([])
    expect(twap.reserves?.({ ...own, now: params.start + 366 * 86_400_000 })).toEqual([])
  })

  test('schedule, watch: two of slices, every and end make the third', () => {
    const { every: _, ...without } = params
    const even = { sell: ether('10'), buy: usdc, wants: ['depth'] }
    for (const one of [
      params,
      { ...without, end: start + 100 * minute },
      { ...params, slices: undefined, end: start + 100 * minute },
    ]) {
      expect(twap.schedule({ ...one, jitter: 60 })).toEqual({
        kind: 'every',
        seconds: 600,
        jitter: 60,
      })
      expect(twap.watch(one)).toEqual([even])
    }
    expect(twap.watch({ ...params, maxDeviation: 50 })[0]?.wants).toEqual(['depth', 'reference'])
  })

  test('slots: are those of the schedule, aligned, from the start on', () => {
    const late = { start: start + 3 * minute }
    expect(decide(late, 0, {})).toMatchObject({ reason: 'Begins at 2026-05-04T09:10:00.000Z.' })
    expect(decide(late, 10, sold('90'))).toMatchObject({ intents: [{ sell: ether('10') }] })
    expect(decide(late, 11, sold('90'))).toMatchObject({ kind: 'postpone' })
  })

  test('slots: one that comes late sells until the end that is given, and no longer', () => {
    const end = start + 9 * 10 * minute + minute
    const at = (now: number) => decide({ end }, 9, { ...sold('90'), now })
    expect(at(end - 1)).toMatchObject({ kind: 'swap' })
    expect(at(end)).toMatchObject({ reason: expect.stringContaining('Over since') })
  })
})

describe('twap params', () => {
  const bySymbol = new Map([weth, usdc].map((it) => [it.symbol, it]))
  const schema = twap.params(createFields({ bySymbol }))
  const written = {
    sell: '100 WETH',
    buy: 'USDC',
    start: '2026-05-04T09:00:00Z',
    slices: '10',
    every: '10m',
    tolerance: '50 bps',
  }
  const complaints = (changed: object) =>
    schema
      .safeParse({ ...written, ...changed })
      .error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`)

  test('reads what is written', () => {
    expect(schema.parse(written)).toEqual(params)
    expect(schema.parse({ ...written, floor: '2900 USDC', most: '1.5' })).toMatchObject({
      floor: price('2900', ether('1')),
      most: 15_000,
    })
  })

  test('a jitter after which the last slice is still before the end', () => {
    const hour = { start: '2026-05-04T09:07Z', end: '2026-05-04T10:07Z', slices: undefined }
    expect(complaints({ ...hour, jitter: '419s' })).toBeUndefined()
    expect(complaints({ ...hour, end: '2026-05-04T10:10Z', jitter: '9m' })).toBeUndefined()
  })

  test.each<[object, string]>([
    [{ every: undefined }, 'slices of slices, every and end two are given: the third follows.'],
    [{ end: '2026-05-05' }, 'slices of slices, every and end two are given: the third follows.'],
    [{ every: undefined, end: '2026-05-03' }, 'end leaves too little time after the start.'],
    [
      { every: undefined, slices: '1000', end: '2026-05-04T09:10:00Z' },
      'end leaves too little time after the start.',
    ],
    [{ tolerance: '1001 bps' }, 'tolerance is more than 1000 bps.'],
    [{ tolerance: '5 bps' }, 'tolerance is less than the impact of 10 bps that a slice may have.'],
    [{ stop: '0 bps' }, 'stop would stop it before it began.'],
    [{ jitter: '10m' }, 'jitter is not shorter than the time between two slices.'],
    [
      { start: '2026-05-04T09:07Z', end: '2026-05-04T10:07Z', slices: undefined, jitter: '7m' },
      'jitter may put the last slice behind the end.',
    ],
    [{ most: '0.9' }, 'most is less than an even slice: the whole would never be sold.'],
    [{ minimum: '20.1 WETH' }, 'minimum is more than the largest slice, 20 WETH.'],
    [{ minimum: '100 USDC' }, 'minimum is in USDC, but it sells WETH.'],
    [{ keep: '100 USDC' }, 'keep is in USDC, but it sells WETH.'],
  ])('refuses %j', (changed, complaint) => {
    expect(complaints(changed)).toEqual([complaint])
  })
})
