import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Amount, amountOf, type Decision, held, maxOf, type Price } from '#strategy'
import { contextWith, paramsOf } from '#strategy/testing'
import { type Address, nativeAddress, type Token } from '../../src/core/token.ts'
import cashSweep from '../../strategies/cash-sweep.ts'
import { createDesk, type World } from './rebalanceWorld.ts'

const token = (symbol: string, address: Address, decimals: number): Token => ({
  ...{ chainId: 31337, address, symbol, decimals },
})
const usdc = token('USDC', '0x02', 6)
const dai = token('DAI', '0x03', 18)
const eth = token('ETH', nativeAddress, 18)
const dollars = (text: string) => amountOf(usdc, text)
const reserve = (text: string) => amountOf(dai, text)

const written = {
  ...{ hold: '20000 USDC', above: '25000 USDC', below: '15000 USDC', sweep: '10000 USDC' },
  ...{ refill: '8000 DAI', keep: '1000 DAI', tolerance: '50 bps', every: '10m' },
}
const read = (changes: object = {}) =>
  paramsOf(cashSweep, { ...written, ...changes }, [usdc, dai, eth])
type Params = ReturnType<typeof read>
type Look = { readonly holds: string; readonly reserve?: string } & Partial<
  Parameters<typeof cashSweep.decide>[0]
>

const sweepPrice: Price = { sold: dollars('10000'), bought: reserve('9990') }
const refillPrice: Price = { sold: reserve('8000'), bought: dollars('7992') }
const shown = (price: Price | undefined) => price && { ...price, route: [] }

const decide = ({ holds, reserve: spare = '50000', params = read(), ...look }: Look) =>
  cashSweep.decide(
    contextWith(params, {
      indications: [shown(sweepPrice), shown(refillPrice)],
      references: [undefined, undefined],
      balances: [dollars(holds), reserve(spare)],
      ...look,
    }),
  )
const reasonOf = (decision: Decision) =>
  decision.kind === 'swap' ? decision.intents.map(({ reason }) => reason) : decision.reason

