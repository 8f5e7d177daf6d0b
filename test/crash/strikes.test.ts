import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { exitCodes } from '../../src/cli/exitCodes.ts'
import { systemClock } from '../../src/core/clock.ts'
import type { Fault } from './fault.ts'
import { type Dialect, openCase } from './openCase.ts'
import { openLanes } from './openLanes.ts'

// What strikes a process besides a death at a step: deaths at any time, a stop, a full disk, a disk that fails.

const none: Fault = { id: 'none', what: 'nothing goes wrong outside of the process' }
const clean = { breaks: [], doubles: 0, lost: 0, phantoms: 0 }

let lanes: Awaited<ReturnType<typeof openLanes>>
beforeAll(async () => {
  lanes = await openLanes(4)
})
afterAll(() => lanes.close())

/** What the fixed world's configuration asks for. */
const quoteSeconds = 30

/** Of a swap that goes well, sold in the chain's own currency; `enumerate.ts` prints them all. */
const steps = {
  planned: 'after commit of swap, event',
  simulated: 'answered eth_chainId+eth_getCode+eth_getTransactionCount+eth_getBalance',
  beforeCommit: 'before commit of wallet, quote',
  afterCommit: 'after commit of wallet, quote',
}

describe.concurrent('a process is struck', () => {
  test.each([
    [900, 'sqlite'],
    [1_800, 'postgres'],
  ] as const)('[LOCAL-07] SIGKILL %i ms after the plan, in %s', (afterMs, dialect) =>
    lanes.use(async (field) => {
      const open = await openCase(field, { fault: none, sells: 'ETH', dialect })
      const bot = open.startEager()
      while ((await open.rows()).swaps.length === 0) await delay(5)
      await delay(afterMs)
      bot.child.kill('SIGKILL')
      await bot.ended
      expect(await open.end(await open.recover())).toMatchObject(clean)
    }),
  )

  test('[LOCAL-19] the disk is full when signed bytes are stored: they are not sent', () =>
    lanes.use(async (field) => {
      const open = await openCase(field, { fault: none, sells: 'ETH' })
      const bot = open.startEager({ CRASH_AT: steps.planned, CRASH_HOW: 'full' })
      while (bot.child.exitCode === null && (await open.rows()).swaps[0]?.state !== 'ABANDONED')
        await delay(50)
      expect(open.steps()).toHaveLength(1)
      expect((await open.rows()).attempts).toEqual([])
      expect(open.sends()).toBe(0)
      bot.child.kill('SIGKILL')
      await bot.ended
      const ending = await open.end(await open.recover())
      expect(ending).toMatchObject({ ...clean, events: 0, states: ['ABANDONED'] })
    }))

  test('[LOCAL-20] the disk is full once the bytes were sent: the chain tells how it ended', () =>
    lanes.use(async (field) => {
      const open = await openCase(field, { fault: none, sells: 'ETH' })
      const bot = open.startEager({ CRASH_AT: steps.afterCommit, CRASH_HOW: 'full' })
      await open.watch(bot)
      bot.child.kill('SIGKILL')
      await bot.ended
      const { states, ...ending } = await open.end(await open.recover())
      expect(ending).toMatchObject({ ...clean, events: 1 })
      // On a slow machine a quote can run out before it is signed; a swap after it has the next one.
      expect(states.filter((state) => state !== 'ABANDONED')).toEqual(['SETTLED'])
    }))

  for (const step of [steps.beforeCommit, steps.afterCommit])
    test(`[LOCAL-21] the disk fails ${step}: this process sends nothing`, () =>
      lanes.use(async (field) => {
        const open = await openCase(field, { fault: none, sells: 'ETH' })
        const bot = open.startEager({ CRASH_AT: step, CRASH_HOW: 'io' })
        const { code } = await bot.ended
        const sends = open.sends()
        const ending = await open.end(await open.recover())
        expect({ ...ending, code, sends }).toMatchObject({
          ...clean,
          code: exitCodes.locked,
          sends: 0,
        })
      }))

  /** Lets the clocks pass the deadline while the bot stands still at a step; returns how its swap ended. */
  const stopPastDeadline = (label: string, dialect: Dialect) =>
    lanes.use(async (field) => {
      const open = await openCase(field, { fault: none, sells: 'ETH', dialect })
      const bot = open.startEager({ CRASH_AT: label, CRASH_HOW: 'stop' })
      while (open.steps().length === 0) await delay(20)
      await delay(quoteSeconds * 1_000 + 2_000)
      const wokeAt = Date.now()
      bot.child.kill('SIGCONT')
      const isSigned = async () =>
        !['PLANNED', 'VERIFIED'].includes((await open.rows()).swaps[0]?.state ?? 'PLANNED')
      while (!(await isSigned())) await delay(20)
      bot.child.kill('SIGKILL')
      await bot.ended
      const complaints = await open.recover()
      const { swaps, attempts } = await open.rows()
      const ending = await open.end(complaints)
      const [swap] = swaps
      const isOld = Number(swap?.deadline) * 1_000 < wokeAt
      const signed = attempts.filter(({ swap_id }) => swap_id === swap?.id).length
      return { ...ending, signedLate: isOld ? signed : 0, state: swap?.state }
    })

  test.each(['sqlite', 'postgres'] as const)(
    '[LOCAL-18] stopped with a quote until its deadline has passed, in %s: nothing is signed of it',
    async (dialect) => {
      const { state, ...ending } = await stopPastDeadline(steps.simulated, dialect)
      expect(ending).toMatchObject({ ...clean, signedLate: 0 })
      // A simulation that is played again after the stop is stale: the swap then has a quote of its own time, and is signed for that.
      expect(state).toMatch(/^(ABANDONED|SETTLED)$/)
      expect(ending.events).toBe(state === 'SETTLED' ? 1 : 0)
    },
  )

  test('[LOCAL-18] stopped in the commit of signed bytes until their deadline has passed: nothing is swapped', async () => {
    const { state, ...ending } = await stopPastDeadline(steps.beforeCommit, 'sqlite')
    expect(ending).toMatchObject({ ...clean, events: 0 })
    expect(state).toBe('EXPIRED_DEAD')
  })

  test('[LOCAL-18] [LOCAL-28] stopped in the commit of signed bytes while another takes over: nothing of it is stored', () =>
    lanes.use(async (field) => {
      const open = await openCase(field, { fault: none, sells: 'ETH', dialect: 'postgres' })
      const bot = open.startEager({ CRASH_AT: steps.beforeCommit, CRASH_HOW: 'stop' })
      while (open.steps().length === 0) await delay(20)
      // The server ends the transaction that stands still; then the other one has the lease, and gives up what was not signed.
      const complaints = await open.recover()
      const sends = open.sends()
      bot.child.kill('SIGCONT')
      await bot.says(/^AGAIN .* \(LEASE_LOST\)$/m)
      bot.child.kill('SIGKILL')
      await bot.ended
      const { swaps, attempts } = await open.rows()
      expect({ complaints, sends, attempts, states: swaps.map(({ state }) => state) }).toEqual({
        ...{ complaints: [], sends: 0, attempts: [] },
        states: ['ABANDONED'],
      })
      expect(await open.end(await open.recover())).toMatchObject({ ...clean, events: 0 })
    }))
})

