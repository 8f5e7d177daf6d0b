import { type ChildProcess, spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, type TestContext, test } from 'vitest'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { callCli } from '../cli/callCli.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { openBot } from '../support/openBot.ts'
import { type PassingCall, startRpcProxy } from '../support/rpcProxy.ts'
import { runBallast, startBallast } from '../support/runBallast.ts'
import { swappedEvents } from '../support/swappedEvents.ts'

/** Of the test that asks: tests that run beside each other clean up for themselves alone. */
type Own = Pick<TestContext, 'onTestFinished'>

async function openFork({ onTestFinished }: Own): Promise<Fork> {
  const fork = await forkOrigin()
  onTestFinished(() => fork.close())
  return fork
}

/** The bot's file with one strategy that sells an ETH each second, or never. */
function configured({ ready, dataDir }: Fork, price: '2900 USDC' | '999999 USDC'): string {
  const text = readFileSync(ready.config, 'utf8').replace(
    /strategies:\n(?: {2}.*\n)+/,
    `strategies:\n  - name: seller\n    use: threshold\n    params: { sell: 1 ETH, buy: USDC, price: ${price}, every: 1s }\n`,
  )
  const path = join(dataDir, `seller-${price.split(' ')[0]}.yaml`)
  writeFileSync(path, text)
  return path
}

function run({ onTestFinished }: Own, config: string, env: Record<string, string> = {}) {
  const bot = startBallast(['run', '--port', '0', '--config', config], { env })
  // One that is still there when its test has failed.
  onTestFinished(() => void bot.child.kill('SIGKILL'))
  return bot
}