describe('cash-sweep', () => {
  test('sweeps what is above the working balance, one slice at most', () => {
    expect(decide({ holds: '26000' })).toEqual({
      kind: 'swap',
      intents: [
        {
          sell: dollars('6000'),
          buy: dai,
          floor: reserve('5964.03'),
          reason:
            'Holds 26000 USDC, more than 25000 USDC: sells 6000 USDC for at least 5964.03 DAI.',
        },
      ],
    })
    expect(decide({ holds: '80000' })).toMatchObject({ intents: [{ sell: dollars('10000') }] })
  })

  test('refills what is missing at the indicated price, and never sells what is kept', () => {
    const decision = decide({ holds: '14000' })
    // 6000 USDC cost 6006.006 DAI at 0.999.
    expect(decision).toMatchObject({
      intents: [{ sell: { token: dai, wei: 6_006006006006006006007n }, buy: usdc }],
    })
    expect(decide({ holds: '0' })).toMatchObject({ intents: [{ sell: reserve('8000') }] })
    expect(decide({ holds: '14000', reserve: '6500' })).toMatchObject({
      intents: [{ sell: reserve('5500') }],
    })
  })

  test('what one swap may sell cuts both', () => {
    const swapLimits = [dollars('500'), reserve('400')]
    expect(decide({ holds: '26000', swapLimits })).toMatchObject({
      intents: [{ sell: dollars('500') }],
    })
    expect(decide({ holds: '14000', reserve: '1400', swapLimits })).toMatchObject({
      intents: [{ sell: reserve('400') }],
    })
  })

  const open = { swapId: 'a swap', sell: dollars('1000'), buy: dai, since: 0 }
  const guarded = read({ maxDeviation: '100 bps' })
  const far = { sold: dollars('10000'), bought: reserve('10200') }
  test.each<[string, Look, string]>([
    [
      'on the upper end',
      { holds: '25000' },
      'Holds 25000 USDC, between 15000 USDC and 25000 USDC.',
    ],
    [
      'on the lower end',
      { holds: '15000' },
      'Holds 15000 USDC, between 15000 USDC and 25000 USDC.',
    ],
    [
      'while a swap is open',
      { holds: '90000', inflight: [open] },
      'Swap a swap of 1000 USDC is in flight.',
    ],
    [
      'without a price',
      { holds: '90000', indications: [undefined, undefined] },
      'Holds 90000 USDC, more than 25000 USDC. No price for 10000 USDC in DAI.',
    ],
    [
      'where a refill has no price',
      { holds: '1', indications: [shown(sweepPrice), undefined] },
      'Holds 1 USDC, less than 15000 USDC. No price for 8000 DAI in USDC.',
    ],
    [
      'with less in the reserve than a usual refill takes',
      { holds: '14000', reserve: '6005' },
      'Holds 14000 USDC, less than 15000 USDC. The reserve has 5005 DAI to sell, less than 5005.005005005005005006 DAI.',
    ],
    [
      'with less in the reserve than is kept',
      { holds: '14000', reserve: '999' },
      'Holds 14000 USDC, less than 15000 USDC. The reserve has 0 DAI to sell, less than 5005.005005005005005006 DAI.',
    ],
    [
      'without the reference it asks for',
      { holds: '26000', params: guarded },
      'Holds 26000 USDC, more than 25000 USDC. No reference for USDC in DAI.',
    ],
    [
      'where the references contradict the service',
      { holds: '26000', params: guarded, references: [far, undefined] },
      'Holds 26000 USDC, more than 25000 USDC. The service indicates 0.999 DAI per USDC, the references say 1.02 DAI per USDC: more than 1 % apart.',
    ],
    [
      'where the market pays less than the floor',
      {
        holds: '26000',
        params: read({ maxDeviation: '100 bps', tolerance: '5 bps' }),
        references: [{ sold: dollars('10000'), bought: reserve('10000') }, undefined],
      },
      'Holds 26000 USDC, more than 25000 USDC. 6000 USDC bring 5994 DAI, and 5997 DAI are the least.',
    ],
  ])('waits %s', (_when, look, reason) => {
    const decision = decide(look)
    // Put off where the balance is outside of its band and nothing is done about it.
    const kind = reason.includes(', between ') ? 'wait' : 'postpone'
    expect([decision.kind, reasonOf(decision)]).toEqual([kind, reason])
  })

  test('the references bound the floor', () => {
    const references = [{ sold: dollars('10000'), bought: reserve('10010') }, undefined]
    expect(decide({ holds: '26000', params: guarded, references })).toMatchObject({
      intents: [{ floor: reserve('5975.97') }],
    })
  })

  test('watches both ways, foresees both within the limits, and reserves what it holds', () => {
    const params = read({ maxDeviation: '100 bps' })
    expect(cashSweep.watch(params)).toEqual([
      { sell: dollars('10000'), buy: dai, wants: ['reference'] },
      { sell: reserve('8000'), buy: usdc, wants: ['reference'] },
    ])
    expect(cashSweep.typicalSwaps?.({ params, swapLimits: [dollars('10')] })).toEqual([
      { sell: dollars('10'), buy: dai },
      { sell: reserve('8000'), buy: usdc },
    ])
    const { now, memory, ...own } = contextWith(params)
    expect(cashSweep.reserves?.({ ...own, now, memory, params })).toEqual([dollars('20000')])
  })

  test.each<[object, string]>([
    [{ hold: '0 USDC', below: '0 USDC' }, 'hold: is nothing: write what is to be there.'],
    [{ above: '20000 USDC' }, 'above: is not more than the 20000 USDC of hold.'],
    [{ below: '20000 USDC' }, 'below: is not less than the 20000 USDC of hold.'],
    [{ above: '25000 DAI' }, 'above: is in DAI, but it holds USDC.'],
    [{ below: '1 DAI' }, 'below: is in DAI, but it holds USDC.'],
    [{ sweep: '1 DAI' }, 'sweep: is in DAI, but it holds USDC.'],
    [{ sweep: '0 USDC' }, 'sweep: is nothing: sell more than zero.'],
    [{ refill: '0 DAI' }, 'refill: is nothing: sell more than zero.'],
    [{ refill: '1 USDC' }, 'refill: is USDC, which is what it refills.'],
    [{ refill: '1 ETH', keep: '1 ETH' }, 'refill: is ETH, which pays the gas: name another token.'],
    [{ keep: '1 USDC' }, 'keep: is in USDC, but the reserve is DAI.'],
    [{ tolerance: '1001 bps' }, 'tolerance: is more than 1000 bps'],
  ])('%o is refused', (changes, sentence) => {
    expect(() => read(changes)).toThrow(sentence)
  })
})

const world: World = {
  prices: { USDC: 1_000_000n, DAI: 999_000n },
  halfSpreadBps: 5,
  levels: [10_000_000n],
  stepBps: 0,
}
const flows = fc.array(fc.bigInt(-30_000_000_000n, 30_000_000_000n), {
  minLength: 5,
  maxLength: 40,
})

test('cash-sweep: whatever comes and goes, it ends in the band, keeps what is kept and makes no circle', () => {
  let [sweeps, refills] = [0, 0]
  fc.assert(
    fc.property(flows, (moves) => {
      const params: Params = read()
      const balances: readonly Amount[] = [dollars('20000'), reserve('500000')]
      const desk = createDesk({ strategy: cashSweep, params, balances })
      const balance = (of: Token) => held(desk.balances(), of).wei
      for (const move of moves) {
        desk.move(usdc, maxOf(move, -balance(usdc)))
        const isLow = balance(usdc) < params.below.wei
        // As many looks as the largest flow has slices, then some: it is done by then, and stays so.
        const decisions = Array.from({ length: 40 }, () => desk.ask(world))
        const swaps = decisions.flatMap((one) => (one.kind === 'swap' ? one.intents : []))
        expect(decisions.slice(-20).every(({ kind }) => kind === 'wait')).toBe(true)
        expect(swaps.every(({ sell }) => (sell.token === dai) === isLow)).toBe(true)
        expect(balance(usdc)).toBeLessThanOrEqual(params.above.wei)
        expect(balance(dai)).toBeGreaterThanOrEqual(reserve('1000').wei)
        const isSpent = balance(dai) < reserve('12000').wei
        if (!isSpent) expect(balance(usdc)).toBeGreaterThanOrEqual(params.below.wei)
        if (isLow) refills += swaps.length
        else sweeps += swaps.length
      }
    }),
    { numRuns: 60 },
  )
  expect(sweeps).toBeGreaterThan(20)
  expect(refills).toBeGreaterThan(20)
})
