import { describe, expect, test } from 'vitest'
import { type LimitEntry, spentOf } from '../../src/bot/spent.ts'
import { nativeAddress, type Token } from '../../src/core/token.ts'
import { samplePlan, usdc, wallet, weth } from './journal/sampleSwap.ts'

const hour = 60 * 60 * 1_000
const at = 100 * hour
const native: Token = { chainId: 31_337, address: nativeAddress, symbol: 'ETH', decimals: 18 }
const coin = { native, wrapped: weth }
const plan = samplePlan({ swapId: 'mine', notional: { token: usdc, wei: 1n } })

const entry = (changes: Partial<LimitEntry> = {}): LimitEntry => ({
  swapId: 'other',
  strategy: 'test',
  chainId: 31_337,
  wallet,
  state: 'SETTLED',
  sell: weth.address,
  buy: usdc.address,
  amountIn: 5n,
  notional: 7n,
  unit: usdc.address,
  signedAt: at,
  createdAt: at - 1,
  ...changes,
})
const spent = (...entries: LimitEntry[]) => spentOf(entries, { plan, at, coin })
const nothing = { sold: 0n, hour: 0n, day: 0n, strategy: 0n, otherUnit: 0, lastAt: undefined }
const all = { sold: 5n, hour: 7n, day: 7n, strategy: 7n, otherUnit: 0, lastAt: at - 1 }

describe('spentOf', () => {
  test('one that settled just now takes of everything; the plan itself takes of nothing', () => {
    expect(spent()).toEqual(nothing)
    expect(spent(entry())).toEqual(all)
    expect(spent(entry({ swapId: 'mine' }))).toEqual(nothing)
  })

  test('limits over time count from the signature, the cooldown from the plan', () => {
    expect(spent(entry({ signedAt: at - hour }))).toEqual({ ...all, hour: 0n })
    const yesterday = entry({ signedAt: at - 24 * hour, createdAt: 3 })
    expect(spent(yesterday)).toEqual({ ...nothing, lastAt: 3 })
    expect(spent(yesterday, entry({ swapId: 'newer', createdAt: 9 })).lastAt).toBe(9)
  })

  test('what is open counts however old it is; what is dead does not, and still began something', () => {
    const old = { signedAt: undefined, createdAt: 3 }
    expect(spent(entry({ ...old, state: 'PLANNED' }))).toEqual({ ...all, lastAt: 3 })
    for (const state of ['REVERTED', 'EXPIRED_DEAD', 'DISPLACED'] as const)
      expect(spent(entry({ state }))).toEqual({ ...nothing, lastAt: at - 1 })
    for (const state of ['REJECTED', 'ABANDONED'] as const)
      expect(spent(entry({ ...old, state }))).toEqual(nothing)
  })

  test('the cooldown is of a pair in either direction, and of the coin under either name', () => {
    const { address } = native
    const pairs = [
      { sell: usdc.address, buy: weth.address },
      { sell: address, buy: usdc.address },
      { sell: usdc.address, buy: address },
    ]
    for (const pair of pairs) expect(spent(entry(pair)).lastAt).toBe(at - 1)
    expect(spent(entry({ buy: other })).lastAt).toBeUndefined()
    expect(spent(entry({ buy: undefined })).lastAt).toBeUndefined()
    expect(spent(entry({ strategy: 'another' }))).toEqual({
      ...all,
      strategy: 0n,
      lastAt: undefined,
    })
    const unnamed = spentOf([entry({ sell: address })], { plan, at, coin: undefined })
    expect(unnamed.lastAt).toBeUndefined()
  })

  test('another wallet or chain takes of no limit; another unit cannot be added up', () => {
    expect(spent(entry({ wallet: other })).day).toBe(0n)
    expect(spent(entry({ chainId: 1 })).day).toBe(0n)
    const uncounted = { hour: 0n, day: 0n, strategy: 0n, otherUnit: 1 }
    expect(spent(entry({ unit: other }))).toEqual({ ...all, ...uncounted })
    expect(spent(entry({ unit: undefined }))).toEqual({ ...all, ...uncounted })
  })
})

const other = `0x${'9'.repeat(40)}` as const
