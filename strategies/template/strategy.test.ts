import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountOf } from '#strategy'
import { contextWith, paramsOf } from '#strategy/testing'
import strategy from './strategy.ts'

const weth = { chainId: 1, address: '0x01', symbol: 'WETH', decimals: 18 } as const
const usdc = { chainId: 1, address: '0x02', symbol: 'USDC', decimals: 6 } as const

/** As they stand in ballast.yaml. */
const written = { sell: '1 WETH', buy: 'USDC', every: '1h', tolerance: '50 bps' }
const params = paramsOf(strategy, written, [weth, usdc])

test('sells at most a tolerance below the indication', () => {
  const context = contextWith(params, {
    balances: [amountOf(weth, '1')],
    indications: [{ sold: params.sell, bought: amountOf(usdc, '3000'), route: [] }],
  })
  assert.deepEqual(strategy.decide(context), {
    kind: 'swap',
    intents: [
      {
        sell: amountOf(weth, '1'),
        buy: usdc,
        floor: amountOf(usdc, '2985'),
        reason: 'The slot is due.',
      },
    ],
  })
})

test('postpones without a price, and waits without the money', () => {
  const unpriced = contextWith(params, { indications: [undefined] })
  assert.deepEqual(strategy.decide(unpriced), {
    kind: 'postpone',
    reason: 'No price for 1 WETH in USDC.',
  })
  const poor = contextWith(params, {
    balances: [amountOf(weth, '0.5')],
    indications: [{ sold: params.sell, bought: amountOf(usdc, '3000'), route: [] }],
  })
  assert.deepEqual(strategy.decide(poor), { kind: 'wait', reason: 'The wallet holds 0.5 WETH.' })
})

test('refuses a tolerance that means any price', () => {
  assert.throws(
    () => paramsOf(strategy, { ...written, tolerance: '2000 bps' }, [weth, usdc]),
    /tolerance: is more than 1000 bps/,
  )
})
