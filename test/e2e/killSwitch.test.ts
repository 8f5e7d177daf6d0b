import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '../../src/core/token.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { callCli } from '../cli/callCli.ts'
import { createAuthority } from '../support/certificates.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { type PassingCall, startRpcProxy } from '../support/rpcProxy.ts'
import { runBallast, startBallast } from '../support/runBallast.ts'
import { sendRequest } from '../support/sendRequest.ts'
import { transact } from '../support/transact.ts'

const erc20 = [
  'function approve(address, uint256)',
  'function transfer(address, uint256)',
  'function transferFrom(address, address, uint256)',
] as const

let fork: Fork
let config: string

beforeEach(async () => {
  fork = await forkOrigin()
  // It never trades unless a test says so.
  config = withPrice('999999 USDC')
})
afterEach(() => fork.close())

function withPrice(price: string): string {
  const text = readFileSync(fork.ready.config, 'utf8').replace(
    /strategies:\n(?: {2}.*\n)+/,
    `strategies:\n  - name: sell-strength\n    use: threshold\n    params: { sell: 1 ETH, buy: USDC, price: ${price}, every: 1s }\n`,
  )
  const path = join(fork.dataDir, 'bot.yaml')
  writeFileSync(path, text)
  return path
}

const ballast = (...args: string[]) => callCli([...args, '--config', config], { cwd: fork.dataDir })
const haltFile = () => join(fork.dataDir, 'HALT')
const run = (env = {}) => startBallast(['run', '--port', '0', '--config', config], { env })

async function running(env = {}) {
  const bot = run(env)
  const said = await bot.says('WAIT ')
  return { ...bot, said, url: /http:\/\/[\d.:]+/.exec(said)?.[0] ?? '' }
}

const ways: Readonly<Record<string, (bot: Awaited<ReturnType<typeof running>>) => unknown>> = {
  BY_OPERATOR: () => ballast('halt', '--reason', 'smoke'),
  BY_API: ({ url }) =>
    fetch(`${url}/api/halt`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"reason":"smoke"}',
    }),
  BY_SIGNAL: ({ child }) => child.kill('SIGUSR2'),
  BY_FILE: () => writeFileSync(haltFile(), ''),
}

/** How many amounts of the wallet the journal compares with. */
function baselines(): number {
  const file = new DatabaseSync(join(fork.dataDir, 'ballast.db'), { readOnly: true })
  try {
    return Number(file.prepare('SELECT count(*) AS amounts FROM baseline').get()?.amounts)
  } finally {
    file.close()
  }
}

/** How often a strategy was asked after the first lock: once at most, where it was its turn at that moment. */
async function decidedUnderLock(): Promise<number> {
  const { locks } = JSON.parse((await ballast('status', '--json')).stdout)
  const { stdout } = await ballast('export', '--what', 'decisions', '--since', locks[0].openedAt)
  return stdout.trim().split('\n').length - 1
}

test('run and status name the process that a signal must go to, and systemd hears that it moves', async () => {
  const said = join(fork.dataDir, 'watchdog')
  // In place of systemd's own program, and of its socket.
  writeFileSync(
    join(fork.dataDir, 'systemd-notify'),
    `#!/bin/sh\necho "$NOTIFY_SOCKET $*" >> ${said}\n`,
    { mode: 0o755 },
  )
  const bot = await running({
    PATH: `${fork.dataDir}:${process.env.PATH}`,
    NOTIFY_SOCKET: '/run/systemd/notify',
    WATCHDOG_USEC: '300000',
  })
  await expect
    .poll(() => (existsSync(said) ? readFileSync(said, 'utf8') : ''))
    .toMatch(/^(?:\/run\/systemd\/notify WATCHDOG=1\n){3}/)
  expect(bot.said).toMatch(new RegExp(`^BALLAST .* · pid ${bot.child.pid}$`, 'm'))
  const during = await ballast('status', '--json')
  expect(JSON.parse(during.stdout).pid).toBe(bot.child.pid)
  expect((await ballast('status')).stdout).toContain(`Process ${bot.child.pid} spends from`)
  bot.child.kill('SIGKILL')
  await bot.ended
  const after = await ballast('status', '--json')
  expect(JSON.parse(after.stdout).pid).toBeNull()
})

