import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { Member } from '../../src/app/fleet/members.ts'
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

/** Two wallets for two workers, of which the other one opens none. */
function startBesideSick(waiting: string[], trade?: Parameters<typeof runWorker>[0]['trade']) {
  const seen = { now: 0, beats: 0, mine: [] as readonly string[] }
  const others: Member[] = [{ id: 'other', role: 'worker', wallets: [], blind: [] }]
  start(async () => false, {
    wallets: () => ['one', 'two', 'three'],
    clock: { ...clock, now: () => seen.now },
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
        seen.beats += 1
        seen.mine = wallets
      },
      present: async () => [{ id: 'me', role: 'worker', wallets: seen.mine, blind: [] }, ...others],
      leave: async () => {},
    },
    trade:
      trade ??
      (async (_, { signal, leave }, onOpen) => {
        onOpen({ isHindered: async () => false })
        const left = AbortSignal.any([signal, leave])
        await new Promise((resolve) => left.addEventListener('abort', resolve))
        return 'stopped'
      }),
  })
  const beat = async () => {
    const { beats } = seen
    await expect.poll(() => seen.beats).toBeGreaterThan(beats + 2)
  }
  return { seen, others, beat }
}

test('a wallet that the other worker never opens is taken beyond the share, after half a minute', async () => {
  const waiting = ['three', 'two', 'one']
  const { seen, others, beat } = startBesideSick(waiting)
  await expect.poll(() => seen.mine).toEqual(['one', 'two'])
  seen.now = 29_999
  await beat()
  expect(seen.mine).toEqual(['one', 'two'])
  seen.now = 70_000
  await expect.poll(() => seen.mine).toEqual(['one', 'two', 'three'])
  // Whoever comes has a share of the others, and this one is traded until its shift is over.
  others.push({ id: 'new', role: 'worker', wallets: [], blind: [] })
  await expect.poll(() => seen.mine).toEqual(['one', 'three'])
  await beat()
  expect(seen.mine).toEqual(['one', 'three'])
})

test('a wallet that waits for the release of a lock gives no worker more than its share', async () => {
  const waiting = ['two', 'one']
  const { seen, others, beat } = startBesideSick(
    waiting,
    async (wallet, { signal, leave }, onOpen) => {
      if (wallet !== 'one') onOpen({ isHindered: async () => false })
      const left = AbortSignal.any([signal, leave])
      await new Promise((resolve) => left.addEventListener('abort', resolve))
      return 'stopped'
    },
  )
  others[0] = { id: 'other', role: 'worker', wallets: ['three'], blind: [] }
  await expect.poll(() => seen.mine).toEqual(['two'])
  seen.now = 70_000
  await beat()
  // Another wallet is free for a moment: it is the share of the other worker.
  others[0] = { id: 'other', role: 'worker', wallets: [], blind: [] }
  waiting.push('three')
  await beat()
  expect([waiting, seen.mine]).toEqual([['three'], ['two']])
})
