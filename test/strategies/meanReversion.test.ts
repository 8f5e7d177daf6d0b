import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { amountOf, type Context, held, totalSold } from '#strategy'
import { paramsOf } from '#strategy/testing'
import { type Address, nativeAddress, type Token } from '../../src/core/token.ts'
import meanReversion from '../../strategies/mean-reversion.ts'
import { createDesk, type World } from './rebalanceWorld.ts'

const token = (symbol: string, address: Address, decimals: number): Token => ({
  ...{ chainId: 31337, address, symbol, decimals },
})
const usdc = token('USDC', '0x02', 6)
const weth = token('WETH', '0x01', 18)
const eth = token('ETH', nativeAddress, 18)
const dollars = (text: string) => amountOf(usdc, text)
const ether = (text: string) => amountOf(weth, text)

const written = {
  ...{ buy: '3000 USDC', sell: '1 WETH', budget: '9000 USDC', band: '3 %', stop: '8 %' },
  ...{ every: '1h', looks: 4, least: 3, tolerance: '50 bps' },
}
const read = (changes: object = {}) =>
  paramsOf(meanReversion, { ...written, ...changes }, [usdc, weth, eth])
type Params = ReturnType<typeof read>

const hourMs = 3_600_000
const worldAt = (price: number, halfSpreadBps = 0): World => ({
  prices: { USDC: 1_000_000n, WETH: BigInt(Math.round(price * 1e6)) },
  halfSpreadBps,
  levels: [10_000_000n],
  stepBps: 0,
})

/** Both directions at exactly this price: the books of a desk are cut to the unit, level by level. */
function exactly(price: number) {
  const wei = BigInt(Math.round(price * 1e6))
  const prices = [
    { sold: ether('1'), bought: { token: usdc, wei } },
    { sold: dollars('3000'), bought: { token: weth, wei: (3_000_000_000n * 10n ** 18n) / wei } },
  ]
  return { indications: prices.map((one) => ({ ...one, route: [] })), references: prices }
}

type Hour = number | { readonly price: number; readonly look: Partial<Context<Params>> }

/** A desk that has seen these prices, one an hour. */
function deskOf(hours: readonly Hour[], params = read()) {
  const balances = [dollars('100000'), ether('100')]
  const desk = createDesk({ strategy: meanReversion, params, balances })
  const decisions = hours.map((hour) => {
    const { price, look } = typeof hour === 'number' ? { price: hour, look: {} } : hour
    desk.wait(hourMs)
    return desk.ask(worldAt(price), { ...exactly(price), ...look })
  })
  return { desk, decisions }
}
function lastOf(hours: readonly Hour[], params?: Params) {
  const last = deskOf(hours, params).decisions.at(-1)
  return last?.kind === 'swap' ? last.intents : [last?.kind, last?.reason]
}
const kinds = (hours: readonly Hour[], params?: Params) =>
  deskOf(hours, params).decisions.map(({ kind }) => kind)
const calm = [3000, 3000, 3000]

