import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { amountOf, type Context, type Decision, type Memory, type Price } from '#strategy'
import { contextWith, paramsOf } from '#strategy/testing'
import { type Address, nativeAddress, type Token } from '../../src/core/token.ts'
import depegExit from '../../strategies/depeg-exit.ts'

const token = (symbol: string, address: Address, decimals: number): Token => ({
  ...{ chainId: 31337, address, symbol, decimals },
})
const usdc = token('USDC', '0x02', 6)
const dai = token('DAI', '0x03', 18)
const eth = token('ETH', nativeAddress, 18)
const coins = (text: string) => amountOf(dai, text)

const written = {
  ...{ sell: '10000 DAI', buy: 'USDC', floor: '0.97 USDC', back: '0.99 USDC' },
  ...{ confirm: '3 of 3', every: '1m', tolerance: '100 bps' },
}
const read = (changes: object = {}) =>
  paramsOf(depegExit, { ...written, ...changes }, [usdc, dai, eth])
type Params = ReturnType<typeof read>

const price = (dollars: string): Price => ({
  sold: coins('1'),
  bought: amountOf(usdc, dollars),
})

/** What one minute shows: the market and, where it says something else or nothing, the references. */
type Minute = {
  readonly market?: string | undefined
  readonly reference?: string | undefined
  readonly minute?: number
} & Partial<Context<Params>>
const at = (market: string, more: Minute = {}): Minute => ({ market, reference: market, ...more })

/** The decisions of these minutes, one after the other, each with the notes of the one before. */
function watch(minutes: readonly Minute[], params = read()): readonly Decision[] {
  let memory: Memory | undefined
  return minutes.map(({ market, reference, minute, ...look }, index) => {
    const shown = market === undefined ? undefined : { ...price(market), route: [] }
    const context = contextWith(params, {
      slot: (minute ?? index) * 60_000,
      memory,
      indications: [shown],
      references: [reference === undefined ? undefined : price(reference)],
      balances: [coins('25000')],
      ...look,
    })
    const decision = depegExit.decide(context)
    expect(depegExit.decide(structuredClone(context))).toEqual(decision)
    memory = decision.memory
    return decision
  })
}
const kinds = (minutes: readonly Minute[], params?: Params) =>
  watch(minutes, params).map(({ kind }) => kind)
function lastOf(minutes: readonly Minute[], params?: Params) {
  const last = watch(minutes, params).at(-1)
  return last?.kind === 'swap' ? last.intents : [last?.kind, last?.reason]
}
const low = at('0.96')

