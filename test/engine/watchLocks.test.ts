import { expect, test } from 'vitest'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import type { LockKind } from '../../src/bot/lock.ts'
import { createLog } from '../../src/bot/report/createLog.ts'
import { systemClock } from '../../src/core/clock.ts'
import { watchLocks } from '../../src/engine/watchLocks.ts'
import { places } from '../support/journals.ts'

const wallet = '0x00000000000000000000000000000000000000aa'

/** The lines of the log and of the terminal about these locks, which hold when the watch begins. */
async function toldOf(locks: readonly { kind: LockKind; scope: string; code: string }[]) {
  const place = await places[0]?.make()
  if (place === undefined) throw new Error('a file is one of the places')
  const clock = systemClock
  const journal = await openJournal({ ...place, clock })
  for (const lock of locks)
    await journal.locks.open({ ...lock, reason: 'two answers differ', expiresAt: undefined })
  const done = new AbortController()
  const [logged, said]: [{ level: number; code: string }[], string[]] = [[], []]
  await watchLocks({
    ...{ journal, wallet, clock, signal: done.signal, halt: new AbortController().signal },
    log: createLog({
      level: 'info',
      sink(line) {
        logged.push(JSON.parse(line))
        if (logged.length === locks.length) done.abort()
      },
    }),
    say: (line) => said.push(line),
    onHalt: () => {},
    onDrain: () => {},
    onMoved: () => {},
  })
  await journal.shut()
  await place.remove()
  return { logged: logged.map(({ level, code }) => ({ level, code })), said }
}

test('a lock that tripped is an error in the log, with its code; one that a person chose is a warning', async () => {
  const error = 50
  const { logged, said } = await toldOf([
    { kind: 'breaker', scope: `wallet ${wallet}`, code: 'SWAP_DISPUTED' },
    { kind: 'breaker', scope: 'pair WETH/USDC', code: 'PRICE_DRIFT' },
    { kind: 'breaker', scope: 'all', code: 'RPC_DISAGREEMENT' },
    { kind: 'pause', scope: 'all', code: 'BY_OPERATOR' },
  ])
  expect(logged).toEqual([
    { level: error, code: 'SWAP_DISPUTED' },
    { level: error, code: 'PRICE_DRIFT' },
    { level: error, code: 'RPC_DISAGREEMENT' },
    { level: 40, code: 'BY_OPERATOR' },
  ])
  expect(said[0]).toBe(
    `LOCKED  breaker wallet ${wallet}: two answers differ (SWAP_DISPUTED, lock 1)`,
  )
})

test('a halt is an error too', async () => {
  const { logged } = await toldOf([{ kind: 'halt', scope: 'all', code: 'NONCE_TAKEN' }])
  expect(logged).toEqual([{ level: 50, code: 'NONCE_TAKEN' }])
})

test('a lock of a clock that leapt ahead and came back holds for its own time', async () => {
  const place = await places[0]?.make()
  if (place === undefined) throw new Error('a file is one of the places')
  const [minute, start] = [60_000, Date.parse('2026-05-04T09:00:00Z')]
  let now = start + 25 * 60 * minute
  // Four looks a second.
  let [looks, looksMost] = [0, 1]
  const clock = {
    now: () => now,
    async sleep() {
      looks += 1
      if (looks === looksMost) done.abort()
    },
  }
  let done = new AbortController()
  const journal = await openJournal({ ...place, clock })
  const lock = { kind: 'breaker', scope: 'all', reason: 'a leap' } as const
  const skew = { ...lock, code: 'CLOCK_SKEW', expiresAt: now + minute, by: 'anna' }
  const { lock: first } = await journal.locks.open(skew)
  await journal.locks.open({ ...lock, code: 'LEDGER_DRIFT', expiresAt: undefined })
  now = start
  const look = (forMinutes: number) => {
    ;[looks, looksMost] = [0, forMinutes * 240]
    done = new AbortController()
    return watchLocks({
      ...{ journal, wallet, clock, signal: done.signal, halt: new AbortController().signal },
      log: createLog({ level: 'info', sink: () => {} }),
      ...{ say: () => {}, onHalt: () => {}, onDrain: () => {}, onMoved: () => {} },
    })
  }
  // A clock that is set back by mistake, for a while, shortens nothing.
  await look(9)
  expect(await journal.locks.history({ limit: 9 })).toHaveLength(2)
  // Where it cannot be opened again it is not let go either.
  await place.exec(
    `CREATE TRIGGER full BEFORE INSERT ON lock BEGIN SELECT RAISE(ABORT, 'a full disk'); END`,
  )
  await expect(look(11)).rejects.toThrow('a full disk')
  expect((await journal.locks.live()).map(({ id }) => id)).toContain(first.id)
  await place.exec('DROP TRIGGER full')
  await look(11)
  const [anew] = await journal.locks.history({ limit: 1 })
  expect(anew).toMatchObject({ code: 'CLOCK_SKEW', openedAt: start, openedBy: 'anna' })
  const live = (await journal.locks.live()).map(({ code, expiresAt }) => [code, expiresAt])
  expect(live).toEqual([
    ['LEDGER_DRIFT', undefined],
    ['CLOCK_SKEW', start + minute],
  ])
  now = start + minute
  expect((await journal.locks.live()).map(({ code }) => code)).toEqual(['LEDGER_DRIFT'])
  await journal.shut()
  await place.remove()
})

test('a lock that the guard finds first, and ends the turns by, is told of all the same', async () => {
  const place = await places[0]?.make()
  if (place === undefined) throw new Error('a file is one of the places')
  const done = new AbortController()
  const clock = {
    now: systemClock.now,
    async sleep() {
      const lock = { kind: 'halt', scope: 'all', code: 'BY_OPERATOR', reason: 'a test' } as const
      await journal.locks.open({ ...lock, expiresAt: undefined })
      done.abort()
    },
  }
  const journal = await openJournal({ ...place, clock })
  const [logged, said]: [string[], string[]] = [[], []]
  await watchLocks({
    ...{ journal, wallet, clock, signal: done.signal, halt: new AbortController().signal },
    log: createLog({ level: 'info', sink: (line) => logged.push(JSON.parse(line).code) }),
    say: (line) => said.push(line),
    ...{ onHalt: () => {}, onDrain: () => {}, onMoved: () => {} },
  })
  expect([logged, said]).toEqual([
    ['BY_OPERATOR'],
    ['LOCKED  halt all: a test (BY_OPERATOR, lock 1)'],
  ])
  await journal.shut()
  await place.remove()
})
