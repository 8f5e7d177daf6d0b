import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { whileLocked } from '../../src/app/fleet/whileLocked.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import type { Clock } from '../../src/core/clock.ts'
import { usdOf } from '../../src/core/token.ts'
import { sampleBytes, samplePlan, sampleQuote, wallet } from '../bot/journal/sampleSwap.ts'
import { onFleetServer, type Place } from '../support/journals.ts'

/** A wallet that a worker was given, before anything is opened for it. */

let place: Place
let looks = 0
const clock: Clock = {
  now: () => Date.now(),
  async sleep() {
    looks += 1
    await delay(1)
  },
}
const coin = { native: usdOf(1), wrapped: usdOf(1) }
const wait = (signal = new AbortController().signal) =>
  whileLocked(
    {
      ...{ ...place, wallet: { address: wallet }, tokens: coin },
      journal: { archives: join(place.folder, 'archives') },
    },
    { paper: false, clock, signal },
  )

beforeEach(async () => {
  looks = 0
  place = await onFleetServer()
})
afterEach(() => place.remove())

const lock = (kind: 'halt' | 'drain' | 'pause', scope: string) => ({
  ...{ kind, scope, code: 'BY_OPERATOR', reason: 'x', expiresAt: undefined },
})

test('waits for a halt of everything, and goes on when it is released', async () => {
  const journal = await openJournal({ ...place, clock })
  await journal.locks.open(lock('halt', 'all'))
  let isOver = false
  const waiting = wait().then(() => {
    isOver = true
  })
  await expect.poll(() => looks).toBeGreaterThan(3)
  expect(isOver).toBe(false)
  await journal.locks.release({ reason: 'seen', id: undefined })
  await waiting
  await journal.shut()
})

test('the file that halts becomes a lock: it waits on when the file is gone, until a person lets go', async () => {
  const journal = await openJournal({ ...place, clock })
  const rows = () => place.rows('SELECT code FROM lock')
  writeFileSync(place.haltFile, '')
  let isOver = false
  const over = new AbortController()
  const waiting = wait(over.signal).then(() => {
    isOver = true
  })
  try {
    await expect.poll(rows).toEqual([{ code: 'BY_FILE' }])
    rmSync(place.haltFile)
    const before = looks
    await expect.poll(() => looks).toBeGreaterThan(before + 3)
    expect(isOver).toBe(false)
    await journal.locks.release({ reason: 'seen', id: undefined })
    await waiting
    expect(await rows()).toHaveLength(1)
  } finally {
    over.abort()
    await waiting
    await journal.shut()
  }
})

test.each([lock('pause', 'all'), lock('halt', 'strategy dca'), lock('halt', 'wallet 0x12')])(
  'does not wait for $kind $scope',
  async (other) => {
    const journal = await openJournal({ ...place, clock })
    await journal.locks.open(other)
    await journal.shut()
    await wait()
    expect(looks).toBe(0)
  },
)

test('does not wait for a drain while a swap is open: somebody must follow it to its end', async () => {
  const journal = await openJournal({ ...place, clock })
  await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  const planned = samplePlan()
  await journal.swaps.reserve(planned, () => {})
  await journal.attempts.commitSwap(sampleBytes(planned, 0), sampleQuote(planned))
  await journal.locks.open(lock('drain', 'all'))
  await wait()
  expect(looks).toBe(0)
  // Under a halt nobody would.
  await journal.locks.open(lock('halt', 'all'))
  const over = new AbortController()
  const waiting = wait(over.signal)
  await expect.poll(() => looks).toBeGreaterThan(1)
  over.abort()
  await waiting
  await journal.shut()
})

test('a journal of an older version is for the worker to bring up to date: it waits for nothing', async () => {
  const journal = await openJournal({ ...place, clock })
  await journal.shut()
  await place.exec(
    'DELETE FROM kysely_migration WHERE name = (SELECT max(name) FROM kysely_migration)',
  )
  await wait()
  expect(looks).toBe(0)
})

test('ends with the signal', async () => {
  const journal = await openJournal({ ...place, clock })
  await journal.locks.open(lock('drain', 'all'))
  await journal.shut()
  const over = new AbortController()
  const waiting = wait(over.signal)
  await expect.poll(() => looks).toBeGreaterThan(1)
  over.abort()
  await waiting
})
