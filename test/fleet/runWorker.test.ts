import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { Taken } from '../../src/app/fleet/openQueue.ts'
import { runWorker, type Until } from '../../src/app/fleet/runWorker.ts'
import type { Log } from '../../src/bot/report/createLog.ts'
import type { Clock } from '../../src/core/clock.ts'
import { ballastError } from '../../src/core/errors.ts'
import { silent } from '../support/silent.ts'

/** A worker whose seconds pass in a millisecond. */

let over = new AbortController()
let working: Promise<void> | undefined
afterEach(async () => {
  over.abort()
  await working
})

const clock: Clock = {
  now: () => Date.now(),
  async sleep(_, signal) {
    await delay(1)
    if (signal?.aborted) throw signal.reason
  },
}

/** Gives out one wallet, and notes what the worker says of it. */
function start(
  isHindered: () => Promise<boolean>,
  bent: Partial<Parameters<typeof runWorker>[0]> = {},
) {
  over = new AbortController()
  const beats: { wallets: readonly string[]; blind: readonly string[] }[] = []
  const kept = { times: 0 }
  const taken: Taken = {
    wallet: 'one',
    async keep() {
      kept.times += 1
      return true
    },
    release: async () => {},
    postpone: async () => {},
  }
  const waiting = [taken]
  working = runWorker({
    queue: {
      take: async () => waiting.pop(),
      ...{ offer: async () => {}, ask: async () => [], close: async () => {} },
    },
    member: {
      id: 'me',
      beat: async (wallets, blind = []) => void beats.push({ wallets, blind }),
      present: async () => [{ id: 'me', role: 'worker', wallets: [], blind: [] }],
      leave: async () => {},
    },
    wallets: () => ['one'],
    async trade(_, { signal }, onOpen) {
      onOpen({ isHindered })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return 'stopped'
    },
    ...{ clock, log: silent, signal: over.signal },
    ...bent,
  })
  return { beats, kept }
}

test('a node that does not answer keeps no worker from saying that it is there', async () => {
  const { beats, kept } = start(() => new Promise(() => {}))
  await expect.poll(() => kept.times).toBeGreaterThan(20)
  expect(beats.at(-1)).toEqual({ wallets: ['one'], blind: [] })
})

test('a halt that nothing took is told, also by a worker that is stopped at the same time', async () => {
  const told: string[] = []
  const log = { ...silent, error: (_: unknown, text: string) => void told.push(text) } as Log
  const { kept } = start(async () => false, {
    log,
    async trade(_, { signal }) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      throw ballastError('HALT_INCOMPLETE', 'NOT HALTED: one.')
    },
  })
  await expect.poll(() => kept.times).toBeGreaterThan(1)
  over.abort()
  await working
  expect(told).toEqual(['NOT HALTED: one.'])
})

test('a wallet whose market cannot be looked at is said to be blind, until it can', async () => {
  let blind = true
  const { beats } = start(async () => blind)
  await expect.poll(() => beats.at(-1)?.blind).toEqual(['one'])
  blind = false
  await expect.poll(() => beats.at(-1)?.blind).toEqual([])
})

test('a wallet that the file does not name any more is kept until what is under way is decided', async () => {
  let named = ['one']
  const decided = Promise.withResolvers<void>()
  const until = Promise.withResolvers<Until>()
  const released: string[] = []
  const { kept } = start(async () => false, {
    wallets: () => named,
    async trade(_, both) {
      until.resolve(both)
      await decided.promise
      released.push('decided')
      return 'stopped'
    },
  })
  const { signal, leave } = await until.promise
  named = []
  await expect.poll(() => leave.aborted).toBe(true)
  // Its job is kept meanwhile, or another process would be given it.
  const before = kept.times
  await expect.poll(() => kept.times).toBeGreaterThan(before + 5)
  expect([signal.aborted, released]).toEqual([false, []])
  decided.resolve()
  await expect.poll(() => released).toEqual(['decided'])
})

test('a wallet whose job is another process’s is stopped at once', async () => {
  const until = Promise.withResolvers<Until>()
  let isOurs = true
  start(async () => false, {
    queue: {
      take: async () => ({
        wallet: 'one',
        keep: async () => isOurs,
        ...{ release: async () => {}, postpone: async () => {} },
      }),
      ...{ offer: async () => {}, ask: async () => [], close: async () => {} },
    },
    async trade(_, both) {
      until.resolve(both)
      await new Promise((resolve) => both.signal.addEventListener('abort', resolve))
      return 'stopped'
    },
  })
  const { signal } = await until.promise
  isOurs = false
  await expect.poll(() => signal.aborted).toBe(true)
})

test('a wallet that the other worker never opens is taken beyond the share, after half a minute', async () => {
  const waiting = ['two', 'one']
  let now = 0
  const others = [{ id: 'sick', role: 'worker' as const, wallets: [], blind: [] }]
  let mine: readonly string[] = []
  const names = ['one', 'two']
  start(async () => false, {
    wallets: () => names,
    clock: { ...clock, now: () => now },
    queue: {
      async take() {
        const wallet = waiting.pop()
        if (wallet === undefined) return undefined
        const back = async () => void waiting.push(wallet)
        return { wallet, keep: async () => true, release: back, postpone: back }
      },
      ...{ offer: async () => {}, ask: async () => [], close: async () => {} },
    },
    member: {
      id: 'me',
      async beat(wallets) {
        mine = wallets
      },
      present: async () => [{ id: 'me', role: 'worker', wallets: mine, blind: [] }, ...others],
      leave: async () => {},
    },
    async trade(_, { signal, leave }, onOpen) {
      onOpen({ isHindered: async () => false })
      const left = AbortSignal.any([signal, leave])
      await new Promise((resolve) => left.addEventListener('abort', resolve))
      return 'stopped'
    },
  })
  await expect.poll(() => mine).toEqual(['one'])
  now = 29_999
  await delay(50)
  expect(mine).toEqual(['one'])
  now = 70_000
  await expect.poll(() => mine).toEqual(['one', 'two'])
  await delay(50)
  expect(mine).toEqual(['one', 'two'])
  // Another one comes: wallets are shared out anew.
  others.push({ ...others[0], id: 'new' } as (typeof others)[number])
  await expect.poll(() => mine).toEqual(['one'])
})