describe('depeg-exit', () => {
  test('sells a slice once the floor was broken for as many looks, at market and references less the tolerance', () => {
    expect(kinds([at('1'), low, low, low])).toEqual(['wait', 'wait', 'wait', 'swap'])
    expect(lastOf([low, low, { market: '0.96', reference: '0.965' }])).toEqual([
      {
        sell: coins('10000'),
        buy: usdc,
        // A percent below the references, which say more.
        floor: amountOf(usdc, '9553.5'),
        reason:
          'The market pays 0.96 USDC per DAI, the references say 0.965 USDC per DAI: left until they say 0.99 USDC per DAI. Accepts 9553.5 USDC.',
      },
    ])
  })

  test.each<[string, readonly Minute[], string]>([
    [
      'on the first looks',
      [low, low],
      'The market pays 0.96 USDC per DAI, the references say 0.96 USDC per DAI: under 0.97 USDC per DAI for 2 of the 3 looks in 3 it takes.',
    ],
    [
      'on the floor itself',
      [low, low, at('0.97')],
      'The market pays 0.97 USDC per DAI, the references say 0.97 USDC per DAI: the floor is 0.97 USDC per DAI.',
    ],
    [
      'where the market alone is low',
      [low, low, { market: '0.965', reference: '0.9701' }],
      'The market pays 0.965 USDC per DAI, the references say 0.9701 USDC per DAI: the floor is 0.97 USDC per DAI.',
    ],
    [
      'where the references alone are low',
      [low, low, { market: '0.9701', reference: '0.965' }],
      'The market pays 0.9701 USDC per DAI, the references say 0.965 USDC per DAI: the floor is 0.97 USDC per DAI.',
    ],
    [
      'where no reference answers',
      [low, low, { market: '0.96', reference: undefined }],
      'The market pays 0.96 USDC per DAI, and no independent reference confirms it.',
    ],
    [
      'where market and references are too far apart',
      [low, low, { market: '0.9', reference: '0.96' }],
      'The market pays 0.9 USDC per DAI, the references say 0.96 USDC per DAI: 6.25 % apart, 1 % is allowed.',
    ],
    ['without a price', [low, low, { reference: '0.96' }], 'No price for 10000 DAI.'],
    [
      'while a swap is open',
      [
        low,
        low,
        at('0.96', { inflight: [{ swapId: 'x', sell: coins('1'), buy: usdc, since: 0 }] }),
      ],
      'Swap x of 1 DAI is in flight.',
    ],
    [
      'for a rest that is too little',
      [low, low, at('0.96', { balances: [coins('99')] })],
      'The market pays 0.96 USDC per DAI, the references say 0.96 USDC per DAI. 99 DAI are left to sell, less than 100 DAI.',
    ],
    [
      'without any',
      [low, low, at('0.96', { balances: [] })],
      'The market pays 0.96 USDC per DAI, the references say 0.96 USDC per DAI. 0 DAI are left to sell, less than 100 DAI.',
    ],
  ])('waits %s', (_when, minutes, reason) => {
    // Put off where the look says nothing of the peg.
    const kind = /^No price|no independent reference|is allowed\.$|is open|in flight/.test(reason)
      ? 'postpone'
      : 'wait'
    expect(lastOf(minutes)).toEqual([kind, reason])
  })

  test('a look that saw nothing of it, or a pause, begins the count anew', () => {
    const silent = { market: '0.96', reference: undefined }
    expect(kinds([low, low, silent, low, low, low])[4]).toBe('wait')
    expect(kinds([low, low, at('0.99'), low, low])).not.toContain('swap')
    expect(kinds([low, low, { ...low, minute: 60 }])).not.toContain('swap')
    const lenient = read({ confirm: '3 of 4' })
    expect(kinds([low, low, silent, low], lenient)[3]).toBe('swap')
  })

  test('an exit goes on between floor and back, ends there, and then has to be confirmed anew', () => {
    const begun = [low, low, low]
    expect(kinds([...begun, at('0.98'), at('0.985')]).slice(3)).toEqual(['swap', 'swap'])
    expect(kinds([...begun, at('0.99'), at('0.98'), low]).slice(3)).toEqual([
      'wait',
      'wait',
      'wait',
    ])
    // The references say whether it is back, not one price of the service.
    expect(kinds([...begun, { market: '0.995', reference: '0.989' }])[3]).toBe('swap')
    expect(kinds([...begun, { market: '0.985', reference: '0.99' }])[3]).toBe('wait')
  })

  test('an exit that saw nothing for too long is not taken up with one look', () => {
    const begun = [low, low, low]
    const silent = { market: '0.96', reference: undefined }
    const later = at('0.98')
    expect(kinds([...begun, silent, later]).at(-1)).toBe('swap')
    expect(kinds([...begun, silent, silent, silent, later]).at(-1)).toBe('wait')
    expect(kinds([...begun, { ...later, minute: 6 }]).at(-1)).toBe('wait')
  })

  test('the time that its own slice took does not end an exit', () => {
    const between = (minute: number, fill?: number): Minute => ({
      ...at('0.975', { minute }),
      ...(fill === undefined ? {} : { lastFill: { at: fill * 60_000, price: price('0.96') } }),
    })
    // The slice of minute 2 is final in minute 9: nothing was looked at meanwhile.
    expect(kinds([low, low, low, between(10, 9)]).at(-1)).toBe('swap')
    expect(kinds([low, low, low, between(13, 9)]).at(-1)).toBe('wait')
    expect(kinds([low, low, low, between(10)]).at(-1)).toBe('wait')
    // One that is booked days later, at the next start, was a pause all the same.
    expect(kinds([low, low, low, between(123, 122)]).at(-1)).toBe('swap')
    expect(kinds([low, low, low, between(124, 123)]).at(-1)).toBe('wait')
  })

  test("the time that another strategy's swap took is no pause, neither of the count nor of an exit", () => {
    // Each look was due a minute after the one before, and waited seven minutes for the lane.
    const late = (minute: number, dollars: string): Minute => ({
      ...at(dollars, { minute }),
      now: (minute + 7) * 60_000,
    })
    const minutes = [late(1, '0.96'), late(9, '0.96'), late(17, '0.96'), late(25, '0.975')]
    expect(kinds(minutes)).toEqual(['wait', 'wait', 'swap', 'swap'])
    // Nothing was due for longer than the looks that count: a pause, wherever the look before it was late.
    expect(kinds([...minutes, late(36, '0.975')]).at(-1)).toBe('wait')
    expect(kinds([late(1, '0.96'), late(9, '0.96'), late(20, '0.96')]).at(-1)).toBe('wait')
  })

  test('where nothing is left to sell, a look that says nothing is all well', () => {
    const sold = { balances: [coins('0')] }
    const blind = { market: undefined, reference: undefined }
    expect(lastOf([{ ...low, ...blind }])[0]).toBe('postpone')
    expect(lastOf([{ ...low, ...blind, ...sold }])[0]).toBe('wait')
  })

  test('keep, limit, policy and worst bound it', () => {
    const three = (look: Minute) => [low, low, { ...low, ...look }]
    expect(lastOf(three({}), read({ keep: '20000 DAI' }))).toMatchObject([{ sell: coins('5000') }])
    const totals = [{ sold: coins('9000'), bought: amountOf(usdc, '8600'), swaps: 1 }]
    const limited = read({ limit: '12000 DAI' })
    expect(lastOf(three({ totals }), limited)).toMatchObject([{ sell: coins('3000') }])
    const all = [{ sold: coins('12000'), bought: amountOf(usdc, '11000'), swaps: 2 }]
    expect(lastOf(three({ totals: all }), limited)).toEqual([
      'wait',
      'Sold 12000 DAI of at most 12000 DAI: finished.',
    ])
    expect(lastOf(three({ swapLimits: [coins('40')] }))).toMatchObject([{ sell: coins('40') }])
    const worst = read({ worst: '0.955 USDC' })
    expect(lastOf([low, low, low], worst)).toMatchObject([{ floor: amountOf(usdc, '9550') }])
    expect(lastOf([low, low, at('0.95')], worst)).toEqual([
      'postpone',
      'The market pays 0.95 USDC per DAI, the references say 0.95 USDC per DAI: the worst to accept is 0.955 USDC per DAI.',
    ])
    expect(
      lastOf([low, low, { market: '0.955', reference: '0.9645' }], read({ tolerance: '5 bps' })),
    ).toEqual([
      'postpone',
      'The market pays 0.955 USDC per DAI, the references say 0.9645 USDC per DAI. 10000 DAI bring 9550 USDC, less than 9640.1775 USDC.',
    ])
  })

  test('a price of a person bounds it only where there is one', () => {
    expect(depegExit.pricedByPerson?.(read())).toBe(false)
    expect(depegExit.pricedByPerson?.(read({ worst: '0.8 USDC' }))).toBe(true)
    expect(depegExit.watch(read())).toEqual([
      { sell: coins('10000'), buy: usdc, wants: ['reference'] },
    ])
    expect(depegExit.typicalSwaps?.({ params: read(), swapLimits: [coins('5')] })).toEqual([
      { sell: coins('5'), buy: usdc, price: undefined, market: expect.anything() },
    ])
  })

  test.each<[object, string]>([
    [{ confirm: '1 of 3' }, 'confirm: is a single look, which may err: write 2 of 2 at least.'],
    [{ back: '0.97 USDC' }, 'back: is not above the floor: it would flap.'],
    [{ worst: '0.97 USDC' }, 'worst: is not under the floor: nothing would ever be sold.'],
    [{ minimum: '10001 DAI' }, 'minimum: is more than 10000 DAI.'],
    [{ sell: '0 DAI' }, 'sell: is nothing: sell more than zero.'],
    [
      { floor: '97 USDC', back: '99 USDC' },
      'floor: is not under par: a DAI at its peg is worth one USDC, and would be sold.',
    ],
    [
      { floor: '1 USDC', back: '1.01 USDC' },
      'floor: is not under par: a DAI at its peg is worth one USDC, and would be sold.',
    ],
    [{ limit: '0 DAI' }, 'limit: is nothing, so nothing is ever sold: leave it out for no limit.'],
    [{ sell: '1 ETH' }, 'sell: is ETH, which is no stablecoin.'],
    [{ keep: '1 USDC' }, 'keep: is in USDC, but it sells DAI.'],
    [{ repeat: 'once' }, 'is not a known key'],
  ])('%o is refused', (changes, sentence) => {
    expect(() => read(changes)).toThrow(sentence)
  })
})