describe('mean-reversion', () => {
  test('what was booked from the chain is spent of its budget, and neither proceeds nor stock of its own', () => {
    const spent = { sold: dollars('9000'), bought: ether('3'), swaps: 3 }
    const recovered = (sold: Context<Params>['balances'][number], bought: typeof sold) => ({
      ...{ sold, bought, swaps: 1, recovered: true as const },
    })
    const reason = (price: number, totals: Context<Params>['totals']) =>
      String(lastOf([...calm, { price, look: { totals } }])[1])
    const sale = recovered(ether('20'), dollars('60000'))
    expect(reason(2900, [spent])).toContain('Has spent 9000 USDC of 9000 USDC')
    expect(reason(2900, [spent, sale])).toContain('Has spent 9000 USDC of 9000 USDC')
    const purchase = recovered(dollars('30000'), ether('10'))
    expect(reason(3100, [purchase])).toContain('Of its purchases 0 WETH are left')
    expect(reason(2900, [purchase])).toContain('Has spent 30000 USDC of 9000 USDC')
  })

  test('buys below the average of enough looks, and sells what it bought above it', () => {
    expect(lastOf([...calm, 2900])).toEqual([
      {
        sell: dollars('3000'),
        buy: weth,
        // 1.0344… WETH at 2900, half a percent less.
        floor: { token: weth, wei: 1_029310344827586207n },
        reason:
          'The middle is 2900 USDC per WETH, the average of 3 looks is 3000 USDC per WETH: 3.333 % apart. Sells 3000 USDC for at least 1.029310344827586207 WETH.',
      },
    ])
    // The average is of four looks by then: 2975.
    expect(lastOf([...calm, 2900, 3080])).toMatchObject([
      { sell: ether('1'), buy: usdc, floor: dollars('3064.6') },
    ])
  })

  test.each<[string, readonly Hour[], string]>([
    [
      'before it has seen enough',
      [3000, 3000, 2900],
      'The middle is 2900 USDC per WETH: 2 of the 3 looks it takes are seen.',
    ],
    [
      'within the band',
      [...calm, 2911],
      'The middle is 2911 USDC per WETH, the average of 3 looks is 3000 USDC per WETH: 2.967 % apart.',
    ],
    [
      'beyond the stop',
      [...calm, 2700],
      'The middle is 2700 USDC per WETH, the average of 3 looks is 3000 USDC per WETH: 10 % apart. Beyond 8 % is a trend: waits for 3 %.',
    ],
    [
      'above the average with nothing bought: the wallet is not its to sell',
      [...calm, 3100],
      'The middle is 3100 USDC per WETH, the average of 3 looks is 3000 USDC per WETH: 3.333 % apart. Of its purchases 0 WETH are left: too little for a sale.',
    ],
    [
      'with less than a purchase in the wallet',
      [...calm, { price: 2900, look: { balances: [dollars('2999')] } }],
      'The middle is 2900 USDC per WETH, the average of 3 looks is 3000 USDC per WETH: 3.333 % apart. Holds 2999 USDC, less than the 3000 USDC to spend.',
    ],
    [
      'where policy lets nothing through',
      [...calm, { price: 2900, look: { swapLimits: [dollars('0')], balances: [] } }],
      'The middle is 2900 USDC per WETH, the average of 3 looks is 3000 USDC per WETH: 3.333 % apart. Policy lets no swap sell USDC.',
    ],
    [
      'where its purchases are no longer there',
      [...calm, 2900, { price: 3080, look: { balances: [ether('0.5')] } }],
      'The middle is 3080 USDC per WETH, the average of 4 looks is 2975 USDC per WETH: 3.529 % apart. Holds 0.5 WETH, less than the 1 WETH to sell.',
    ],
    [
      'without one of both prices',
      [...calm, { price: 2900, look: { indications: [undefined, undefined] } }],
      'No price for 1 WETH.',
    ],
    [
      'without a reference',
      [...calm, { price: 2900, look: { references: [undefined, undefined] } }],
      'The market pays 2900 USDC per WETH, and no independent reference confirms it.',
    ],
    [
      'while a swap is open',
      [
        ...calm,
        {
          price: 2900,
          look: { inflight: [{ swapId: 'x', sell: dollars('1'), buy: weth, since: 0 }] },
        },
      ],
      'Swap x of 1 USDC is in flight.',
    ],
  ])('waits %s', (_when, hours, reason) => {
    // Put off where nothing is known of the market, or nothing is there to trade.
    const kind = /^No price|Holds|no independent reference|is allowed\.$|is open|in flight/.test(
      reason,
    )
      ? 'postpone'
      : 'wait'
    expect(lastOf(hours)).toEqual([kind, reason])
  })

  test('the price it would get counts, not the middle', () => {
    const { desk } = deskOf(calm)
    desk.wait(hourMs)
    expect(desk.ask(worldAt(2905, 40))).toMatchObject({
      kind: 'wait',
      reason: expect.stringMatching(
        /^The middle is 2905.0\d+ USDC per WETH, the average of 3 looks is 3000 USDC per WETH: 3.166 % apart.$/,
      ),
    })
  })

  test('a trend is left alone until the price is back in the band, though the average catches up', () => {
    // 2700 is a trend; as the average falls to it, 2700 is 6 % and then 3 % below it.
    const falling = [...calm, 2700, 2700, 2700, 2700]
    expect(kinds(falling)).not.toContain('swap')
    // Back in the band it trades again.
    expect(kinds([...falling, 2700, 2600]).slice(-2)).toEqual(['wait', 'swap'])
    expect(kinds([...calm, 2700, 2990, 2800]).slice(-3)).toEqual(['wait', 'wait', 'swap'])
  })

  test('a doubtful look is not seen, and does not end a trend; looks that are too old are forgotten', () => {
    const silent: Hour = { price: 1, look: { references: [undefined, undefined] } }
    expect(kinds([...calm, silent, 2900]).at(-1)).toBe('swap')
    expect(kinds([...calm, 2700, silent, 2800]).at(-1)).toBe('wait')
    const { desk } = deskOf(calm)
    desk.wait(5 * hourMs)
    expect(desk.ask(worldAt(2900), exactly(2900))).toMatchObject({
      reason: 'The middle is 2900 USDC per WETH: 0 of the 3 looks it takes are seen.',
    })
  })

  test('a slot that is decided again sees its own price once', () => {
    const { desk } = deskOf(calm)
    expect(desk.ask(worldAt(2900), exactly(2900))).toMatchObject({
      reason: 'The middle is 2900 USDC per WETH: 2 of the 3 looks it takes are seen.',
    })
  })

  test('the budget is what it has spent less what its sales brought', () => {
    const params = read({ looks: 48, stop: '50 %', least: 3 })
    const { decisions, desk } = deskOf([...calm, 2900, 2800, 2700, 2600, 2500], params)
    expect(decisions.map(({ kind }) => kind).slice(3)).toEqual([
      ...['swap', 'swap', 'swap', 'wait', 'wait'],
    ])
    expect(desk.totals()).toMatchObject([{ sold: dollars('9000'), swaps: 3 }])
    expect(decisions.at(-1)).toMatchObject({
      reason: expect.stringContaining(
        'Has spent 9000 USDC of 9000 USDC: too little is left for 3000 USDC.',
      ),
    })
    desk.wait(hourMs)
    expect(desk.ask(worldAt(3300))).toMatchObject({ intents: [{ sell: ether('1') }] })
    desk.wait(hourMs)
    expect(desk.ask(worldAt(2500))).toMatchObject({ intents: [{ sell: dollars('3000') }] })
  })

  test('policy cuts a purchase and a sale, and the rest of its purchases waits for more', () => {
    const limits = { swapLimits: [dollars('600'), ether('0.1')] }
    expect(lastOf([...calm, { price: 2900, look: limits }])).toMatchObject([
      { sell: dollars('600') },
    ])
    expect(lastOf([...calm, 2900, { price: 3080, look: limits }])).toMatchObject([
      { sell: ether('0.1') },
    ])
    const rest = [
      { sold: dollars('3000'), bought: ether('1.09'), swaps: 1 },
      { sold: ether('1'), bought: dollars('3100'), swaps: 1 },
    ]
    expect(lastOf([...calm, { price: 3100, look: { totals: rest } }])).toEqual([
      'wait',
      'The middle is 3100 USDC per WETH, the average of 3 looks is 3000 USDC per WETH: 3.333 % apart. Of its purchases 0.09 WETH are left: too little for a sale.',
    ])
  })

  test('watches both ways with references', () => {
    expect(meanReversion.watch(read())).toEqual([
      { sell: ether('1'), buy: usdc, wants: ['reference'] },
      { sell: dollars('3000'), buy: weth, wants: ['reference'] },
    ])
    const swapLimits = [dollars('10')]
    expect(meanReversion.typicalSwaps?.({ params: read(), swapLimits })).toEqual([
      { sell: ether('1'), buy: usdc },
      { sell: dollars('10'), buy: weth },
    ])
  })

  test('where the references pay more than the market by more than the tolerance, nothing is sold', () => {
    const params = read({ tolerance: '10 bps' })
    const references = [
      { sold: ether('1'), bought: dollars('2880') },
      { sold: dollars('2880'), bought: ether('1') },
    ]
    const [kind, reason] = lastOf([...calm, { price: 2900, look: { references } }], params)
    expect([kind, reason]).toEqual([
      'wait',
      expect.stringMatching(/3000 USDC bring 1.03448\d+ WETH, and 1.04062\d* WETH are the least.$/),
    ])
  })

  test.each<[object, string]>([
    [{ buy: '0 USDC' }, 'buy: is nothing: write more than zero.'],
    [{ buy: '1 ETH', budget: '2 ETH' }, 'buy: is ETH, which pays the gas: name another token.'],
    [{ sell: '1 ETH' }, 'sell: is ETH, which pays the gas: name another token.'],
    [{ sell: '1 USDC' }, 'sell: is USDC as well.'],
    [{ budget: '2999 USDC' }, 'budget: is less than the 3000 USDC of one purchase.'],
    [{ budget: '9 WETH' }, 'budget: is in WETH, but it spends USDC.'],
    [{ band: '0 %' }, 'band: is nothing: every look would trade.'],
    [{ stop: '3 %' }, 'stop: is not more than the band: it never trades.'],
    [{ looks: 49 }, 'looks: is not 2 to 48.'],
    [{ looks: 1 }, 'looks: is not 2 to 48.'],
    [{ least: 5 }, 'least: is more than the 4 looks that there are.'],
    [
      // Of 103, 291 bps less is above 100, and 292 bps less is not.
      { tolerance: '292 bps' },
      'tolerance: is too near the band: it could buy above the average, or sell below it.',
    ],
  ])('%o is refused', (changes, sentence) => {
    expect(() => read(changes)).toThrow(sentence)
  })

  test('the tolerance may be all that the band makes up for', () => {
    expect(read({ tolerance: '291 bps' })).toMatchObject({ tolerance: 291 })
  })
})

