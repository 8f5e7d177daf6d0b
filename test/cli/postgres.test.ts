import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { holdJournal } from '../../src/bot/journal/holdJournal.ts'
import { systemClock } from '../../src/core/clock.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { forkOrigin } from '../support/forkOrigin.ts'
import { onServer, type Place } from '../support/journals.ts'
import { openBot } from '../support/openBot.ts'
import { startBallast } from '../support/runBallast.ts'
import { callCli } from './callCli.ts'

const urlOf = ({ database }: Place) => {
  if (database.dialect !== 'postgres') throw new Error('a server has an address')
  return database.url.reveal()
}

/** The server ends every connection to the database, and takes none while `during` lasts. */
async function away(place: Place, during: () => Promise<void>): Promise<void> {
  const name = new URL(urlOf(place)).pathname.slice(1)
  const server = new pg.Client({ connectionString: inject('postgres').url })
  await server.connect()
  try {
    await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await server.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1',
      [name],
    )
    await during()
    await server.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  } finally {
    await server.end()
  }
}

test('the commands work on a journal that a server keeps, and none shows its password', async () => {
  const place = await onServer('template0')
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-server-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
  const environment = { DATABASE_URL: urlOf(place).replace('ballast@', 'ballast:hunter2hunter2@') }
  const said: string[] = []
  const ballast = async (...argv: string[]) => {
    const { code, stdout, stderr } = await callCli(argv, { cwd, environment })
    said.push(stdout, stderr)
    return { code, stdout }
  }

  expect(await ballast('history')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^No swaps yet/),
  })
  expect(await ballast('status')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/no journal yet, no locks/),
  })
  expect((await ballast('audit', 'verify')).code).toBe(2)
  // Nothing of that made a journal; a halt does.
  expect(await place.rows(`SELECT to_regclass('swap') AS found`)).toEqual([{ found: null }])
  writeFileSync(join(cwd, 'HALT'), '')
  expect((await ballast('status')).stdout).toMatch(/^0 +halt +all +BY_FILE/m)
  expect(await place.rows(`SELECT to_regclass('swap') AS found`)).toEqual([{ found: null }])
  expect(await ballast('halt', '--reason', 'a test')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Opened lock 1: halt all \(a test\)/),
  })
  expect((await ballast('resume', '--reason', 'seen')).code).toBe(5)
  expect((await ballast('status')).stdout).toMatch(/^1 +halt +all +BY_OPERATOR/m)
  expect((await ballast('config', 'show')).code).toBe(0)
  expect(await ballast('audit', 'verify')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1 entries/),
  })
  expect((await ballast('history')).stdout).toBe('No swap matches.\n')
  expect((await ballast('doctor')).code).not.toBe(0)
  expect(said.join('')).toContain('postgres://127.0.0.1')
  expect(said.join('')).not.toContain('hunter2')
  await place.remove()
})

test('status --check: a bot that has just begun is late with nothing', async () => {
  const place = await onServer('template0')
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-server-'))
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml)
  const environment = { DATABASE_URL: urlOf(place) }
  const hold = await holdJournal({
    ...{ database: place.database, chainId: 31_337, stateFolder: undefined, clock: systemClock },
    wallet: '0x5fbdb2315678afecb367f032d93f642f64180aa9',
  })
  const { code, stdout } = await callCli(['status', '--check', '--json'], { cwd, environment })
  await hold.release()
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { state: 'RUNNING', attention: [] }])
  await place.remove()
})

test('a bot swaps on it, is the only one, and the next one goes on from there', async () => {
  const [fork, place] = [await forkOrigin(), await onServer('template0')]
  const { config } = fork.ready
  const yaml = readFileSync(config, 'utf8').replace(/^database: .*$/m, `database: ${urlOf(place)}`)
  writeFileSync(config, yaml)
  const bot = await openBot(fork)
  const wish = { sell: '1 ETH', buy: 'USDC', floor: '2990 USDC' }
  expect((await bot.swap(wish)).record).toMatchObject({ state: 'SETTLED', agrees: true })
  await expect(openBot(fork)).rejects.toMatchObject({ code: 'JOURNAL_LOCKED' })
  await bot.close()
  const next = await openBot(fork)
  expect(await next.journal.swaps.history({ limit: 5 })).toHaveLength(1)
  expect(await next.journal.log.verify(undefined)).toMatchObject({ broken: undefined, swaps: [] })
  await next.close()
  await place.remove()
  await fork.close()
})

