import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { viewOfWallet } from '../../src/app/fleet/viewOfWallet.ts'
import type { Config } from '../../src/config/config.ts'
import type { Clock } from '../../src/core/clock.ts'
import type { Health } from '../../src/dashboard/views.ts'

/** What the first page shows of one wallet; a second of it takes a millisecond. */

const clock: Clock = {
  now: () => 0,
  sleep: (ms, signal) => delay(ms / 1_000, undefined, { signal }),
}
const config = {
  wallet: { name: 'one', address: '0x1' },
  chain: { name: 'local' },
} as unknown as Config
const seen = {
  ready: true,
  attention: [],
  head: { block: 1, at: '2026-01-01T00:00:00.000Z' },
} as unknown as Health
const members = [
  { id: 'p1', role: 'worker', wallets: ['one'], blind: [], seenAt: 0 },
] as unknown as Parameters<ReturnType<typeof viewOfWallet>>[0]

const stuck = { code: 'SWAP_STUCK', sentence: 'A swap is stuck.' }
const blind = async () =>
  ({
    ready: false,
    head: null,
    attention: [{ code: 'HEAD_UNKNOWN', sentence: '' }, stuck],
  }) as never

function open(
  health: () => Promise<Health>,
  locks: readonly { kind: string; code: string; scope?: string }[] = [],
  open: readonly unknown[] = [1, 2],
) {
  const queries = {
    locks: async () => locks,
    value: async () => ({ total: '7' }),
    fills: async () => [],
    swaps: async () => open,
  }
  type Sources = Parameters<typeof viewOfWallet>[1]
  return viewOfWallet(config, { queries, health, blind, clock } as unknown as Sources)
}

test('a wallet whose node answers is shown as it is', async () => {
  const view = open(async () => seen)
  expect(await view(members)).toMatchObject({
    ...{ name: 'one', path: '/w/one', chain: 'local', address: '0x1', state: 'RUNNING' },
    ...{ headAt: '2026-01-01T00:00:00.000Z', attention: [], process: 'p1', open: 2 },
  })
  expect(await view([])).toMatchObject({ state: 'NOT TRADED', process: null })
})

test.each([
  ['pause', 'strategy dca', 'NOT TRADED', 0],
  ['breaker', 'pair WETH/USDC', 'NOT TRADED', 0],
  ['drain', 'all', 'NOT TRADED', 1],
  ['drain', 'all', 'LOCKED', 0],
  ['halt', 'wallet 0x1', 'HALTED', 1],
])('one without a process, under a %s of %s, is %s with %i open swaps', async (...row) => {
  const [kind, scope, state, swaps] = row
  const view = open(async () => seen, [{ kind, scope, code: 'X' }], Array(swaps).fill(1))
  expect(await view([])).toMatchObject({ state, locks: ['X'], process: null })
})

test('one whose node does not answer keeps nobody waiting, and its journal is shown', async () => {
  let calls = 0
  let answer: (health: Health) => void = () => {}
  const health = () => {
    calls += 1
    return new Promise<Health>((resolve) => {
      answer = resolve
    })
  }
  const view = open(health, [{ kind: 'halt', code: 'BY_OPERATOR' }])
  for (let times = 0; times < 3; times += 1)
    expect(await view(members)).toMatchObject({
      ...{ state: 'HALTED', locks: ['BY_OPERATOR'], headAt: null, open: 2, worth: '7' },
      attention: [{ code: 'HEAD_UNKNOWN' }, stuck],
    })
  // It is called once, however often the page is opened.
  expect(calls).toBe(1)
  answer(seen)
  await delay(1)
  const next = view(members)
  answer(seen)
  expect(await next).toMatchObject({ headAt: '2026-01-01T00:00:00.000Z', attention: [] })
  expect(calls).toBe(2)
})

test('a journal that fails is told of', async () => {
  const view = open(async () => {
    throw new Error('the server is away')
  })
  await expect(view(members)).rejects.toThrow('the server is away')
})