describe('halt', () => {
  test.each(Object.keys(ways))('%s: the idle bot ends, and stays halted', async (code) => {
    const bot = await running()
    await ways[code]?.(bot)
    const ended = await bot.ended
    expect(await decidedUnderLock()).toBeLessThanOrEqual(1)
    expect(ended.code, ended.stderr).toBe(5)
    expect(ended.stdout).toContain(`(${code}, lock 1)`)

    rmSync(haltFile(), { force: true })
    const again = await ballast('run', '--port', '0')
    expect([again.code, again.stderr]).toEqual([5, expect.stringContaining('Locked (halt, all)')])

    expect(JSON.parse((await ballast('status', '--json')).stdout)).toMatchObject({
      wallet: { nextNonce: 0 },
      swaps: [],
      locks: [{ id: 1, kind: 'halt', scope: 'all', code, expiresAt: null }],
    })
    expect((await ballast('status')).stdout).toContain(code)
  })

  test('while a swap is prepared: nothing reaches the node', async () => {
    const isOfSwap = (params: readonly unknown[]) =>
      JSON.stringify(params).toLowerCase().includes(fork.ready.router.toLowerCase())
    config = withPrice('2900 USDC')
    let simulations = 0
    const onCall = ({ method, params }: PassingCall) => {
      // A start plays a scenario as well, to see how the node plays: of a swap it is where the router is called.
      if (method !== 'eth_simulateV1' || !isOfSwap(params)) return undefined
      simulations += 1
      writeFileSync(haltFile(), '')
      return undefined
    }
    const proxy = await startRpcProxy(fork.ready.rpcUrl, { before: onCall })
    try {
      const bot = startBallast(['run', '--port', '0', '--config', config], {
        env: { RPC_URL: proxy.url },
      })
      expect((await bot.ended).code).toBe(5)
      expect(simulations).toBeGreaterThan(0)
      expect(proxy.count('eth_sendRawTransaction')).toBe(0)
      const { swaps } = JSON.parse((await ballast('history', '--json')).stdout)
      expect(swaps).toMatchObject([{ state: 'ABANDONED', attempts: [] }])
    } finally {
      await proxy.close()
    }
  })

  test('before the first start: the journal is made for the lock, which a reason releases', async () => {
    expect((await ballast('halt')).code).toBe(0)
    expect(existsSync(join(fork.dataDir, 'ballast.db'))).toBe(true)
    expect((await ballast('run', '--port', '0')).code).toBe(5)
    const swap = await ballast('swap', '--sell', '1 ETH', '--buy', 'USDC', '--live', '--json')
    expect([swap.code, JSON.parse(swap.stdout)]).toMatchObject([5, { error: { code: 'LOCKED' } }])
    expect((await ballast('resume')).code).toBe(2)
    expect((await ballast('resume', '--reason', '  ')).code).toBe(2)
    expect((await ballast('resume', '--reason', 'it was steam')).code).toBe(0)
    const bot = await running()
    bot.child.kill('SIGTERM')
    expect((await bot.ended).code).toBe(0)
  })

  test('a strategy that is not in the file stops nothing and says so', async () => {
    const { code, stderr } = await ballast('halt', 'sell-strenght')
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean sell-strength?')])
    expect(JSON.parse((await ballast('status', '--json')).stdout).locks).toEqual([])
  })

  test('resume with the file still there is refused', async () => {
    writeFileSync(haltFile(), '')
    const { code, stdout } = await ballast('resume', '--reason', 'x', '--json')
    expect([code, JSON.parse(stdout).error.code]).toEqual([5, 'HALT_FILE_EXISTS'])
  })
})