const steps = fc.array(fc.integer({ min: -700, max: 700 }), { minLength: 20, maxLength: 120 })

test('mean-reversion: never spends more than its budget, never sells what it did not buy, always on its side', () => {
  let [purchases, sales] = [0, 0]
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 30 }), (moves, halfSpreadBps) => {
      const params = read({ stop: '20 %' })
      const { desk } = deskOf([])
      let price = 3_000
      for (const move of moves) {
        price = Math.max(500, price * (1 + move / 10_000))
        desk.wait(hourMs)
        const world = worldAt(price, halfSpreadBps)
        const context = desk.contextIn(world)
        expect(meanReversion.decide(structuredClone(context))).toEqual(
          meanReversion.decide(context),
        )
        const seen = String(context.memory?.seen ?? '').split(' ')
        const decision = desk.ask(world)
        const own = { totals: desk.totals(), inflight: [] }
        const brought = (of: Token) =>
          own.totals.reduce((sum, { bought }) => sum + (bought.token === of ? bought.wei : 0n), 0n)
        expect(totalSold(own, usdc).wei - brought(usdc)).toBeLessThanOrEqual(params.budget.wei)
        expect(totalSold(own, weth).wei).toBeLessThanOrEqual(brought(weth))
        expect(held(desk.balances(), weth).wei).toBeGreaterThanOrEqual(ether('100').wei)
        if (decision.kind !== 'swap') continue
        const [{ sell, floor }] = decision.intents as [(typeof decision.intents)[number]]
        const looks = seen.slice(-4).map((text) => BigInt(text.split(':')[1] ?? 0))
        const sum = looks.reduce((all, wei) => all + wei, 0n)
        const [base, quote] = sell.token === usdc ? [floor.wei, sell.wei] : [sell.wei, floor.wei]
        // The price it accepts against the average: USDC per WETH, cross-multiplied.
        const [accepted, average] = [quote * 10n ** 18n * BigInt(looks.length), sum * base]
        if (sell.token === usdc) purchases += 1
        else sales += 1
        if (sell.token === usdc) expect(accepted).toBeLessThan(average)
        else expect(accepted).toBeGreaterThan(average)
      }
    }),
    { numRuns: 100 },
  )
  expect(purchases).toBeGreaterThan(50)
  expect(sales).toBeGreaterThan(50)
})
