import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepHalt } from '../../src/app/keepHalt.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { systemClock } from '../../src/core/clock.ts'
import { BallastError } from '../../src/core/errors.ts'
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
    const facts = { code: 'LOCKED', remedy: 'halt', fault: 'locked' } as const
    expect(await keepHalt(new BallastError('Locked.', facts), parts(halted))).toBeUndefined()
    expect(await live(place.database)).toEqual([])
  })

  test('a journal that does not take it is told of, with the file that halts', async () => {
    await live(place.database)
    await place.exec('DROP TABLE lock')
    const end = await keepHalt(new Error('the node is away'), parts(halted))
    expect(end?.code).toBe('HALT_INCOMPLETE')
    expect(end?.summary).toContain(place.haltFile)
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
      if (said.includes('AGAIN')) over.abort()
    },
  })
  expect(stdout).toContain('AGAIN   Locked (halt, all)')
})
