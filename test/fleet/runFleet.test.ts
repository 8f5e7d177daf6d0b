import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { runFleet } from '../../src/app/fleet/runFleet.ts'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { onFleetServer, type Place } from '../support/journals.ts'
import { silent } from '../support/silent.ts'

/** A fleet of one worker and one wallet, whose file names one of two nodes. Either hangs up. */

// A published key, which every local chain funds.
const key = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const environment = { WALLET_KEY_TREASURY: key }

let place: Place
let nodes: readonly Server[]
let calls: [number, number] = [0, 0]
let beats = 0
const clock: Clock = {
  now: systemClock.now,
  sleep(ms, signal) {
    beats += 1
    return systemClock.sleep(ms, signal)
  },
}

beforeEach(async () => {
  ;[calls, beats] = [[0, 0], 0]
  place = await onFleetServer()
  nodes = [0, 1].map((nth) =>
    createServer((request) => {
      calls[nth] = (calls[nth] ?? 0) + 1
      request.destroy()
    }).listen(0, '127.0.0.1'),
  )
  await Promise.all(nodes.map((node) => new Promise((ready) => node.once('listening', ready))))
  const { chain, service, tokens, wallet: _, ...top } = parse(goodYaml)
  const { database } = place
  writeConfig({
    ...top,
    database: database.dialect === 'postgres' ? database.url.reveal() : '',
    stateFolder: place.folder,
    dashboard: { host: '127.0.0.1', port: 0 },
    chains: [{ chain: { ...chain, rpcUrl: urls()[0] }, service, tokens }],
    wallets: [{ name: 'treasury', address }],
  })
})
afterEach(async () => {
  for (const node of nodes) node.close()
  await place.remove()
})

const urls = () => nodes.map((node) => `http://127.0.0.1:${(node.address() as AddressInfo).port}`)
const file = () => join(place.folder, 'ballast.yaml')
const writeConfig = (content: object) =>
  writeFileSync(file(), stringify(content, { defaultStringType: 'QUOTE_DOUBLE' }), { mode: 0o600 })

test('a wallet that was halted is traded by the file as it is when a person lets go', async () => {
  const cwd = place.folder
  const source = { file: 'ballast.yaml', environment, cwd, wallet: 'treasury' }
  const { database, haltFile } = loadConfig(source)
  const journal = await openJournal({ database, haltFile, clock: systemClock })
  await journal.locks.open({
    ...{ kind: 'halt', scope: 'all', code: 'BY_OPERATOR', reason: 'x', expiresAt: undefined },
  })
  const over = new AbortController()
  // Pages would read the node as well.
  const running = (['scheduler', 'worker'] as const).map((role) =>
    runFleet({
      ...{ configFile: 'ballast.yaml', environment, cwd, wallets: ['treasury'], role },
      ...{ paper: false, balances: undefined, clock, log: silent, say: () => {}, port: undefined },
      nextHalt: () => new AbortController().signal,
      signal: over.signal,
    }),
  )
  try {
    const taken = async () =>
      (await place.rows("SELECT 1 FROM ballast_queue.job WHERE state = 'active'")).length
    await expect.poll(() => taken().catch(() => 0)).toBe(1)
    const before = beats
    await expect.poll(() => beats).toBeGreaterThan(before + 5)
    const { chains, ...rest } = parse(readFileSync(file(), 'utf8'))
    const [one] = chains
    writeConfig({ ...rest, chains: [{ ...one, chain: { ...one.chain, rpcUrl: urls()[1] } }] })
    await journal.locks.release({ reason: 'put right', id: undefined })
    await expect.poll(() => calls[0] + calls[1]).toBeGreaterThan(0)
    expect(calls[0]).toBe(0)
  } finally {
    over.abort()
    await Promise.all(running)
    await journal.shut()
  }
})