describe('[LOCAL-23] a journal whose last writes are torn', () => {
  test('every length of the log is opened whole or refused', () =>
    lanes.use(async (field) => {
      const open = await openCase(field, { fault: none, sells: 'ETH' })
      const bot = open.startEager()
      await open.watch(bot)
      bot.child.kill('SIGKILL')
      await bot.ended
      const log = readFileSync(`${open.journal}-wal`)
      const sizes = Array.from(
        { length: Math.ceil(log.length / 512) },
        (_, index) => index * 512,
      ).concat(log.length)
      expect(sizes.length).toBeGreaterThan(100)
      const states: string[] = []
      for (const size of sizes.filter(
        (_, index) => index % 15 === 0 || index === sizes.length - 1,
      )) {
        const torn = join(field.dataDir, `torn-${size}.db`)
        if (existsSync(open.journal)) copyFileSync(open.journal, torn)
        writeFileSync(`${torn}-wal`, log)
        truncateSync(`${torn}-wal`, size)
        states.push(await stateOf(torn))
      }
      expect(new Set(states)).toEqual(
        // The quote and the bytes come in one commit.
        new Set(['no swap', 'PLANNED', 'SIGNED', 'SENT', 'INCLUDED', 'SETTLED']),
      )
    }))
})

/** The state of the one swap in a journal, once its log is seen to explain it. */
async function stateOf(path: string): Promise<string> {
  const journal = await openJournal({
    database: { dialect: 'sqlite', path },
    haltFile: `${path}.HALT`,
    clock: systemClock,
  })
  try {
    const audit = await journal.log.verify(undefined)
    expect(audit.broken).toBeUndefined()
    expect(audit.swaps).toEqual([])
    const [swap] = await journal.swaps.history({ limit: 2 })
    return swap?.state ?? 'no swap'
  } finally {
    await journal.shut()
  }
}