/** Runs before the program. */
const loading = (code: string) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}`,
})
/** What the program does when it gets SIGCONT, which otherwise does nothing. */
const onCont = (code: string) => loading(`process.on('SIGCONT', () => { ${code} })`)

type Listed = { state: string; attempts: readonly unknown[]; received: { wei: string } | null }
async function history(config: string): Promise<readonly Listed[]> {
  const { stdout } = await callCli(['history', '--json', '--config', config], { cwd: '/' })
  return JSON.parse(stdout).swaps
}

/** A way to the node on which bytes that are sent stop its blocks before they reach it. `sent` resolves when they have. */
async function stopBlocksAtSend(own: Own, fork: Fork) {
  const sends = ({ method }: PassingCall) => method === 'eth_sendRawTransaction'
  const sent = Promise.withResolvers<void>()
  const proxy = await startRpcProxy(fork.ready.rpcUrl, {
    async ready(calls) {
      if (calls.some(sends)) await fork.rpc.request(anvilCalls.mineEvery(0))
    },
    after(call) {
      if (sends(call)) sent.resolve()
      return undefined
    },
  })
  own.onTestFinished(() => proxy.close())
  return { proxy, sent: sent.promise }
}

/** Blocks stop, a swap of the running bot reaches the node, and the process is hurt: what it leaves and how it ends. */
async function hurtInTheMiddle(
  own: Own,
  hurt: (child: ChildProcess) => unknown,
  env: Record<string, string> = {},
) {
  const fork = await openFork(own)
  const { proxy, sent } = await stopBlocksAtSend(own, fork)
  const bot = run(own, configured(fork, '2900 USDC'), { RPC_URL: proxy.url, ...env })
  await sent
  hurt(bot.child)
  const ended = await bot.ended
  const left = await history(fork.ready.config)
  return { fork, ended, left }
}

/** Blocks come again, and a bot that trades nothing of its own is started: the swap that was left settles, once. */
async function settlesOnce(own: Own, fork: Fork): Promise<void> {
  await fork.rpc.request(anvilCalls.mineEvery(1))
  const second = run(own, configured(fork, '999999 USDC'))
  await second.says('RESUMED SETTLED seller')
  second.child.kill('SIGTERM')
  expect((await second.ended).code).toBe(0)
  const swaps = await history(fork.ready.config)
  const events = await swappedEvents(fork.rpc, fork.ready)
  expect(swaps.map(({ state }) => state)).toEqual(['SETTLED'])
  expect(events.map(({ amountOut }) => `${amountOut}`)).toEqual([swaps[0]?.received?.wei])
}

describe.concurrent('in the middle of a swap', () => {
  test('[LOCAL-14] SIGTERM: ends, says what is open, and the next start goes on', async (own) => {
    // No block comes: it would wait for ever for the swap's end.
    const { fork, ended, left } = await hurtInTheMiddle(own, (child) => child.kill('SIGTERM'))
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toContain('is still under way; the next start finishes it')
    expect(left).toMatchObject([{ state: expect.stringMatching(/^SIGNED|SENT$/) }])
    await settlesOnce(own, fork)
  })

  test('[LOCAL-15] SIGHUP, and a policy that would not allow it any more: it keeps its own terms, the next one does not', async (own) => {
    const fork = await openFork(own)
    const { proxy, sent } = await stopBlocksAtSend(own, fork)
    const config = configured(fork, '2900 USDC')
    const bot = run(own, config, { RPC_URL: proxy.url })
    await sent
    const yaml = readFileSync(config, 'utf8')
    const stricter = yaml.replace(/perSwap: \[\d+ ETH/, 'perSwap: [0.1 ETH')
    expect(stricter).not.toBe(yaml)
    writeFileSync(config, stricter)
    bot.child.kill('SIGHUP')
    await bot.says('CONFIG  policy.perSwap')
    await fork.rpc.request(anvilCalls.mineEvery(1))
    await bot.says('SETTLED seller')
    const lastWord = async () => {
      const { stdout } = await callCli(['explain', 'seller', '--json', '--config', config], {
        cwd: '/',
      })
      return stdout
    }
    // Beside other tests only its own `expect` knows which one it is in.
    await own.expect.poll(lastWord, { interval: 500 }).toContain('POLICY_PER_SWAP')
    bot.child.kill('SIGTERM')
    expect((await bot.ended).code).toBe(0)
    expect((await history(config)).map(({ state }) => state)).toEqual(['SETTLED'])
    expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(1)
  })

  test('[LOCAL-16] out of memory: as if it was killed', async (own) => {
    const eat = 'const all = []; for (;;) all.push(new Array(1e5).fill(all.length).map(String))'
    const { fork, ended, left } = await hurtInTheMiddle(own, (child) => child.kill('SIGCONT'), {
      NODE_OPTIONS: `--max-old-space-size=96 ${onCont(eat).NODE_OPTIONS}`,
    })
    expect(ended.stderr).toContain('heap out of memory')
    expect(left).toHaveLength(1)
    await settlesOnce(own, fork)
  })
})

describe.concurrent('what nobody caught', () => {
  const failures = {
    'an exception': "throw new Error('nobody caught this')",
    'a rejection': "void Promise.reject(new Error('nobody caught this'))",
  }
  for (const [name, code] of Object.entries(failures))
    test(`[LOCAL-17] ${name}: said in one line, and the process ends`, async (own) => {
      const fork = await openFork(own)
      const bot = run(own, configured(fork, '999999 USDC'), onCont(code))
      await bot.says('WAIT ')
      bot.child.kill('SIGCONT')
      const { code: exit, stderr } = await bot.ended
      expect(exit).toBe(1)
      expect(stderr).toContain('ballast: Unexpected failure: nobody caught this (INTERNAL)')
      expect(stderr).not.toMatch(/\n\s+at /)
    })
})

describe.concurrent('a process that is starved', () => {
  test('[LOCAL-14] the second Ctrl-C does not wait for a node that never answers', async (own) => {
    const fork = await openFork(own)
    const asked = Promise.withResolvers<void>()
    const silent = createServer(() => asked.resolve())
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    own.onTestFinished(() => {
      silent.closeAllConnections()
      silent.close()
    })
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    // The node is not given up either: only the second signal ends it.
    const bot = run(own, configured(fork, '999999 USDC'), {
      RPC_URL: url,
      ...loading('AbortSignal.timeout = () => new AbortController().signal'),
    })
    await asked.promise
    bot.child.kill('SIGINT')
    // The same Ctrl-C, as npm passes it on: so soon that a busy machine hands over both at once.
    await delay(5)
    bot.child.kill('SIGINT')
    await delay(250)
    expect(bot.child.exitCode).toBeNull()
    const again = setInterval(() => bot.child.kill('SIGINT'), 100)
    expect((await bot.ended).code).toBe(130)
    clearInterval(again)
  })

  test('[LOCAL-16] a hundred megabytes of an answer fit into a small heap: they are not kept', async (own) => {
    const fork = await openFork(own)
    const mebibyte = Buffer.alloc(1_024 * 1_024, ' ')
    const pouring = createServer((_, response) => {
      let left = 100
      const more = () => {
        while (left-- > 0 && !response.destroyed) if (!response.write(mebibyte)) break
        if (left > 0 && !response.destroyed) response.once('drain', more)
        else response.end()
      }
      more()
    })
    await new Promise<void>((resolve) => pouring.listen(0, '127.0.0.1', resolve))
    own.onTestFinished(() => {
      pouring.closeAllConnections()
      pouring.close()
    })
    const { port } = pouring.address() as AddressInfo
    const ended = await runBallast(
      ['quote', '--sell', '1 ETH', '--buy', 'USDC', '--json', '--config', fork.ready.config],
      {
        env: {
          QUOTE_API_URL: `http://127.0.0.1:${port}`,
          NODE_OPTIONS: '--max-old-space-size=64',
        },
      },
    )
    expect(ended).toMatchObject({ code: 4, signal: null })
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: 'QUOTE_MALFORMED' } })
  })

  test('[LOCAL-39] too few files it may open: nothing is sent that the journal does not know', async (own) => {
    const fork = await openFork(own)
    const main = new URL('../../src/main.ts', import.meta.url).pathname
    const sell = ['swap', '--sell', '1 ETH', '--buy', 'USDC', '--live', '--config']
    const starved = async (files: number) => {
      const line = `ulimit -n ${files}; exec "$@"`
      const args = [process.execPath, main, ...sell, fork.ready.config]
      const child = spawn('bash', ['-c', line, 'bash', ...args], { stdio: 'ignore' })
      return new Promise((resolve) => child.on('close', resolve))
    }
    for (const files of [24, 28]) expect([4, 5]).toContain(await starved(files))
    expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
    expect((await runBallast([...sell, fork.ready.config])).code).toBe(0)
    const settled = (await history(fork.ready.config)).filter(({ state }) => state === 'SETTLED')
    expect(settled).toHaveLength(1)
    expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(1)
  })

  test('[LOCAL-22] another command holds the database: waited for, and then nothing is signed', async (own) => {
    const fork = await openFork(own)
    const sell = ['swap', '--sell', '1 ETH', '--buy', 'USDC', '--live', '--json']
    const call = [...sell, '--config', fork.ready.config]
    const { tables } = await journalOf(fork)
    expect(tables).toBeGreaterThan(0)
    const holder = new DatabaseSync(join(fork.dataDir, 'ballast.db'))
    holder.exec('BEGIN IMMEDIATE')
    const { code, stdout } = await runBallast(call)
    holder.exec('ROLLBACK')
    expect(code).toBe(4)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'JOURNAL_BUSY', remedy: 'retry' } })
    expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
    expect(await history(fork.ready.config)).toEqual([])

    // Where it lets go in time, the next one has waited and goes on.
    holder.exec('BEGIN IMMEDIATE')
    const waiting = runBallast(call)
    await delay(2_000)
    holder.exec('ROLLBACK')
    holder.close()
    expect((await waiting).code).toBe(0)
    expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(1)
  })
})

