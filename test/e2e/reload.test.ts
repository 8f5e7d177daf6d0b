import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startRpcProxy } from '../support/rpcProxy.ts'
import { startBallast } from '../support/runBallast.ts'

let fork: Fork
let proxy: Awaited<ReturnType<typeof startRpcProxy>>
/** While it is there, no simulation is answered. */
let held: Promise<void> | undefined
let simulates: () => void
const simulation = new Promise<void>((resolve) => {
  simulates = resolve
})

beforeEach(async () => {
  fork = await forkOrigin()
  proxy = await startRpcProxy(fork.ready.rpcUrl, {
    async ready(calls) {
      if (held === undefined || !calls.some(({ method }) => method === 'eth_simulateV1')) return
      simulates()
      await held
    },
  })
})
afterEach(async () => {
  await proxy.close()
  await fork.close()
})

const path = () => join(fork.dataDir, 'reload.yaml')
function write(...strategies: readonly string[]): void {
  const text = readFileSync(fork.ready.config, 'utf8').replace(
    /strategies:\n(?: {2}.*\n)+/,
    `strategies:\n${strategies.map((one) => `  - ${one}\n`).join('')}`,
  )
  writeFileSync(path(), text)
}

/** The limits of the last comparison with the chain. */
function markedLimits(mark?: string): unknown {
  const file = new DatabaseSync(join(fork.dataDir, 'ballast.paper.db'))
  try {
    const { chainId, wallets } = fork.ready
    const wallet = wallets.treasury?.address.toLowerCase() ?? ''
    if (mark !== undefined)
      file
        .prepare(`INSERT INTO reconciled VALUES (?, ?, 1, 1, '0x', 1, ?, '')`)
        .run(chainId, wallet, mark)
    return file.prepare('SELECT limits FROM reconciled').get()?.limits
  } finally {
    file.close()
  }
}

function decisionsOf(strategy: string): number {
  const file = new DatabaseSync(join(fork.dataDir, 'ballast.paper.db'), { readOnly: true })
  try {
    const row = file.prepare('SELECT count(*) AS n FROM decision WHERE strategy = ?').get(strategy)
    return Number(row?.n)
  } finally {
    file.close()
  }
}

describe('a configuration that changes while the bot runs', () => {
  test('what is spent under limits that change meanwhile is held to none that is known', async () => {
    write(
      '{ name: waits, use: threshold, params: { sell: 1 WETH, buy: USDC, price: 1000000 USDC, every: 1s } }',
    )
    const bot = startBallast(['run', '--paper', '--port', '0', '--config', path()])
    await bot.says(/^WAIT {4}waits/m)
    expect(markedLimits('those of the start')).toBe('those of the start')
    const text = readFileSync(path(), 'utf8')
    writeFileSync(path(), text.replace('maxFee: 10 bps', 'maxFee: 11 bps'))
    await bot.says(/^CONFIG {2}policy.maxFee/m)
    expect(markedLimits()).toBe('those of the start')
    writeFileSync(path(), text.replace('perDay: 10000000 USD', 'perDay: 9000000 USD'))
    await bot.says(/^CONFIG {2}policy.notional/m)
    expect(markedLimits()).toBe('')
    bot.child.kill('SIGTERM')
    expect((await bot.ended).code).toBe(0)
  })

  test('what is taken out while it waits behind a swap is not asked any more', async () => {
    const sells =
      '{ name: sells, use: threshold, params: { sell: 1 WETH, buy: USDC, price: 1 USDC, every: 1s } }'
    const waits =
      '{ name: waits, use: threshold, params: { sell: 1 WETH, buy: USDC, price: 1000000 USDC, every: 1s } }'
    write(sells, waits)
    const bot = startBallast(['run', '--paper', '--port', '0', '--config', path()], {
      env: { RPC_URL: proxy.url },
    })
    await bot.says(/^WAIT {4}waits/m)
    let release = () => {}
    held = new Promise((resolve) => {
      release = resolve
    })
    await simulation
    const before = decisionsOf('waits')
    write(sells)
    await bot.says(/^CONFIG {2}strategies/m)
    const settled = (said: string) => said.match(/^SETTLED/gm)?.length ?? 0
    const sofar = settled(await bot.says('CONFIG'))
    held = undefined
    release()
    await bot.says(new RegExp(`(?:^SETTLED [^]*?$\\s*){${sofar + 2}}`, 'm'))
    bot.child.kill('SIGTERM')
    const { code } = await bot.ended
    expect({ code, decisions: decisionsOf('waits') }).toEqual({ code: 0, decisions: before })
  })
})
