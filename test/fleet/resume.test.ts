import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { systemClock as clock } from '../../src/core/clock.ts'
import { callCli } from '../cli/callCli.ts'
import { goodYaml } from '../config/goodYaml.ts'
import { onFleetServer, type Place } from '../support/journals.ts'
import { startBallast } from '../support/runBallast.ts'

/** A node that expects another nonce of the wallet than its books, as after a transfer by another hand. */

let place: Place
let calls = 0
let node: ReturnType<typeof createServer>

beforeEach(async () => {
  calls = 0
  place = await onFleetServer()
  node = createServer(async (request, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    calls += 1
    const asked = JSON.parse(Buffer.concat(chunks).toString())
    const result = ({ id, method }: { id: number; method: string }) => ({
      ...{ jsonrpc: '2.0', id, result: method === 'eth_chainId' ? '0x7a69' : '0x7' },
    })
    answer.setHeader('content-type', 'application/json')
    answer.end(JSON.stringify(Array.isArray(asked) ? asked.map(result) : result(asked)))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => node.once('listening', resolve))
})
afterEach(async () => {
  node.close()
  await place.remove()
})

/** The file of a fleet on the server, with a wallet for each of these names. */
function writeFleet(names: readonly string[]): void {
  const { chain, service, tokens, wallet, ...top } = parse(goodYaml)
  const rpcUrl = `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  const file = {
    ...top,
    database: place.database.dialect === 'postgres' ? place.database.url.reveal() : '',
    stateFolder: place.folder,
    chains: [{ chain: { ...chain, rpcUrl }, service, tokens }],
    wallets: names.map((name, at) => ({
      ...{ name, address: at === 0 ? wallet.address : `0x${String(at).padStart(40, '0')}` },
    })),
  }
  writeFileSync(
    join(place.folder, 'ballast.yaml'),
    stringify(file, { defaultStringType: 'QUOTE_DOUBLE' }),
    { mode: 0o600 },
  )
}

const configOf = (wallet: string) =>
  loadConfig({ file: 'ballast.yaml', environment: {}, cwd: place.folder, needs: 'journal', wallet })

test('for every wallet at once no nonce is adopted: what is not explained is of one wallet', async () => {
  const name = 'treasury'
  writeFleet([name])
  const cwd = place.folder
  const config = configOf(name)
  const { database, haltFile } = config
  const scope = { chainId: 31_337, wallet: config.wallet.address }
  const journal = await openJournal({ database, haltFile, clock })
  await journal.wallet.adopt({ ...scope, nonceOfChain: 0 })
  const nextNonce = async () => (await journal.wallet.state(scope))?.nextNonce

  const all = await callCli(['resume', '--reason', 'the page was halted'], { cwd })
  expect([all.code, all.stderr]).toEqual([0, ''])
  expect(all.stdout).toContain('Nothing is locked')
  expect([calls, await nextNonce()]).toEqual([0, 0])

  // A person who names the wallet has it compared with the chain.
  await callCli(['resume', '--reason', 'the transfer was ours', '--wallet', name], { cwd })
  expect(calls).toBeGreaterThan(0)
  await journal.shut()
})

test('a page that cannot halt every wallet names those that trade on, and halts the others', async () => {
  writeFleet(['one', 'two'])
  for (const name of ['one', 'two']) {
    const { database, haltFile } = configOf(name)
    const journal = await openJournal({ database, haltFile, clock })
    await journal.shut()
  }
  const schemas = ['one', 'two'].map((name) => {
    const { database } = configOf(name)
    return database.dialect === 'postgres' ? database.schema : undefined
  })
  await place.exec(`ALTER TABLE ${schemas[1]}.lock RENAME TO lock_away`)
  const dashboard = startBallast(['run', '--role', 'dashboard', '--port', '0'], {
    cwd: place.folder,
  })
  try {
    const [, url = ''] = /(http:\S+)/.exec(await dashboard.says(/FLEET .* http:/)) ?? []
    const answer = await fetch(`${url}/api/halt`, { method: 'POST' })
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      {
        error: {
          code: 'HALT_INCOMPLETE',
          message: expect.stringMatching(/^NOT HALTED: two\. 1 other wallets are halted/),
        },
      },
    ])
    const { database, haltFile } = configOf('one')
    const journal = await openJournal({ database, haltFile, clock })
    expect(await journal.locks.live()).toMatchObject([{ kind: 'halt', code: 'BY_API' }])
    await journal.shut()
  } finally {
    dashboard.child.kill('SIGTERM')
    await dashboard.ended
  }
})
