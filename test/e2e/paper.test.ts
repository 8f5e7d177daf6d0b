import { copyFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { callCli } from '../cli/callCli.ts'
import { balances } from '../support/balances.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { type Lies, startLyingNode } from '../support/lyingNode.ts'
import { startRpcProxy } from '../support/rpcProxy.ts'
import { startBallast } from '../support/runBallast.ts'

let fork: Fork
let proxy: Awaited<ReturnType<typeof startRpcProxy>>
let config: string

beforeEach(async () => {
  fork = await forkOrigin()
  proxy = await startRpcProxy(fork.ready.rpcUrl)
  config = withStrategies(
    '{ name: sell-weth, use: threshold, params: { sell: 1 WETH, buy: USDC, price: 1 USDC, every: 1s } }',
    '{ name: sell-usdc, use: threshold, params: { sell: 1000 USDC, buy: ETH, price: 0.00001 ETH, every: 1s } }',
  )
})
afterEach(async () => {
  await proxy.close()
  await fork.close()
})

function withStrategies(...strategies: readonly string[]): string {
  const text = readFileSync(fork.ready.config, 'utf8').replace(
    /strategies:\n(?: {2}.*\n)+/,
    `strategies:\n${strategies.map((one) => `  - ${one}\n`).join('')}`,
  )
  const path = join(fork.dataDir, 'paper.yaml')
  writeFileSync(path, text)
  return path
}

/** A key that is none: whoever read it would say so. */
const env = () => ({ RPC_URL: proxy.url, WALLET_KEY: 'not a key' })
const paper = (...more: string[]) =>
  startBallast(['run', '--paper', '--port', '0', '--config', config, ...more], { env: env() })
const ballast = (...args: string[]) =>
  callCli([...args, '--config', config], {
    ...{ environment: { RPC_URL: proxy.url }, cwd: fork.dataDir },
  })

/** A node that lacks a method. */
const without = (method: string): Lies => ({
  bend: (asked, answer) =>
    asked.method === method
      ? { jsonrpc: '2.0', id: answer.id, error: { code: -32_601, message: 'Method not found' } }
      : answer,
})

const fills = (said: string) => said.match(/^SETTLED .* on paper, at block \d+$/gm) ?? []
const errorsIn = (log: string) => log.split('\n').filter((line) => line.includes('"level":50'))
const sends = () => proxy.seen.filter(({ method }) => /send|sign/i.test(method))
const settledTimes = (count: number) => new RegExp(`(?:^SETTLED [^]*?$\\s*){${count}}`, 'm')

type Row = Readonly<Record<string, string>>
const rows = (sql: string): Row[] => {
  const file = new DatabaseSync(join(fork.dataDir, 'ballast.paper.db'), { readOnly: true })
  try {
    return file.prepare(sql).all() as Row[]
  } finally {
    file.close()
  }
}

/** Opening balances and every fill, added up here. */
function expected(): ReadonlyMap<string, bigint> {
  const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
  const sum = new Map(
    rows('SELECT token, opening FROM paper_balance').map(({ token, opening }) => [
      token ?? '',
      BigInt(opening ?? 0),
    ]),
  )
  const add = (token: string, wei: bigint) => sum.set(token, (sum.get(token) ?? 0n) + wei)
  for (const swap of rows("SELECT * FROM swap WHERE state = 'SETTLED'")) {
    add(swap.sell_token ?? '', -BigInt(swap.sold ?? 0))
    add(swap.buy_token ?? '', BigInt(swap.received ?? 0))
    add(native, -BigInt(swap.gas_paid ?? 0))
  }
  return sum
}
const booked = () =>
  new Map(
    rows('SELECT token, wei FROM paper_balance').map(({ token, wei }) => [
      token ?? '',
      BigInt(wei ?? 0),
    ]),
  )

describe('run --paper', () => {
  test('several ticks, a restart: balances evolve by exactly the fills, and nothing is ever sent', async () => {
    const before = await balances(fork.rpc, fork.ready)
    const first = paper()
    await first.says(settledTimes(4))
    const url = /http:\/\/[\d.:]+/.exec(await first.says('BALLAST'))?.[0] ?? ''
    const health = await (await fetch(`${url}/api/health`)).json()
    expect(health).toMatchObject({ ok: true, mode: 'paper' })
    expect(await (await fetch(url)).text()).toContain('On paper.')
    first.child.kill('SIGTERM')
    const ended = await first.ended
    // A swap that the signal met is abandoned with a warning; nothing is an error.
    expect([ended.code, errorsIn(ended.stderr)]).toEqual([0, []])
    expect(ended.stdout).toContain('PAPER: fills at verified firm quotes')
    expect(ended.stdout).toMatch(/^PAPER: begins with 10000 ETH, 100 WETH, 250000 USDC/m)
    expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe(
      `PAPER: the same without --paper trades for real: ballast run --config '${config}'`,
    )
    const count = fills(ended.stdout).length
    expect(count).toBeGreaterThanOrEqual(4)
    expect(rows("SELECT id FROM swap WHERE state = 'SETTLED'")).toHaveLength(count)
    expect(booked()).toEqual(expected())
    const between = booked()
    expect(between.get(fork.ready.tokens.WETH?.address.toLowerCase() ?? '')).toBeLessThan(
      100n * 10n ** 18n,
    )

    const second = paper()
    await second.says(settledTimes(2))
    second.child.kill('SIGTERM')
    const again = await second.ended
    expect([again.code, errorsIn(again.stderr)]).toEqual([0, []])
    expect(again.stdout).toContain('PAPER: goes on with')
    expect(booked()).toEqual(expected())
    expect(rows("SELECT id FROM swap WHERE state = 'SETTLED'")).toHaveLength(
      count + fills(again.stdout).length,
    )

    expect(sends()).toEqual([])
    expect(await balances(fork.rpc, fork.ready)).toEqual(before)
    const history = JSON.parse((await ballast('history', '--paper', '--json')).stdout)
    expect(history.swaps.length).toBeGreaterThanOrEqual(6)
    expect(JSON.parse((await ballast('history', '--json')).stdout)).toEqual({ swaps: [] })
    const { balances: virtual } = JSON.parse((await ballast('status', '--paper', '--json')).stdout)
    const weth = virtual.find(({ token }: { token: string }) => token === 'WETH')
    expect(BigInt(weth.wei)).toBe(
      booked().get(fork.ready.tokens.WETH?.address.toLowerCase() ?? '') ?? 0n,
    )
    expect(weth.opening.text).toBe('100')
    expect((await ballast('status', '--paper')).stdout).toContain(`on paper: `)
  })

  test('--balances: a wallet that holds nothing spends what is given, and no more', async () => {
    const empty = '0x00000000000000000000000000000000000a11ce'
    const text = readFileSync(config, 'utf8').replace(
      /wallet: \{ name: treasury, address: "0x[0-9a-fA-F]{40}" \}/,
      `wallet: { name: treasury, address: "${empty}" }`,
    )
    expect(text).toContain(empty)
    writeFileSync(config, text)
    const bot = paper('--balances', '1 ETH, 2 WETH, 1500 USDC')
    // Three of WETH: two that fill, and what is asked after that waits or is refused.
    await bot.says(settledTimes(3))
    await bot.says(/^(?:WAIT|REJECTED).*sell-weth/m)
    bot.child.kill('SIGTERM')
    const ended = await bot.ended
    expect(ended.code, ended.stderr).toBe(0)
    expect(ended.stdout).toMatch(/^PAPER: begins with 1 ETH, 2 WETH, 1500 USDC · /m)
    expect(fills(ended.stdout).filter((line) => line.includes('sell-weth'))).toHaveLength(2)
    expect(booked()).toEqual(expected())
    expect([...booked().values()].every((wei) => wei >= 0n)).toBe(true)

    const again = await ballast('run', '--paper', '--balances', '9 ETH')
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('has begun')])
  })

  test('a halt by another command ends it, and holds until it is resumed', async () => {
    const bot = paper()
    await bot.says(settledTimes(1))
    expect((await ballast('halt', '--paper', '--reason', 'steam')).code).toBe(0)
    const ended = await bot.ended
    expect(ended.code).toBe(5)
    expect((await ballast('run', '--paper', '--port', '0')).code).toBe(5)
    // The live bot is none of its business.
    expect((await ballast('status')).stdout).toContain('no locks')
    expect((await ballast('resume', '--paper', '--reason', 'it was steam')).code).toBe(0)
    const again = paper()
    await again.says(settledTimes(1))
    again.child.kill('SIGTERM')
    expect((await again.ended).code).toBe(0)
  })

  test('a node without eth_simulateV1 is served as well', async () => {
    const { url, close } = await startLyingNode(fork.ready.rpcUrl, without('eth_simulateV1'))
    try {
      const bot = startBallast(
        ['run', '--paper', '--port', '0', '--config', config, '--balances', '1 ETH, 3 WETH'],
        { env: { RPC_URL: url } },
      )
      await bot.says(settledTimes(2))
      bot.child.kill('SIGTERM')
      const ended = await bot.ended
      expect(ended.code, ended.stderr).toBe(0)
      expect(booked()).toEqual(expected())
    } finally {
      await close()
    }
  })

  test('a token whose slot cannot be found: swaps while its balance is the real one, then is refused', async () => {
    const { url, close } = await startLyingNode(fork.ready.rpcUrl, without('debug_traceCall'))
    try {
      const text = readFileSync(config, 'utf8')
      writeFileSync(
        config,
        text.replace('confirmations: 2', 'confirmations: 2, tracing: unavailable'),
      )
      const bot = startBallast(['run', '--paper', '--port', '0', '--config', config], {
        env: { RPC_URL: url },
      })
      const said = await bot.says(/PAPER_SLOT_UNKNOWN/)
      expect(fills(said).length).toBeGreaterThanOrEqual(1)
      bot.child.kill('SIGTERM')
      const ended = await bot.ended
      expect(ended.code).toBe(0)
      expect(ended.stderr).toContain('where WETH keeps its balances cannot be told')
      const of = (symbol: string) => fills(ended.stdout).filter((line) => line.includes(symbol))
      // WETH and USDC have been moved by the first swap: nothing of either is made up after it.
      expect(of('sell-weth').length + of('sell-usdc').length).toBe(1)
      expect(booked()).toEqual(expected())
    } finally {
      await close()
    }
  })

  test('the journals do not mix: either kind refuses the other', async () => {
    const bot = paper()
    await bot.says(settledTimes(1))
    bot.child.kill('SIGTERM')
    await bot.ended
    const text = readFileSync(config, 'utf8')
    writeFileSync(config, text.replace('ballast.db', 'ballast.paper.db'))
    const live = await ballast('run', '--port', '0')
    expect([live.code, live.stderr]).toEqual([2, expect.stringContaining('kept on paper')])

    // A live journal under the name of the one on paper.
    writeFileSync(config, text.replace('ballast.db', 'other.db'))
    expect((await ballast('pause', '--reason', 'makes it')).code).toBe(0)
    copyFileSync(join(fork.dataDir, 'other.db'), join(fork.dataDir, 'other.paper.db'))
    const onLive = await ballast('run', '--paper', '--port', '0')
    expect([onLive.code, onLive.stderr]).toEqual([2, expect.stringContaining('of real money')])
    rmSync(join(fork.dataDir, 'other.paper.db'))
    symlinkSync(join(fork.dataDir, 'other.db'), join(fork.dataDir, 'other.paper.db'))
    const linked = await ballast('run', '--paper', '--port', '0')
    expect([linked.code, linked.stderr]).toEqual([
      2,
      expect.stringContaining('the live one under another name. (PAPER_DATABASE_LIVE)'),
    ])
  })

  test('--balances without --paper is refused', async () => {
    const ended = await ballast('run', '--balances', '1 ETH')
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('goes with --paper')])
  })
})
