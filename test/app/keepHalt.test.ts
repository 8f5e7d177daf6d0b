import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepHalt } from '../../src/app/keepHalt.ts'
import { lockedError } from '../../src/bot/journal/locks/guard.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { tradeAgain } from '../../src/cli/tradeAgain.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { systemClock } from '../../src/core/clock.ts'
import { ballastError } from '../../src/core/errors.ts'
import { callCli } from '../cli/callCli.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { onFleetServer, type Place, places } from '../support/journals.ts'

/** A halt by SIGUSR2 before the watch of locks, which stores it, has begun. */

let place: Place
const halted = AbortSignal.abort()
const urlOf = ({ database }: Place) =>
  database.dialect === 'postgres' ? database.url.reveal() : database.path
const configured = () => {
  writeFileSync(join(place.folder, 'ballast.yaml'), goodYaml)
  // Port 9 is for what is thrown away: nothing listens.
  return { RPC_URL: 'http://127.0.0.1:9', DATABASE_URL: urlOf(place) }
}
/** Nothing is waited for, and whatever else the process does has its turn. */
const clock = {
  now: () => Date.now(),
  async sleep(_ms: number, signal?: AbortSignal) {
    await delay(1)
    signal?.throwIfAborted()
  },
}
const live = async (database: Place['database']) => {
  const journal = await openJournal({ database, haltFile: place.haltFile, clock })
  return await journal.locks.live().finally(journal.shut)
}
afterEach(() => place.remove())

describe.each(places)('on $dialect', ({ make }) => {
  beforeEach(async () => {
    place = await make()
  })
  const parts = (halt: AbortSignal) => {
    const { RPC_URL } = configured()
    const environment = { RPC_URL }
    const loaded = loadConfig({
      ...{ file: 'ballast.yaml', environment, cwd: place.folder, needs: 'market' },
    })
    const config = { ...loaded, database: place.database, haltFile: place.haltFile }
    return { halt, config, paper: false, clock: systemClock }
  }

  test('one that comes while the bot ends in order is stored all the same', async () => {
    const halt = new AbortController()
    const trading = tradeAgain(
      async (began) => {
        began()
        halt.abort()
      },
      { ...parts(halt.signal), signal: new AbortController().signal, say: () => {} },
    )
    await expect(trading).rejects.toMatchObject({ code: 'LOCKED', facts: { code: 'BY_SIGNAL' } })
    expect(await live(place.database)).toMatchObject([{ kind: 'halt', code: 'BY_SIGNAL' }])
  })

  test('a bot that ends and begins again, over and over, knows when it first began', async () => {
    const sinces: (number | undefined)[] = []
    let now = 0
    await tradeAgain(
      async (began, since) => {
        now += 60_000
        began()
        sinces.push(since)
        if (sinces.length < 3) throw ballastError('JOURNAL_BUSY', 'Another process holds it.')
      },
      {
        ...{ ...parts(new AbortController().signal), signal: new AbortController().signal },
        ...{ say: () => {}, clock: { ...clock, now: () => now } },
      },
    )
    expect(sinces).toEqual([undefined, 60_000, 60_000])
  })

  test('one that comes before a stop, in the pause before it begins again, is stored all the same', async () => {
    const [halt, stop] = [new AbortController(), new AbortController()]
    let begins = 0
    const trading = tradeAgain(
      async (began) => {
        began()
        begins += 1
        throw ballastError('JOURNAL_BUSY', 'Another process holds it.')
      },
      {
        ...parts(halt.signal),
        signal: stop.signal,
        say: () => {},
        clock: {
          ...systemClock,
          async sleep() {
            halt.abort()
            stop.abort()
            throw stop.signal.reason
          },
        },
      },
    )
    await expect(trading).rejects.toMatchObject({ code: 'LOCKED', facts: { code: 'BY_SIGNAL' } })
    expect(begins).toBe(1)
    expect(await live(place.database)).toMatchObject([{ kind: 'halt', code: 'BY_SIGNAL' }])
  })

  test('it is stored, and is what ends the bot', async () => {
    const end = await keepHalt(new Error('the node is away'), parts(halted))
    expect(end).toMatchObject({ code: 'LOCKED', facts: { code: 'BY_SIGNAL', kind: 'halt' } })
    expect(await live(place.database)).toMatchObject([{ kind: 'halt', scope: 'all' }])
  })

  test('there is none, and the error stays what it was', async () => {
    const { signal } = new AbortController()
    expect(await keepHalt(new Error('the node is away'), parts(signal))).toBeUndefined()
  })

  test('the watch of locks has stored it: nothing is stored again', async () => {
    const lock = { kind: 'halt', scope: 'all', reason: 'x', expiresAt: undefined } as const
    const stored = lockedError({ ...lock, code: 'BY_SIGNAL' })
    expect(await keepHalt(stored, parts(halted))).toBeUndefined()
    expect(await live(place.database)).toEqual([])
    // Another lock that ended it says nothing of the signal.
    const other = lockedError({ ...lock, code: 'LEDGER_DRIFT' })
    expect(await keepHalt(other, parts(halted))).toMatchObject({ facts: { code: 'BY_SIGNAL' } })
  })

  test('a journal that does not take it: the file that halts is made', async () => {
    await live(place.database)
    await place.exec('ALTER TABLE lock RENAME TO away')
    const end = await keepHalt(new Error('the node is away'), parts(halted))
    expect(end).toMatchObject({ code: 'LOCKED', facts: { code: 'BY_FILE' } })
    await place.exec('ALTER TABLE away RENAME TO lock')
    expect(await live(place.database)).toMatchObject([{ code: 'BY_FILE' }])
  })

  test('where there is no place for the file either, that is said', async () => {
    await live(place.database)
    await place.exec('DROP TABLE lock')
    writeFileSync(join(place.folder, 'file'), '')
    const { config, ...others } = parts(halted)
    const nowhere = { ...config, haltFile: join(place.folder, 'file', 'HALT') }
    const end = await keepHalt(new Error('away'), { ...others, config: nowhere })
    expect(end?.code).toBe('HALT_INCOMPLETE')
    expect(end?.summary).toContain(nowhere.haltFile)
  })

  test('a journal that is back in time takes it, and no file is made', async () => {
    await live(place.database)
    await place.exec('ALTER TABLE lock RENAME TO away')
    let waits = 0
    const patient = {
      now: () => Date.now(),
      async sleep() {
        waits += 1
        if (waits === 3) await place.exec('ALTER TABLE away RENAME TO lock')
      },
    }
    const { signal } = new AbortController()
    const waiting = { ...parts(halted), clock: patient, signal }
    expect(await keepHalt(new Error('away'), waiting)).toMatchObject({
      facts: { code: 'BY_SIGNAL' },
    })
    expect([waits, existsSync(place.haltFile)]).toEqual([3, false])
  })
})

