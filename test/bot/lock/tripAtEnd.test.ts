import { describe, expect, test } from 'vitest'
import { tripAtEnd } from '../../../src/bot/lock/breakers.ts'
import type { EndFacts } from '../../../src/bot/stages.ts'
import { limits } from './limits.ts'

const at = Date.UTC(2026, 4, 4, 12)
const minute = 60_000
const hour = 3_600_000
const wallet = '0x00000000000000000000000000000000000000AA'

type Ends = EndFacts['walletEnds']
const refused = { state: 'REJECTED', code: 'VERIFY_FLOOR' } as const
const unplayed = { state: 'REJECTED', code: 'SIMULATE_SWAP' } as const
const unaffordable = { state: 'REJECTED', code: 'FUND_BALANCE' } as const
const dear = { state: 'REJECTED', code: 'SIMULATE_GAS_COST' } as const
const behind = { state: 'REJECTED', code: 'SIMULATE_HEAD_AGE' } as const
const unwitnessed = { state: 'REJECTED', code: 'SIMULATE_WITNESS_REACHABLE' } as const
const settled = { state: 'SETTLED', code: null } as const
const reverted = { state: 'REVERTED', code: 'REVERTED' } as const
const expired = { state: 'EXPIRED_DEAD', code: 'EXPIRED' } as const

const facts = ({
  swap = {},
  ...changes
}: Partial<Omit<EndFacts, 'swap'>> & { swap?: Partial<EndFacts['swap']> } = {}): EndFacts => ({
  at,
  id: 'swap-1',
  strategy: 'dca',
  wallet,
  swap: {
    state: 'SETTLED',
    code: null,
    received: 3_000n,
    minimum: 3_000n,
    short: false,
    onlyCostGas: false,
    failedChecks: [],
    ...swap,
  },
  strategyEnds: [],
  walletEnds: [],
  gasPaid: [],
  ...changes,
})
const trip = (given: Parameters<typeof facts>[0]) =>
  tripAtEnd(facts(given), limits).map(({ code, scope, expiresAt, kind }) => {
    expect(kind).toBe('breaker')
    return { code, scope, lockMs: expiresAt === undefined ? undefined : expiresAt - at }
  })

test('a swap like any other opens nothing', () => {
  expect(trip({})).toEqual([])
  expect(trip({ swap: { short: undefined } })).toEqual([])
})

describe('refusals', () => {
  /** Newest first, each so long after the one before it. */
  const end = (ends: Ends, everyMs = minute + 15_000) => ({
    swap: { ...refused, received: undefined, minimum: undefined, short: undefined },
    strategyEnds: ends.map((one, index) => ({ ...one, at: at - index * everyMs })),
  })
  const five = [refused, unplayed, refused, unplayed, refused]
  const locked = [{ code: 'REFUSALS', scope: 'strategy dca', lockMs: 900_000 }]

  test('the fifth in a row locks the strategy for 15 minutes', () => {
    expect(trip(end([...five, settled]))).toEqual(locked)
  })
  test('[F10] twenty seconds of them lock nothing, five minutes do', () => {
    expect(trip(end(five, 5_000))).toEqual([])
    expect(trip(end(Array(12).fill(refused), 25_000))).toEqual([])
    expect(trip(end(Array(13).fill(refused), 25_000))).toEqual(locked)
  })
  test('[F10] dear gas and a node that is behind do not count, nor do they end a row', () => {
    expect(trip(end(Array(20).fill(dear), minute))).toEqual([])
    expect(trip(end([dear, ...five.slice(1), behind, dear]))).toEqual([])
    expect(trip(end([...five.slice(1), behind, dear, refused]))).toEqual(locked)
  })
  test('[F10] half an hour of dear gas locks as well', () => {
    expect(trip(end(Array(30).fill(dear), minute))).toEqual([])
    expect(trip(end(Array(31).fill(dear), minute))).toEqual(locked)
  })
  test('[F10] a witness that is away does not count before half an hour of it', () => {
    expect(trip(end(Array(30).fill(unwitnessed), minute))).toEqual([])
    expect(trip(end([unwitnessed, ...five.slice(1), unwitnessed]))).toEqual([])
    expect(trip(end(Array(31).fill(unwitnessed), minute))).toEqual(locked)
  })
  test('after the lock, one more refusal opens it again, and a success begins anew', () => {
    expect(trip(end([refused, ...five], 15 * minute))).toEqual(locked)
    expect(trip(end([refused, settled, ...five], 15 * minute))).toEqual([])
  })
  test.each<[string, Ends]>([
    ['four', five.slice(1)],
    ['four and a success before a fifth', [...five.slice(1), settled, refused]],
    ['one of them for want of money', [refused, refused, unaffordable, refused, refused]],
  ])('%s: nothing', (_, ends) => {
    expect(trip(end(ends))).toEqual([])
  })
  test('a success after five opens nothing', () => {
    expect(trip({ strategyEnds: end([settled, ...five]).strategyEnds })).toEqual([])
  })
})