/** The journal of a fork, made by a command that writes one. */
async function journalOf({ ready, dataDir }: Fork) {
  for (const word of ['pause', 'resume'])
    await callCli([word, '--reason', 'a test', '--config', ready.config], { cwd: dataDir })
  const file = new DatabaseSync(join(dataDir, 'ballast.db'), { readOnly: true })
  const row = file
    .prepare("select count(*) as tables from sqlite_master where type = 'table'")
    .get()
  file.close()
  return { tables: Number(row?.tables) }
}

test('[LOCAL-35] nobody reads its log any more: it trades on, and stops when it is told to', async (own) => {
  const fork = await openFork(own)
  const main = new URL('../../src/main.ts', import.meta.url).pathname
  const config = configured(fork, '2900 USDC')
  const child = spawn(process.execPath, [main, 'run', '--port', '0', '--config', config], {
    // More than a pipe holds.
    env: { ...process.env, ...onCont("process.stderr.write('x'.repeat(4_000_000))") },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  own.onTestFinished(() => void child.kill('SIGKILL'))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  child.stdout.resume()
  child.kill('SIGCONT')
  await expect.poll(() => swapsOf(fork), { interval: 200 }).toBeGreaterThanOrEqual(1)
  const ended = new Promise((resolve) => child.on('exit', resolve))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

const swapsOf = async ({ rpc, ready }: Fork) => (await swappedEvents(rpc, ready)).length

const fullDisk = '/dev/full'
describe.skipIf(!existsSync(fullDisk))('the disk of the output is full', () => {
  const main = new URL('../../src/main.ts', import.meta.url).pathname
  const onFull = (own: Own, args: readonly string[], stderr: 'pipe' | number) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', full, stderr] })
    own.onTestFinished(() => void child.kill('SIGKILL'))
    return { child, ended: new Promise((resolve) => child.on('exit', resolve)) }
  }
  const full = openSync(fullDisk, 'w')

  test('[LOCAL-35] a bot trades on, and stops when it is told to', async (own) => {
    const fork = await openFork(own)
    const args = ['run', '--port', '0', '--config', configured(fork, '2900 USDC')]
    const { child, ended } = onFull(own, args, full)
    await expect.poll(() => swapsOf(fork), { interval: 200 }).toBeGreaterThanOrEqual(2)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    const states = (await history(join(fork.dataDir, 'seller-2900.yaml'))).map((one) => one.state)
    expect(states).toContain('SETTLED')
  })

  test('a command says that its output is not whole, and fails', async (own) => {
    const { child, ended } = onFull(own, ['help', 'run'], 'pipe')
    const said = text(child.stderr ?? Readable.from([]))
    expect(await ended).toBe(1)
    expect(await said).toBe('ballast: Not all of the output could be written (ENOSPC).\n')
  })
})

test('[LOCAL-26] another process over the same journal is refused at once', async (own) => {
  const fork = await openFork(own)
  const first = await openBot(fork)
  const sell = ['swap', '--sell', '1 ETH', '--buy', 'USDC', '--live', '--json']
  const { code, stdout } = await runBallast([...sell, '--config', fork.ready.config])
  await first.close()
  expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringContaining('JOURNAL_LOCKED') })
  expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
})

/** A journal in a folder of its own, with the wallet, the chain and the state folder of the fork. */
function otherJournal({ ready, dataDir }: Fork): string {
  const folder = join(dataDir, 'other')
  mkdirSync(folder)
  copyFileSync(join(dataDir, '.env'), join(folder, '.env'))
  const file = join(folder, 'ballast.yaml')
  const text = readFileSync(ready.config, 'utf8').replace(/strategies:\n(?: {2}.*\n)+/, '')
  writeFileSync(
    file,
    text.replace(/^stateFolder: .*\n/m, `stateFolder: "${join(dataDir, 'state')}"\n`),
  )
  return file
}

test.each<[string, NodeJS.Signals]>([
  ['ended orderly', 'SIGTERM'],
  ['was killed', 'SIGKILL'],
])(
  'two journals of one wallet: the second is refused until the process of the first %s',
  async (_, signal) => {
    const own = { onTestFinished }
    const fork = await openFork(own)
    const other = otherJournal(fork)
    const first = run(own, configured(fork, '999999 USDC'))
    await first.says(/^BALLAST /m)
    const sell = ['swap', '--sell', '1 ETH', '--buy', 'USDC', '--live', '--json']
    const { code, stdout } = await runBallast([...sell, '--config', other])
    expect({ code, stdout }).toEqual({ code: 5, stdout: expect.stringContaining('WALLET_LOCKED') })
    expect(stdout).toContain(`process ${first.child.pid}`)
    expect(stdout).toContain(join(fork.dataDir, 'ballast.db'))
    expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
    first.child.kill(signal)
    await first.ended
    const second = await runBallast([...sell, '--config', other])
    expect(second).toMatchObject({ code: 0 })
    expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(1)
  },
)

test('a state folder that cannot be written: one sentence with the key to set, and nothing is signed', async (own) => {
  const fork = await openFork(own)
  const other = otherJournal(fork)
  const file = join(fork.dataDir, 'a file')
  writeFileSync(file, '')
  const text = readFileSync(other, 'utf8')
  writeFileSync(other, text.replace(/^stateFolder: .*$/m, `stateFolder: "${file}"`))
  const sell = ['swap', '--sell', '1 ETH', '--buy', 'USDC', '--live']
  const ended = await runBallast([...sell, '--config', other])
  expect(ended.code).toBe(2)
  expect(ended.stderr).toContain(
    `The state folder cannot be written: ${file}. (STATE_FOLDER_UNUSABLE)`,
  )
  expect(ended.stderr).toContain('set stateFolder')
  expect(await swappedEvents(fork.rpc, fork.ready)).toEqual([])
})

test('the node is away and another process spends at the start: both are waited for, and then it trades', async (own) => {
  const fork = await openFork(own)
  const first = await openBot(fork)
  let isAway = true
  const proxy = await startRpcProxy(fork.ready.rpcUrl, {
    before: () => (isAway ? 'drop' : undefined),
  })
  own.onTestFinished(() => proxy.close())
  const bot = run(own, configured(fork, '2900 USDC'), { RPC_URL: proxy.url })
  await bot.says(/^WAITING .* \(UNREACHABLE\)$/m)
  isAway = false
  await bot.says(/^WAITING .* \(JOURNAL_LOCKED\)$/m)
  await first.close()
  await bot.says('SETTLED seller')
  bot.child.kill('SIGTERM')
  expect((await bot.ended).code).toBe(0)
})

/** All files of a journal go elsewhere, as with `mv ballast.db* elsewhere`; another call brings them back. */
function moveJournal(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from).filter((one) => one.startsWith('ballast.db')))
    renameSync(join(from, name), join(to, name))
}

