import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { type RequestOptions, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { systemClock } from '../../src/core/clock.ts'
import { secret } from '../../src/core/secret.ts'
import type { WalletView } from '../../src/dashboard/fleetPage.ts'
import { runBallast } from '../support/runBallast.ts'
import { askServer, judgeFleet, progressOf } from './judgeFleet.ts'
import { buying, type Fleet, openFleet, type Process } from './openFleet.ts'
import { restartEnded } from './strikes.ts'

/** Two workers trade four wallets on two chains, in one life of one database. `npm run fleet` is the long form. */

const swaps = 48
let server: string
let fleet: Fleet
let workers: readonly [Process, Process]
let dashboardUrl: string

beforeAll(async () => {
  const name = `fleet_${process.pid}`
  await askServer(inject('postgres').url, `CREATE DATABASE ${name}`)
  server = inject('postgres').url.replace(/[^/]*$/, name)
  const dir = mkdtempSync(join(tmpdir(), 'ballast-fleet-'))
  fleet = await openFleet({ dir, server, chains: 2, wallets: 2, swaps, strategies: buying(6) })
  await fleet.start('scheduler')
  workers = [await fleet.start('worker'), await fleet.start('worker')]
})
afterAll(() => fleet[Symbol.asyncDispose]())

const settled = async () => (await progressOf(server)).settled
/** On a quick machine the limit of all wallets is used up before the last tests: then nothing more settles. */
const settledBy = (count: number) =>
  expect.poll(settled).toBeGreaterThanOrEqual(Math.min(count, swaps))
/** The wallets of each worker, as the workers say it. */
const shares = async () =>
  (
    await askServer(
      server,
      "SELECT wallets FROM ballast_queue.member WHERE role = 'worker' AND seen_at > now() - interval '10 s'",
    )
  ).map(({ wallets }) => (wallets as string[]).length)
const run = (...args: string[]) => runBallast([...args, '--config', fleet.file], { env: fleet.env })
const schemas = async () =>
  (
    await askServer(
      server,
      "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'wallet%' ORDER BY nspname",
    )
  ).map(({ nspname }) => String(nspname))
const ofAll = async (select: (schema: string) => string) =>
  askServer(server, (await schemas()).map(select).join(' UNION ALL '))

/** A browser sends no other name than it asked for; a page that points its own name here does. */
const statusOf = (url: string, options: RequestOptions) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(url, options, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })

test('each worker trades a fair share of the wallets', async () => {
  await expect.poll(shares).toEqual([2, 2])
  await settledBy(4)
})

test('what a worker was killed over is taken over and decided', async () => {
  const [first] = workers
  first.running.child.kill('SIGKILL')
  await first.running.ended
  const before = await settled()
  // The other one has all of them, and goes on.
  await expect.poll(async () => Math.max(...(await shares()))).toBe(4)
  await settledBy(before + 4)
  restartEnded(fleet)
  await expect.poll(shares).toEqual([2, 2])
})

test('a worker that stood still past its lease writes nothing, and trades again', async () => {
  const [first, second] = workers
  const holders = async () =>
    (await ofAll((schema) => `SELECT holder FROM ${schema}.wallet_lease`)).map(({ holder }) =>
      String(holder).split(':').at(-1),
    )
  second.running.child.kill('SIGSTOP')
  const { pid } = first.running.child
  await expect.poll(holders).toEqual(Array.from({ length: 4 }, () => String(pid)))
  await settledBy((await settled()) + 4)
  // In the middle of whatever it did: the journals and the chain are held to each other at the end.
  second.running.child.kill('SIGCONT')
  await expect.poll(shares).toEqual([2, 2])
})

test('a commit without an answer and a server that is away lose nothing', async () => {
  const [first, second] = workers
  first.proxy.cutNext('after')
  second.proxy.cutNext('before')
  await settledBy((await settled()) + 3)
  first.proxy.cutOff()
  await settledBy((await settled()) + 2)
  first.proxy.back()
  restartEnded(fleet)
  await expect.poll(shares).toEqual([2, 2])
})

