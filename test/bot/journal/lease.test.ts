import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Hold, holdJournal } from '../../../src/bot/journal/holdJournal.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { readJournal } from '../../../src/bot/journal/readJournal.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { secret } from '../../../src/core/secret.ts'
import { startCuttingProxy } from '../../support/cuttingProxy.ts'
import { onFleetServer, type Place } from '../../support/journals.ts'
import { until } from '../../support/until.ts'
import { samplePlan, wallet } from './sampleSwap.ts'

/** No machine is so slow that it loses a lease by that: where one has to run out, the server is made to think so. */
const long = { length: 600_000, renewal: 60_000, stop: 600_000, answer: 60_000 }
let place: Place
let undo: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  place = await onFleetServer()
})
afterEach(async () => {
  for (const each of undo.reverse()) await each()
  undo = []
  await place.remove()
})

const take = async (times = long): Promise<Hold> => {
  const hold = await holdJournal({
    ...{ ...place, chainId: 31_337, wallet, stateFolder: undefined },
    ...{ clock: systemClock, times },
  })
  undo.push(() => hold.release())
  return hold
}
/** As soon as it is to be had. */
const retaken = () => vi.waitFor(() => take(), { timeout: 240_000, interval: 50 })
const openWith = async ({ fence }: Hold): Promise<Journal> => {
  const journal = await openJournal({ ...place, clock: systemClock, fence })
  undo.push(() => journal.shut())
  return journal
}
const write = (journal: Journal) => journal.swaps.reserve(samplePlan(), () => {})
const entries = () => place.rows('SELECT seq FROM event')
const expiry = async () => {
  const [row] = await place.rows<{ expires_at: number }>('SELECT expires_at FROM wallet_lease')
  return row?.expires_at ?? 0
}
/** The whole length of it passes at once, by the server's clock. */
const runOut = () => place.exec(`UPDATE wallet_lease SET expires_at = expires_at - ${long.length}`)
const lost = { code: 'LEASE_LOST', remedy: 'halt', fault: 'locked' }

/** A process that spends: it takes the lease, says so, and writes until it may not. It goes on, as a bot does, where the server is only away. */
async function spender(): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module-typescript',
      '-e',
      `import { holdJournal } from './src/bot/journal/holdJournal.ts'
       import { openJournal } from './src/bot/journal/openJournal.ts'
       import { systemClock } from './src/core/clock.ts'
       const database = ${place.source}
       const hold = await holdJournal({ database, chainId: 31337, wallet: '${wallet}', clock: systemClock, times: ${JSON.stringify(long)} })
       const journal = await openJournal({ database, haltFile: 'none', clock: systemClock, fence: hold.fence })
       for (let i = 0; ; i++) {
         await journal.locks.open({ kind: 'pause', scope: 'strategy s' + i, code: 'X', reason: 'x' })
           .catch((error) => { if (error.remedy !== 'retry') { console.log(error.code); process.exit(9) } })
         if (i === 0) console.log('writing')
         await systemClock.sleep(20)
       }`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  undo.push(async () => child.kill('SIGKILL'))
  const [said] = await once(child.stdout ?? process.stdin, 'data')
  expect(String(said)).toBe('writing\n')
  return child
}

test('[LOCAL-28] two at once: one spends, the other is told who does', async () => {
  const began = Date.now()
  const both = await Promise.allSettled([take(), take()])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const refused = both.find((one) => one.status === 'rejected')
  expect(refused?.reason).toMatchObject({
    code: 'JOURNAL_LOCKED',
    remedy: 'halt',
    fault: 'locked',
    facts: { holder: `${hostname()}:${process.pid}` },
  })
  const reading = await readJournal({ ...place, clock: systemClock })
  expect(await reading.leaseHolder()).toEqual({
    holder: `${hostname()}:${process.pid}`,
    since: expect.toSatisfy((since: number) => since >= began && since <= Date.now()),
  })
  await reading.shut()
})

test('of another wallet as well: what one finds open is followed by one', async () => {
  await take()
  const other = { chainId: 1, wallet: '0x00000000000000000000000000000000000000bb' } as const
  await expect(
    holdJournal({ ...place, ...other, stateFolder: undefined, clock: systemClock }),
  ).rejects.toMatchObject({
    code: 'JOURNAL_LOCKED',
  })
})

