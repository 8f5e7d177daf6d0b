import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { amountOf, type Decision } from '#strategy'
import { contextWith } from '#strategy/testing'
import dca from '../../strategies/dca.ts'

const weth = { chainId: 31337, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 31337, address: '0x02', symbol: 'USDC', decimals: 6 } as const
const ether = (decimal: string) => amountOf(weth, decimal)
const sell = amountOf(usdc, '500')
const slot = Date.UTC(2026, 4, 4, 7)
const brings = (decimal: string) => ({ sold: sell, bought: ether(decimal), route: ['maker-a'] })
const params = {
  sell,
  buy: weth,
  cron: '0 9 * * *',
  timeZone: 'Europe/Berlin',
  tolerance: 50,
}
const balances = [amountOf(usdc, '500')]
const open = { swapId: 's1', sell, buy: weth, since: 0 }

const waits = (reason: string): Decision => ({ kind: 'wait', reason })
const buys = (floor: string, reason: string): Decision => ({
  kind: 'swap',
  intents: [{ sell, buy: weth, floor: ether(floor), reason }],
})

describe('dca', () => {
  test.each<[string, Parameters<typeof contextWith<typeof params>>[1], Decision]>([
    [
      'buys at the slot, for the indication less the tolerance',
      { slot, indications: [brings('0.2')], balances },
      buys('0.199', 'Slot 2026-05-04T07:00:00.000Z: 500 USDC brings 0.2 WETH, accepts 0.199 WETH.'),
    ],
    [
      'rounds the floor up',
      { slot, indications: [brings('0.000000000000000001')], balances },
      buys(
        '0.000000000000000001',
        'Slot 2026-05-04T07:00:00.000Z: 500 USDC brings 0.000000000000000001 WETH, accepts 0.000000000000000001 WETH.',
      ),
    ],
    [
      'buys an hour late, to the millisecond',
      { slot, now: slot + 3_600_000, indications: [brings('0.2')], balances },
      buys('0.199', 'Slot 2026-05-04T07:00:00.000Z: 500 USDC brings 0.2 WETH, accepts 0.199 WETH.'),
    ],
    [
      'skips a slot that is over',
      { slot, now: slot + 3_600_001, indications: [brings('0.2')], balances },
      waits('The slot of 2026-05-04T07:00:00.000Z is over: more than 3600 s have passed.'),
    ],
    [
      'waits without a price',
      { slot, indications: [undefined], balances },
      waits('No price for 500 USDC.'),
    ],
    [
      'takes a market that pays nothing for no market',
      { slot, indications: [brings('0')], balances },
      waits('No price for 500 USDC.'),
    ],
    [
      'waits while the swap of an earlier slot is in flight',
      { slot, indications: [brings('0.2')], balances, inflight: [open] },
      waits('Swap s1 of 500 USDC is in flight.'),
    ],
    [
      'waits when it holds too little',
      { slot, indications: [brings('0.2')], balances: [amountOf(usdc, '499.999999')] },
      waits('Holds 499.999999 USDC, less than the 500 USDC to sell.'),
    ],
  ])('decide: %s', (_aspect, overrides, decision) => {
    expect(dca.decide(contextWith(params, overrides))).toEqual(decision)
  })

  test('price: bounds the floor from below, and refuses a market beyond it', () => {
    // At most 2510 USDC for one WETH: 500 USDC have to bring at least 0.199203187250996016 WETH.
    const bounded = { ...params, price: { sold: amountOf(usdc, '2510'), bought: ether('1') } }
    const decide = (decimal: string) =>
      dca.decide(contextWith(bounded, { slot, indications: [brings(decimal)], balances }))

    expect(decide('0.2')).toEqual(
      buys(
        '0.199203187250996016',
        'Slot 2026-05-04T07:00:00.000Z: 500 USDC brings 0.2 WETH, accepts 0.199203187250996016 WETH.',
      ),
    )
    expect(decide('0.25')).toEqual(
      buys(
        '0.24875',
        'Slot 2026-05-04T07:00:00.000Z: 500 USDC brings 0.25 WETH, accepts 0.24875 WETH.',
      ),
    )
    expect(decide('0.199203187250996015')).toEqual(
      waits('500 USDC brings 0.199203187250996015 WETH, below 0.199203187250996016 WETH.'),
    )
  })

  test('late: is the operator’s choice', () => {
    const patient = { ...params, late: 86_400 }
    const now = slot + 86_400_000
    const context = contextWith(patient, { slot, now, indications: [brings('0.2')], balances })
    expect(dca.decide(context).kind).toBe('swap')
  })

  test('schedule: is the calendar in its own time zone', () => {
    expect(dca.schedule(params)).toEqual({
      kind: 'cron',
      expression: '0 9 * * *',
      timeZone: 'Europe/Berlin',
    })
    expect(dca.watch(params)).toEqual([{ sell, buy: weth }])
  })

  test('decide: the floor is never above what the market indicates, nor below tolerance and price', () => {
    const wei = fc.bigInt({ min: 1n, max: 10n ** 30n })
    fc.assert(
      fc.property(
        fc.record({ selling: wei, indicated: wei, per: wei, worst: wei }),
        fc.integer({ min: 0, max: 1_000 }),
        fc.boolean(),
        ({ selling, indicated, per, worst }, tolerance, bounded) => {
          const price = {
            sold: { token: usdc, wei: per },
            bought: { token: weth, wei: worst },
          }
          const amount = { token: usdc, wei: selling }
          const decision = dca.decide(
            contextWith(
              { ...params, sell: amount, tolerance, ...(bounded ? { price } : {}) },
              {
                slot,
                indications: [{ sold: amount, bought: { token: weth, wei: indicated }, route: [] }],
                balances: [amount],
              },
            ),
          )
          const pays = indicated * per >= worst * selling
          expect(decision.kind).toBe(!bounded || pays ? 'swap' : 'wait')
          if (decision.kind !== 'swap') return
          const floor = decision.intents[0]?.floor.wei ?? 0n
          expect(floor).toBeGreaterThan(0n)
          expect(floor).toBeLessThanOrEqual(indicated)
          expect(floor * 10_000n).toBeGreaterThanOrEqual(indicated * BigInt(10_000 - tolerance))
          if (bounded) expect(floor * per).toBeGreaterThanOrEqual(worst * selling)
        },
      ),
    )
  })
})