test('one dashboard shows every wallet, and behind it the pages of each', async () => {
  const { running } = await fleet.start('dashboard')
  const [, url = ''] = /(http:\S+)/.exec(await running.says(/FLEET .* http:/)) ?? []
  dashboardUrl = url
  const get = async (path: string) => {
    const answer = await fetch(`${url}${path}`)
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }
  await expect
    .poll(async () => JSON.parse((await get('/api/wallets')).text).wallets)
    .toMatchObject(fleet.names.map((name) => ({ name, state: 'RUNNING', path: `/w/${name}` })))
  const view = JSON.parse((await get('/api/wallets')).text)
  expect(view.limits).toMatchObject([{ name: 'treasury.perDay', most: { token: 'USD' } }])
  expect(Number(view.limits[0].used.text)).toBeGreaterThan(0)
  for (const { process } of view.wallets)
    expect(view.processes.map(({ id }: { id: string }) => id)).toContain(process)
  const front = await get('/')
  for (const name of fleet.names) expect(front.text).toContain(`<a href="/w/${name}/">${name}</a>`)
  // The pages of a wallet lead to its own pages, under the same policy.
  const own = await get('/w/desk-1-0/swaps')
  expect(own.status).toBe(200)
  expect(own.text).toContain('data-base="/w/desk-1-0"')
  expect(own.text.match(/ (?:href|action|src)="\/(?!w\/desk-1-0\/)/g)).toBeNull()
  expect(own.headers.get('content-security-policy')).toBe(
    front.headers.get('content-security-policy'),
  )
  expect(JSON.parse((await get('/w/desk-1-0/api/health')).text)).toMatchObject({
    chain: 'chain1',
    ready: true,
  })
  expect((await get('/w/nobody/')).status).toBe(404)
  expect((await fetch(`${url}/w/desk-1-0`, { redirect: 'manual' })).status).toBe(303)
  expect((await get('/metrics')).text).toContain('ballast_wallets{state="RUNNING"} 4')
  const foreign = { headers: { host: 'elsewhere.example' } }
  for (const path of ['/', '/w/desk-1-0/', '/w/desk-1-0/api/health'])
    expect(await statusOf(`${url}${path}`, foreign)).toBe(421)
  // It follows the logs of all of them.
  const events = await fetch(`${url}/w/desk-0-0/api/events`)
  const reader = events.body?.getReader()
  let said = ''
  while (!said.includes('data: ')) said += new TextDecoder().decode((await reader?.read())?.value)
  await reader?.cancel()
})

test('a halt reaches every wallet, and nothing is signed after it', async () => {
  const { code, stdout } = await run('halt', '--reason', 'a test of the switch')
  expect(code).toBe(0)
  for (const name of fleet.names) expect(stdout).toContain(`== ${name}`)
  for (const { running } of workers) await running.says(/LOCKED {2}halt all: a test of the switch/)
  const late = await ofAll(
    (schema) => `SELECT hash FROM ${schema}.attempt
      WHERE created_at > (SELECT max(opened_at) FROM ${schema}.lock)`,
  )
  expect(late).toEqual([])
  const status = await run('status', '--json')
  const { wallets } = JSON.parse(status.stdout)
  expect(Object.keys(wallets)).toEqual(fleet.names)
  for (const name of fleet.names)
    expect(wallets[name].locks).toMatchObject([{ kind: 'halt', scope: 'all' }])
  const attempts = async () =>
    (await ofAll((schema) => `SELECT hash FROM ${schema}.attempt`)).length
  const before = await attempts()
  expect(await run('resume', '--reason', 'tested')).toMatchObject({ code: 0 })
  await expect.poll(attempts).toBeGreaterThan(before)
  await expect.poll(shares).toEqual([2, 2])
})

test('a worker is halted by each signal, also by one after a halt that was resumed', async () => {
  const locks = async () =>
    (await ofAll((schema) => `SELECT id FROM ${schema}.lock WHERE code = 'BY_SIGNAL'`)).length
  const { child, said } = workers[0].running
  const begun = () => said().split('] TRADES').length
  for (const due of [2, 4]) {
    const before = begun()
    child.kill('SIGUSR2')
    await expect.poll(locks).toBe(due)
    expect(await run('resume', '--reason', 'looked')).toMatchObject({ code: 0 })
    // It has two wallets again, and both are open.
    await expect.poll(begun).toBeGreaterThanOrEqual(before + 2)
    await expect.poll(shares).toEqual([2, 2])
  }
})

test('a page halts every wallet; one reason lets go of what a person did, and of nothing else', async () => {
  const answer = await fetch(`${dashboardUrl}/api/halt`, { method: 'POST' })
  expect(answer.status).toBe(200)
  const [schema = ''] = await schemas()
  const place = { dialect: 'postgres', url: secret(server), schema } as const
  const haltFile = join(tmpdir(), 'no-such-halt')
  const journal = await openJournal({ database: place, haltFile, clock: systemClock })
  const breaker = { kind: 'breaker', scope: 'all', code: 'SHORTFALL', reason: 'less came' } as const
  await journal.locks.open({ ...breaker, expiresAt: undefined })
  await journal.shut()
  const resumed = await run('resume', '--reason', 'seen')
  expect(resumed.code).toBe(5)
  expect(resumed.stderr + resumed.stdout).toContain('(SHORTFALL) is of this wallet alone')
  expect(resumed.stderr + resumed.stdout).toContain('(LOCK_OF_ONE_WALLET)')
  const held = await ofAll((one) => `SELECT code FROM ${one}.lock WHERE released_at IS NULL`)
  expect(held.map(({ code }) => code).sort()).toEqual(['BY_API', 'SHORTFALL'])
  const name = /--wallet (desk-\d-\d)/.exec(resumed.stderr + resumed.stdout)?.[1] ?? ''
  const own = await run('resume', '--reason', 'looked', '--wallet', name)
  expect(own.code, own.stderr).toBe(0)
  await expect.poll(shares).toEqual([2, 2])
})

test('a wallet that leaves the file is left, and one that comes back is traded', async () => {
  const text = readFileSync(fleet.file, 'utf8')
  const { wallets, ...rest } = parse(text)
  const [gone, ...left] = wallets
  writeFileSync(
    fleet.file,
    stringify({ ...rest, wallets: left }, { defaultStringType: 'QUOTE_DOUBLE' }),
  )
  const traded = async () =>
    (
      await askServer(
        server,
        "SELECT unnest(wallets) AS name FROM ballast_queue.member WHERE seen_at > now() - interval '10 s'",
      )
    ).map(({ name }) => name)
  await expect.poll(traded).not.toContain(gone.name)
  writeFileSync(fleet.file, text)
  await expect.poll(traded).toContain(gone.name)
})

test('what only a new start takes over is taken over by one', async () => {
  await expect.poll(shares).toEqual([2, 2])
  const traders = fleet.processes.filter(({ name }) => name.startsWith('worker'))
  const starts = (name: string) =>
    traders.reduce((sum, { running }) => sum + running.said().split(`[${name}] TRADES`).length, 0)
  const near = fleet.names.filter((name) => name.startsWith('desk-0'))
  const before = near.map(starts)
  const file = parse(readFileSync(fleet.file, 'utf8'))
  file.chains[0].chain.confirmations = 2
  writeFileSync(fleet.file, stringify(file, { defaultStringType: 'QUOTE_DOUBLE' }))
  await expect
    .poll(() => near.filter((name, index) => starts(name) > (before[index] ?? 0)))
    .toEqual(near)
  await settledBy((await settled()) + 2)
})

test('the limit of all wallets is used up to the last swap, and books and chains agree', async () => {
  await expect
    .poll(async () => {
      restartEnded(fleet)
      return progressOf(server)
    })
    .toMatchObject({ settled: swaps, open: 0 })
  for (const { running } of fleet.processes) running.child.kill('SIGTERM')
  const ends = await Promise.all(fleet.processes.map(({ running }) => running.ended))
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect(await judgeFleet(fleet, server)).toEqual([])
})

test('one journal that fails is shown as that, and takes none of the others with it', async () => {
  const { running } = await fleet.start('dashboard')
  const [, url = ''] = /(http:\S+)/.exec(await running.says(/FLEET .* http:/)) ?? []
  /** By wallet: why it cannot be reached, where it cannot. */
  const unreachable = async () => {
    const answer = await fetch(`${url}/api/wallets`)
    const { wallets } = (await answer.json()) as { readonly wallets: readonly WalletView[] }
    return wallets.map(({ state, attention: [first] }) =>
      state === 'UNREACHABLE' ? first?.sentence : undefined,
    )
  }
  await expect.poll(unreachable).toEqual(fleet.names.map(() => undefined))
  const [schema] = await schemas()
  await askServer(server, `ALTER TABLE ${schema}.lock RENAME TO lock_away`)
  await expect
    .poll(async () => (await unreachable()).toSorted())
    .toEqual(['Its journal fails.', ...fleet.names.slice(1).map(() => undefined)])
})