const cents = fc.integer({ min: 900, max: 1_010 }).map((thousandths) => `${thousandths / 1_000}`)
const minutes = fc.array(
  fc.record({
    market: fc.option(cents, { nil: undefined, freq: 6 }),
    /** What the references say beside the market, in thousandths. */
    apart: fc.option(fc.integer({ min: -15, max: 15 }), { nil: undefined, freq: 6 }),
    pause: fc.constantFrom(1, 1, 1, 1, 2, 30),
  }),
  { minLength: 5, maxLength: 60 },
)

test('depeg-exit: every sale has its looks behind it, within the time it remembers, and a floor near both prices', () => {
  let sales = 0
  const params = read({ confirm: '2 of 3', confirmWithin: '1 %' })
  const withinMs = 3 * 60_000
  fc.assert(
    fc.property(minutes, (drawn) => {
      let minute = 0
      const looks = drawn.map(({ market, apart, pause }): Required<Minute> => {
        minute += pause
        const reference =
          market === undefined || apart === undefined
            ? undefined
            : (Number(market) + apart / 1_000).toFixed(3)
        return { market, reference, minute } as Required<Minute>
      })
      const slot = (index: number) => (looks[index]?.minute ?? 0) * 60_000
      const isUnder = (index: number) => {
        const { market = '9', reference = '9' } = looks[index] ?? {}
        // Whole thousandths, so that a hundredth is exact.
        const [ofMarket, said] = [market, reference].map((one) => Math.round(Number(one) * 1_000))
        if (ofMarket === undefined || said === undefined) return false
        return Math.abs(ofMarket - said) * 100 <= said && Math.max(ofMarket, said) < 970
      }
      const decisions = watch(looks, params)
      for (const [index, decision] of decisions.entries()) {
        if (decision.kind !== 'swap') continue
        sales += 1
        const [intent] = decision.intents
        const { market = '', reference = '' } = looks[index] ?? {}
        const best = Math.max(Number(market), Number(reference))
        expect(decision.intents).toHaveLength(1)
        expect(Number(intent?.floor.wei)).toBeGreaterThanOrEqual(best * 9_899.9 * 1e6)
        expect(Number(reference)).toBeLessThan(0.99)
        // Confirmed by this look and one of the two before, or a sale goes on: within the time it remembers.
        const goesOn = decisions.some(
          ({ kind }, at) => at < index && kind === 'swap' && slot(index) - slot(at) <= withinMs,
        )
        const looksUnder = [index, index - 1, index - 2].filter(isUnder)
        expect(goesOn || (looksUnder.length >= 2 && looksUnder[0] === index)).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
  expect(sales).toBeGreaterThan(50)
})