describe('halt through another door of the dashboard', () => {
  const halt = { method: 'POST', path: '/api/halt', headers: { host: 'localhost' } }
  const at = (name: string) => join(fork.dataDir, name)
  const withDoor = (door: string) => {
    const yaml = readFileSync(config, 'utf8')
    expect(yaml).toMatch(/^dashboard: /m)
    writeFileSync(config, yaml.replace(/^dashboard: .*$/m, `dashboard: ${door}`))
  }

  test('a Unix socket: refused while another process has it, and free afterwards', async () => {
    withDoor('{ socket: ./door.sock }')
    const other = createServer().listen(at('door.sock'))
    const refused = await runBallast(['run', '--config', config])
    other.close()
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(
        'Another process listens at dashboard.socket: end it, or write another path.',
      ),
    ])
    expect((await run().ended).stderr).toContain('--port has no meaning at dashboard.socket')
    const bot = startBallast(['run', '--config', config])
    expect(await bot.says('WAIT ')).toContain(`unix:${at('door.sock')}`)
    const answer = await sendRequest(plainRequest, { ...halt, socketPath: at('door.sock') })
    expect(answer.status).toBe(200)
    expect(await bot.ended).toMatchObject({ code: 5, stdout: expect.stringContaining('(BY_API,') })
    expect(existsSync(at('door.sock'))).toBe(false)
  })

  test('client certificates: an operator halts, a viewer looks', async () => {
    const authority = createAuthority('Operators of this test')
    const { cert, key } = authority.issue('dashboard')
    for (const [name, text] of Object.entries({ cert, key, ca: authority.cert }))
      writeFileSync(at(`${name}.pem`), text, { mode: 0o600 })
    withDoor(
      '{ host: 0.0.0.0, tls: { certFile: ./cert.pem, keyFile: ./key.pem, clientCaFile: ./ca.pem, operators: [desk] } }',
    )
    const bot = run()
    const port = /https:\/\/localhost:(\d+)/.exec(await bot.says('WAIT '))?.[1]
    const as = (name: string, sent = {}) =>
      sendRequest(tlsRequest as typeof plainRequest, {
        ...{ host: '127.0.0.1', port, ca: authority.cert, servername: 'localhost' },
        ...{ headers: halt.headers, ...authority.issue(name), ...sent },
      })
    expect(await as('watcher')).toMatchObject({ status: 200 })
    expect(await as('watcher', halt)).toMatchObject({ status: 403 })
    expect(await as('desk', halt)).toMatchObject({ status: 200 })
    expect(await bot.ended).toMatchObject({ code: 5, stdout: expect.stringContaining('(BY_API,') })
  })
})

test('pause: the process stays up, is resumed while it runs, and trades then', async () => {
  config = withPrice('2900 USDC')
  await ballast('pause', 'sell-strength', '--reason', 'look first')
  const bot = run()
  await bot.says('LOCKED  pause strategy sell-strength: look first')
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(bot.child.exitCode).toBeNull()
  expect(JSON.parse((await ballast('history', '--json')).stdout).swaps).toEqual([])
  expect((await ballast('resume', '1', '--reason', 'looked')).code).toBe(0)
  await bot.says('SETTLED sell-strength')
  bot.child.kill('SIGTERM')
  expect((await bot.ended).code).toBe(0)
})

test('resume with nothing locked says so, even while the bot holds the journal', async () => {
  const bot = await running()
  const { code, stdout, stderr } = await ballast('resume', '--reason', 'a look')
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: 'Nothing is locked: there is nothing to release.\n',
    stderr: '',
  })
  const json = await ballast('resume', '--reason', 'a look', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({ nextNonce: null, released: [] })
  bot.child.kill('SIGTERM')
  expect((await bot.ended).code).toBe(0)
})

test('drain: the process ends with 0, and so does the next one until resume', async () => {
  const bot = await running()
  await ballast('drain')
  const first = await bot.ended
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('DRAINED')])
  const second = await run().ended
  expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('DRAINED')])
  expect(second.stdout).not.toContain('WAIT ')
  await ballast('resume', '--reason', 'done')
  const third = await running()
  third.child.kill('SIGTERM')
  expect((await third.ended).code).toBe(0)
})

test('SIGUSR1 opens no inspector', async () => {
  const bot = await running()
  bot.child.kill('SIGUSR1')
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  bot.child.kill('SIGTERM')
  const { code, stderr } = await bot.ended
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('Debugger')])
  const help = await runBallast(['--version'])
  expect(help.code).toBe(0)
})