test('a running bot whose lease is given to another writes nothing more, and waits as long as that one spends', async () => {
  const [fork, place] = [await forkOrigin(), await onServer('template0')]
  const { config } = fork.ready
  const yaml = readFileSync(config, 'utf8').replace(/^database: .*$/m, `database: ${urlOf(place)}`)
  writeFileSync(config, yaml)
  const bot = startBallast(['run', '--port', '0', '--config', config])
  await bot.says('BALLAST ')
  await place.exec(
    "UPDATE wallet_lease SET epoch = epoch + 1, holder = 'elsewhere:7', expires_at = expires_at + 5000",
  )
  await bot.says(/^AGAIN .* \(LEASE_LOST\)$/m)
  await bot.says(/^WAITING Another process .* \(JOURNAL_LOCKED\)\n[\s\S]*^BALLAST /m)
  bot.child.kill('SIGTERM')
  expect((await bot.ended).code).toBe(0)
  await place.remove()
  await fork.close()
})

test('a server that goes away and comes back is reached again by the same process', async () => {
  const [fork, place] = [await forkOrigin(), await onServer('template0')]
  const { config } = fork.ready
  const yaml = readFileSync(config, 'utf8').replace(/^database: .*$/m, `database: ${urlOf(place)}`)
  writeFileSync(config, yaml)
  const bot = startBallast(['run', '--port', '0', '--config', config])
  await bot.says(/^SETTLED /m)
  await away(place, async () => {
    await bot.says(/^AGAIN .* \((?:LEASE_LOST|JOURNAL_UNREACHABLE)\)$/m)
    await bot.says(/^WAITING .* \(JOURNAL_UNREACHABLE\)$/m)
  })
  await bot.says(/^WAITING [\s\S]*^BALLAST [\s\S]*^SETTLED /m)
  bot.child.kill('SIGTERM')
  expect((await bot.ended).code).toBe(0)
  const books = await callCli(['reconcile', '--config', config], { cwd: fork.dataDir })
  expect(books.code, books.stdout).toBe(0)
  await place.remove()
  await fork.close()
})

test('a run on paper has a database of its own beside it, and says so where there is none', async () => {
  const [fork, place] = [await forkOrigin(), await onServer('template0')]
  const { config } = fork.ready
  const yaml = readFileSync(config, 'utf8').replace(/^database: .*$/m, `database: ${urlOf(place)}`)
  writeFileSync(config, yaml)
  const paper = () => startBallast(['run', '--paper', '--port', '0', '--config', config])
  const missing = await paper().ended
  // The server answers: it is not waited for.
  expect([missing.code, missing.stdout]).toEqual([5, ''])
  const name = `${new URL(urlOf(place)).pathname.slice(1)}_paper`
  expect(missing.stderr).toContain(name)

  await place.exec(`CREATE DATABASE ${name} TEMPLATE template0`)
  const bot = paper()
  await bot.says(/^SETTLED .* on paper/m)
  bot.child.kill('SIGTERM')
  const ended = await bot.ended
  expect(ended.code, ended.stderr).toBe(0)
  const { stdout } = await callCli(['history', '--paper', '--json', '--config', config], {
    cwd: fork.dataDir,
  })
  const { swaps } = JSON.parse(stdout)
  expect(swaps.some(({ state }: { state: string }) => state === 'SETTLED')).toBe(true)
  // The live journal was not even made.
  expect(await place.rows(`SELECT to_regclass('swap') AS found`)).toEqual([{ found: null }])
  await place.remove()
  await fork.close()
})