test('its journal is moved in the middle of a swap: that one settles, none follows, a person is called', async (own) => {
  const fork = await openFork(own)
  const elsewhere = join(fork.dataDir, 'elsewhere')
  const { proxy, sent } = await stopBlocksAtSend(own, fork)
  const bot = run(own, configured(fork, '2900 USDC'), { RPC_URL: proxy.url })
  await sent
  moveJournal(fork.dataDir, elsewhere)
  await fork.rpc.request(anvilCalls.mineEvery(1))
  const { code, stdout, stderr } = await bot.ended
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('JOURNAL_MOVED') })
  expect(stdout).toContain('SETTLED seller')
  expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(1)
  moveJournal(elsewhere, fork.dataDir)
  expect(await history(fork.ready.config)).toMatchObject([{ state: 'SETTLED' }])
})

test('its journal is moved while it waits: it ends, and status does not speak of a new one', async (own) => {
  const fork = await openFork(own)
  const config = configured(fork, '999999 USDC')
  const bot = run(own, config)
  await bot.says('WAIT ')
  const path = join(fork.dataDir, 'ballast.db')
  bot.child.kill('SIGSTOP')
  renameSync(path, `${path}.old`)
  const status = await callCli(['status', '--config', config], { cwd: '/' })
  expect(status.stdout).toContain(
    `no journal at ${path}, yet process ${bot.child.pid} spends from one: its file was moved or deleted.`,
  )
  bot.child.kill('SIGCONT')
  const { code, stderr } = await bot.ended
  expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining('JOURNAL_MOVED') })
})