test('given back, the next one has it at once, and who had it writes nothing any more', async () => {
  const first = await take()
  const old = await openWith(first)
  await write(old)
  await first.release()
  await openWith(await take())
  await expect(write(old)).rejects.toMatchObject(lost)
  expect(await entries()).toHaveLength(1)
})

test('renewed for as long as it is held', async () => {
  const journal = await openWith(await take({ ...long, renewal: 20 }))
  let renewals = 0
  for (let last = await expiry(); renewals < 5; renewals += 1) {
    await until(async () => (await expiry()) > last)
    last = await expiry()
  }
  await write(journal)
  await expect(take()).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' })
})

test('a connection that ends once is replaced, and the next renewal comes soon', async () => {
  const slept: number[] = []
  const wakes: (() => void)[] = []
  const clock = {
    now: systemClock.now,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        slept.push(ms)
        wakes.push(resolve)
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
  }
  const hold = await holdJournal({
    ...{ ...place, chainId: 31_337, wallet, stateFolder: undefined },
    ...{ clock, times: long },
  })
  undo.push(() => hold.release())
  await place.exec(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'ballast lease %'",
  )
  wakes[0]?.()
  await expect.poll(() => slept).toEqual([long.renewal, long.renewal / 10])
  const before = await expiry()
  wakes[1]?.()
  await expect.poll(() => slept).toEqual([long.renewal, long.renewal / 10, long.renewal])
  expect(await expiry()).toBeGreaterThan(before)
  hold.fence?.assertHeld()
})

test('the server says when it is over, whatever this process believes', async () => {
  const asleep = await take()
  const old = await openWith(asleep)
  await write(old)
  // What is left of it is a second, which passes.
  await place.exec(`UPDATE wallet_lease SET expires_at = expires_at - ${long.length - 1_000}`)
  await retaken()
  await expect(write(old)).rejects.toMatchObject(lost)
  // It knows from then on, and asks nobody.
  expect(() => asleep.fence?.assertHeld()).toThrow(expect.objectContaining(lost))
  expect(await entries()).toHaveLength(1)
})

test('a process that cannot renew stops by itself, before the server gives it away', async () => {
  if (place.database.dialect !== 'postgres') throw new Error('a server has an address')
  const proxy = await startCuttingProxy(place.database.url.reveal())
  undo.push(() => proxy.close())
  const hold = await holdJournal({
    database: { dialect: 'postgres', url: secret(proxy.url) },
    chainId: 31_337,
    wallet,
    stateFolder: undefined,
    clock: systemClock,
    times: { ...long, renewal: 200, stop: 5_000, answer: 5_000 },
  })
  undo.push(() => hold.release())
  const journal = await openWith(hold)
  proxy.cutOff()
  await until(() => {
    try {
      hold.fence?.assertHeld()
      return false
    } catch {
      return true
    }
  })
  await expect(write(journal)).rejects.toMatchObject(lost)
  const subject = { wallet, strategy: 'test' }
  await expect(journal.locks.guard('send', subject)).rejects.toMatchObject(lost)
  await expect(journal.locks.live()).rejects.toMatchObject(lost)
})

test('a lease that ends while a guard reads ends the act', async () => {
  const hold = await take()
  const { fence } = hold
  if (fence === undefined) throw new Error('a lease has a fence')
  let asked = 0
  const ending = { ...fence, assertHeld: () => void (asked++ === 0 || fence.lost()) }
  const journal = await openWith({ ...hold, fence: ending })
  asked = 0
  const subject = { wallet, strategy: 'test' }
  await expect(journal.locks.guard('sign', subject)).rejects.toMatchObject(lost)
  expect(asked).toBe(2)
})

test('a process that was killed lets go when its time is over', async () => {
  const child = await spender()
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await entries()).not.toEqual([])
  await expect(take()).rejects.toMatchObject({
    code: 'JOURNAL_LOCKED',
    facts: { holder: `${hostname()}:${child.pid}` },
  })
  await runOut()
  await take()
})

test('[LOCAL-18] a process that stood still past its time goes on and writes nothing', async () => {
  const child = await spender()
  child.kill('SIGSTOP')
  await runOut()
  // Where it stands still in the middle of a transaction, the server ends that first.
  const journal = await openWith(await retaken())
  await write(journal)
  const before = await entries()
  child.kill('SIGCONT')
  const [said] = await once(child.stdout ?? process.stdin, 'data')
  expect(String(said)).toBe('LEASE_LOST\n')
  await once(child, 'exit')
  expect(await entries()).toEqual(before)
})
