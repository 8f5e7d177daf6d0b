import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Amount, amountOf, type Decision } from '#strategy'
import { contextWith } from '#strategy/testing'
import threshold from '../../strategies/threshold.ts'

const weth = { chainId: 31337, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 31337, address: '0x02', symbol: 'USDC', decimals: 6 } as const
const one = amountOf(weth, '1')
const dollars = (decimal: string) => amountOf(usdc, decimal)
const at = (decimal: string) => ({ sold: one, bought: dollars(decimal), route: ['maker-a'] })
const params = { sell: one, buy: usdc, price: { sold: one, bought: dollars('2950') }, every: 5 }
const open = { swapId: 's1', sell: one, buy: usdc, since: 0 }
const rich = [amountOf(weth, '100')]

const waits = (reason: string): Decision => ({ kind: 'wait', reason })
const sells = (reason: string): Decision => ({
  kind: 'swap',
  intents: [{ sell: one, buy: usdc, floor: dollars('2950'), reason }],
})

describe('threshold', () => {
  test.each<[string, Parameters<typeof contextWith<typeof params>>[1], Decision]>([
    [
      'sells at exactly the price',
      { indications: [at('2950')], balances: rich },
      sells('1 WETH brings 2950 USDC, at least 2950 USDC.'),
    ],
    [
      'sells above the price, and still accepts the price',
      { indications: [at('3100.5')], balances: rich },
      sells('1 WETH brings 3100.5 USDC, at least 2950 USDC.'),
    ],
    [
      'waits one unit below the price',
      { indications: [at('2949.999999')], balances: rich },
      waits('1 WETH brings 2949.999999 USDC, below 2950 USDC.'),
    ],
    [
      'waits without a price',
      { indications: [undefined], balances: rich },
      waits('No price for 1 WETH.'),
    ],
    [
      'waits while a slice is in flight, whatever the market pays',
      { indications: [at('9999')], balances: rich, inflight: [open] },
      waits('Swap s1 of 1 WETH is in flight.'),
    ],
    [
      'waits when it holds one wei too little',
      { indications: [at('9999')], balances: [{ token: weth, wei: one.wei - 1n }] },
      waits('Holds 0.999999999999999999 WETH, less than the 1 WETH to sell.'),
    ],
    [
      'waits when it holds nothing',
      { indications: [at('9999')] },
      waits('Holds 0 WETH, less than the 1 WETH to sell.'),
    ],
  ])('decide: %s', (_aspect, overrides, decision) => {
    expect(threshold.decide(contextWith(params, overrides))).toEqual(decision)
  })

  test('keep: the last slice above what is kept is sold, the next is not', () => {
    const keeping = { ...params, keep: amountOf(weth, '10') }
    const holding = (decimal: string) =>
      threshold.decide(
        contextWith(keeping, {
          indications: [at('3000')],
          balances: [amountOf(weth, decimal)],
        }),
      )
    expect(holding('11')).toEqual(sells('1 WETH brings 3000 USDC, at least 2950 USDC.'))
    expect(holding('10.999')).toEqual(
      waits('Holds 10.999 WETH and keeps 10 WETH: 1 WETH would be too much.'),
    )
    expect(holding('3')).toEqual(waits('Holds 3 WETH and keeps 10 WETH: 1 WETH would be too much.'))
  })

  test('watch: asks for the price of exactly the slice', () => {
    expect(threshold.watch(params)).toEqual([{ sell: one, buy: usdc }])
    expect(threshold.schedule(params)).toEqual({ kind: 'every', seconds: 5 })
  })

  test('decide: never sells below the price, never more than it holds, never twice at once', () => {
    const wei = fc.bigInt({ min: 1n, max: 10n ** 24n })
    const amount = (token: Amount['token'], of: bigint): Amount => ({ token, wei: of })
    fc.assert(
      fc.property(
        fc.record({ sell: wei, per: wei, priced: wei, holds: wei, kept: wei, brings: wei }),
        fc.boolean(),
        ({ sell, per, priced, holds, kept, brings }, busy) => {
          const decision = threshold.decide(
            contextWith(
              {
                sell: amount(weth, sell),
                buy: usdc,
                price: { sold: amount(weth, per), bought: amount(usdc, priced) },
                every: 5,
                keep: amount(weth, kept),
              },
              {
                indications: [
                  { sold: amount(weth, sell), bought: amount(usdc, brings), route: [] },
                ],
                balances: [amount(weth, holds)],
                inflight: busy ? [open] : [],
              },
            ),
          )
          const pays = brings * per >= priced * sell
          expect(decision.kind).toBe(!busy && holds - kept >= sell && pays ? 'swap' : 'wait')
          if (decision.kind !== 'swap') return
          const [intent] = decision.intents
          const floor = intent?.floor.wei ?? 0n
          expect(floor).toBeLessThanOrEqual(brings)
          expect(floor * per).toBeGreaterThanOrEqual(priced * sell)
        },
      ),
    )
  })
})