test('[LOCAL-23] a journal with flipped bytes: nothing starts', async (own) => {
  const fork = await openFork(own)
  await (await openBot(fork)).close()
  const path = join(fork.dataDir, 'ballast.db')
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0xff, 4_096, 12_288))
  await expect(openBot(fork)).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE', remedy: 'halt' })
})

test('[LOCAL-27] [CHAIN-13] two bots with one key and a journal each: the second stops at the first foreign nonce', async (own) => {
  const fork = await openFork(own)
  const dataDir = join(fork.dataDir, 'elsewhere')
  mkdirSync(dataDir)
  copyFileSync(join(fork.dataDir, '.env'), join(dataDir, '.env'))
  const wish = { sell: '1 ETH', buy: 'USDC', floor: '2900 USDC' }
  const first = await openBot(fork)
  const second = await openBot({ ready: fork.ready, dataDir })
  expect((await first.swap(wish)).record.state).toBe('SETTLED')
  const { record, failure } = await second.swap(wish)
  expect(failure).toMatchObject({ code: 'NONCE_DIVERGED', remedy: 'halt' })
  expect(record.attempts).toEqual([])
  await second.close()
  await expect(openBot({ ready: fork.ready, dataDir })).rejects.toMatchObject({
    code: 'NONCE_FOREIGN',
  })
  expect((await first.swap(wish)).record.state).toBe('SETTLED')
  await first.close()
  expect(await swappedEvents(fork.rpc, fork.ready)).toHaveLength(2)
})