describe('breakers', () => {
  test('a wallet that holds less than its swaps explain is locked, until a person has looked', async () => {
    const bot = await running()
    // What it holds has been looked at.
    await expect.poll(baselines).toBeGreaterThan(0)
    const { address } = fork.ready.wallets.treasury as { address: Address }
    await fork.rpc.request(anvilCalls.setBalance(address, 10n ** 18n))
    await bot.says(
      /LOCKED {2}breaker wallet 0x\w+: .* ETH missing; its nonce is 0, as in the books: .* \(LEDGER_DRIFT, lock 1\)/,
    )
    expect((await ballast('resume', '--reason', 'a test took it')).code).toBe(0)
    await bot.says('FREE    breaker wallet')
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(JSON.parse((await ballast('status', '--json')).stdout).locks).toEqual([])
    bot.child.kill('SIGTERM')
    expect((await bot.ended).code).toBe(0)
  })

  /** Takes 5 USDC of the wallet: by its own key, or by an allowance that it once gave. */
  async function take(by: 'key' | 'allowance') {
    const { address = '0x', privateKey = '0x' } = fork.ready.wallets.treasury ?? {}
    const spender = Object.values(fork.ready.makers)[0] as { address: Address; privateKey: Hex }
    const call = (functionName: 'approve' | 'transfer' | 'transferFrom', ...args: unknown[]) =>
      encodeFunctionData({ abi: parseAbi(erc20), functionName, args: args as never })
    const to = fork.ready.tokens.USDC?.address as Address
    const send = (key: Hex, data: Hex) => transact(fork.rpc, { privateKey: key, to, data })
    return {
      before: async () => {
        if (by === 'allowance') await send(privateKey, call('approve', spender.address, 5_000_000n))
      },
      now: () =>
        by === 'key'
          ? send(privateKey, call('transfer', spender.address, 5_000_000n))
          : send(spender.privateKey, call('transferFrom', address, spender.address, 5_000_000n)),
    }
  }

  test.each([
    ['key', /5 USDC missing; its nonce is 1 and the books end at 0: somebody used its key for 1 /],
    [
      'allowance',
      /5 USDC missing; its nonce is 1, as in the books: its key was not used\. A spender/,
    ],
  ] as const)('a drift says whether the %s took it', async (by, says) => {
    const theft = await take(by)
    await theft.before()
    const bot = await running()
    await expect.poll(baselines).toBeGreaterThan(0)
    await theft.now()
    await bot.says(says)
    bot.child.kill('SIGTERM')
    expect((await bot.ended).code).toBe(0)
  })

  test('[CHAIN-14] a chain that is ahead of this clock locks everything for a while', async () => {
    const bot = await running()
    await fork.rpc.request({
      method: 'evm_increaseTime',
      params: [60],
      parse: (answer) => answer,
    })
    await bot.says(/LOCKED {2}breaker all: the newest block is \d+ ms in the future/)
    bot.child.kill('SIGTERM')
    expect((await bot.ended).code).toBe(0)
    const { locks } = JSON.parse((await ballast('status', '--json')).stdout)
    expect(locks).toMatchObject([{ code: 'CLOCK_SKEW', expiresAt: expect.any(String) }])
  })

  test('refusals in a row lock their strategy', async () => {
    config = withPrice('2900 USDC')
    const strict = readFileSync(config, 'utf8')
      .replace(/makers: \[.*\]/, 'makers: []')
      .replace(/executor: .*/, 'executor: "0x5fbdb2315678afecb367f032d93f642f64180aa4"')
      .replace(
        'strategies:',
        'breakers: { refusals: { count: 2, over: 0s, lock: 1h } }\nstrategies:',
      )
    writeFileSync(config, strict)
    const bot = run()
    await bot.says(
      /LOCKED {2}breaker strategy sell-strength: 2 swaps in a row .* VERIFY_\w+ \(REFUSALS/,
    )
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    bot.child.kill('SIGTERM')
    expect((await bot.ended).code).toBe(0)
    const { swaps } = JSON.parse((await ballast('history', '--json')).stdout)
    expect(swaps.map(({ state }: { state: string }) => state)).toEqual(['REJECTED', 'REJECTED'])
    const audit = await ballast('audit', 'verify', '--json')
    expect([audit.code, JSON.parse(audit.stdout).ok]).toEqual([0, true])
  })
})