test('a bot that waits for its node is halted by the signal, and stays so', async () => {
  const [file] = places
  if (file === undefined) throw new Error('no place')
  place = await file.make()
  const environment = configured()
  const halt = new AbortController()
  const { code, stderr } = await callCli(['run', '--paper'], {
    ...{ cwd: place.folder, environment: { RPC_URL: environment.RPC_URL }, clock },
    halt: halt.signal,
    onOutput: (said) => said.includes('WAITING') && halt.abort(),
  })
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('(LOCKED)') })
  expect(stderr).toContain('BY_SIGNAL')
})

test('so is the wallet of a swap by hand that could not begin', async () => {
  const [file] = places
  if (file === undefined) throw new Error('no place')
  place = await file.make()
  const { RPC_URL } = configured()
  const wish = ['--sell', '1 WETH', '--buy', 'USDC', '--floor', '2900 USDC', '--live']
  const { code, stderr } = await callCli(['swap', ...wish], {
    ...{ cwd: place.folder, clock, halt: halted },
    environment: { RPC_URL, WALLET_KEY: '11'.repeat(32) },
  })
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('BY_SIGNAL') })
})

test('so is a wallet of a fleet, whoever takes it next', async () => {
  place = await onFleetServer()
  const environment = configured()
  const name = new URL(environment.DATABASE_URL).pathname.slice(1)
  await place.exec(`CREATE DATABASE ${name}_paper`)
  const [halt, over] = [new AbortController(), new AbortController()]
  const { stdout } = await callCli(['run', '--paper', '--role', 'all', '--port', '0'], {
    ...{ cwd: place.folder, environment, clock: systemClock, halt: halt.signal },
    signal: over.signal,
    onOutput(said) {
      if (said.includes('WAITING')) halt.abort()
      if (said.includes('HALTED')) over.abort()
    },
  })
  expect(stdout).toContain('HALTED  Locked (halt, all)')
})