describe('failures', () => {
  const end = (walletEnds: Ends) => ({
    swap: { ...reverted, onlyCostGas: true, received: undefined, short: undefined },
    walletEnds,
  })
  test('the third in a row locks the wallet for an hour', () => {
    expect(trip(end([reverted, expired, reverted, settled]))).toEqual([
      { code: 'FAILURES', scope: `wallet ${wallet.toLowerCase()}`, lockMs: hour },
    ])
  })
  test('two of three that fail lock the wallet too, at the fourth of six', () => {
    const ends = [reverted, expired, settled, reverted, reverted, settled]
    expect(trip(end(ends))).toMatchObject([{ code: 'FAILURES' }])
    // Every other one is no more than half.
    expect(trip(end([reverted, settled, reverted, settled, reverted, settled]))).toEqual([])
    // A success ends in no lock, whatever was before it.
    expect(trip({ walletEnds: [settled, ...ends] })).toEqual([])
  })
  test('one whose approvals alone cost gas counts as well', () => {
    const left = { state: 'ABANDONED', code: 'UPSTREAM' } as const
    const swap = { ...left, onlyCostGas: true, received: undefined, short: undefined }
    for (const state of ['ABANDONED', 'REJECTED'] as const)
      expect(trip({ swap: { ...swap, state }, walletEnds: [left, left, refused] })).toMatchObject([
        { code: 'FAILURES' },
      ])
    // The next one that was refused before anything was signed is no failure of the wallet.
    const unsigned = { ...swap, onlyCostGas: false }
    expect(trip({ swap: unsigned, walletEnds: [left, left, refused] })).toEqual([])
  })
  test.each<[string, Ends]>([
    ['two', [reverted, expired]],
    ['three with a success between', [reverted, settled, expired, reverted]],
    ['the fourth of seven', [reverted, reverted, settled, settled, settled, expired, reverted]],
  ])('%s: nothing', (_, ends) => {
    expect(trip(end(ends))).toEqual([])
  })
})

describe('shortfall', () => {
  const all = [{ code: 'SHORTFALL', scope: 'all', lockMs: undefined }]
  test('[CHAIN-20] one unit less than the minimum locks everything, without expiry', () => {
    expect(trip({ swap: { received: 2_999n } })).toEqual(all)
  })
  test('balances that show less than the router says do as well', () => {
    expect(trip({ swap: { short: true } })).toEqual(all)
  })
})

describe('RPC disagreement', () => {
  const end = (failedChecks: readonly string[]) => ({ swap: { ...unplayed, failedChecks } })
  test('a witness that disagrees locks everything for ten minutes', () => {
    expect(trip(end(['simulate.swap', 'simulate.witness-head']))).toEqual([
      { code: 'RPC_DISAGREEMENT', scope: 'all', lockMs: 600_000 },
    ])
  })
  test('another failed check does not', () => {
    expect(trip(end(['simulate.swap', 'verify.simulate.witness']))).toEqual([])
  })
  test('two nodes that contradict each other about a price do the same', () => {
    expect(trip({ swap: { state: 'ABANDONED', code: 'REFERENCES_DISAGREE' } })).toEqual([
      { code: 'RPC_DISAGREEMENT', scope: 'all', lockMs: 600_000 },
    ])
    expect(trip({ swap: { state: 'ABANDONED', code: 'QUOTE_UNAVAILABLE' } })).toEqual([])
  })
  test('a witness that is away disagrees about nothing', () => {
    expect(trip(end(['simulate.witness-reachable']))).toEqual([])
  })
})

describe('gas', () => {
  const spent = (...hundredths: [hoursAgo: number, eth: number][]) =>
    hundredths.map(([hoursAgo, eth]) => ({
      at: at - hoursAgo * hour,
      wei: BigInt(eth) * 10n ** 16n,
    }))
  test('more than a day’s limit locks the wallet until enough has left the window', () => {
    // 0.12 of 0.10: the oldest 0.01 is not enough, the next 0.05 is.
    expect(trip({ gasPaid: spent([1, 6], [20, 1], [10, 5]) })).toEqual([
      { code: 'GAS_SPENT', scope: `wallet ${wallet.toLowerCase()}`, lockMs: 14 * hour },
    ])
  })
  test('approvals of a swap that was abandoned count as well, and nothing else is judged of it', () => {
    const abandoned = {
      state: 'ABANDONED',
      code: 'QUOTE_UNAVAILABLE',
      received: undefined,
    } as const
    const given = { swap: abandoned, strategyEnds: Array(9).fill({ ...refused, at }) }
    expect(trip({ ...given, gasPaid: spent([1, 11]) })).toMatchObject([{ code: 'GAS_SPENT' }])
    expect(trip({ ...given, gasPaid: spent([1, 10]) })).toEqual([])
  })
  test('exactly the limit, or what is older than a day: nothing', () => {
    expect(trip({ gasPaid: spent([1, 6], [20, 4]) })).toEqual([])
    expect(trip({ gasPaid: spent([1, 6], [24, 9]) })).toEqual([])
  })
  test('no limit, no lock', () => {
    const costly = facts({ gasPaid: spent([1, 99]) })
    expect(tripAtEnd(costly, { ...limits, gasPerDayMax: undefined })).toEqual([])
  })
})
