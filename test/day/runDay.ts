import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isFinal } from '../../src/bot/state.ts'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import type { Clock } from '../../src/core/clock.ts'
import { readWorld } from '../../src/sandbox/readWorld.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { startSandbox } from '../../src/sandbox/startSandbox.ts'
import type { SandboxWorld } from '../../src/sandbox/world.ts'
import type { Example } from '../../src/sandbox/writeConfig.ts'
import { openTapeWriter } from '../../src/tape/openTapeWriter.ts'
import { recordMarket } from '../../src/tape/recordMarket.ts'
import { callCli } from '../cli/callCli.ts'
import { balances } from '../support/balances.ts'
import { startRpcProxy } from '../support/rpcProxy.ts'
import { type ServiceAnswer, startServiceProxy } from '../support/serviceProxy.ts'
import { silent } from '../support/silent.ts'
import { keepTime } from './keepTime.ts'
import { openDay } from './openDay.ts'
import { virtualClock } from './virtualClock.ts'

const hourMs = 3_600_000
/** Real time. */
const patienceMs = 120_000

/** A block comes every 12 seconds, and one more whenever the bot wakes up. */
const blocksInHourMost = 1_000

/** When the bot dies, and for how long it stays dead; from the start. */
export type Death = { readonly atMs: number; readonly forMs: number }

/** The day's market while it is still there, and the bot is not any more. */
export type Evening = {
  readonly rpcUrl: string
  readonly market: string
  readonly config: string
  readonly journal: string
  /** Every answer of the quoting service, as it passed. */
  readonly tape: readonly ServiceAnswer[]
  readonly ask: (...argv: string[]) => ReturnType<typeof callCli>
}

type Day<found> = {
  readonly dir: string
  readonly hours: number
  /** The `strategies:` of its configuration, in YAML; or all that the sandbox writes for one that trades so. */
  readonly strategies: string | Example
  readonly deaths: readonly Death[]
  /** Between two blocks while the bot waits for them, which are more while it does not; 12 unless it is given. */
  readonly blockSeconds?: number
  /** Of the walk that prices take; that of the world unless it is given. */
  readonly seed?: number
  /** Where the market is taped as the day goes by, and blocks come evenly; not taped without it. */
  readonly tape?: string
  readonly note?: (line: string) => void
  /** Changes the market before it opens. */
  readonly world?: (world: SandboxWorld) => SandboxWorld
  /** Looks at the market and the books before they are gone. */
  readonly judge?: (evening: Evening) => Promise<found>
}

/**
 * Runs the bot through hours that take minutes: a real process, journal, chain, service and makers, under a clock that
 * runs while nothing is done. It is killed as told; at the end it is stopped in good order.
 */
export async function runDay<found = undefined>(day: Day<found>) {
  const {
    dir,
    hours,
    strategies,
    deaths,
    blockSeconds = 12,
    seed,
    tape,
    note = () => {},
    judge,
    world: change = (same) => same,
  } = day
  mkdirSync(dir, { recursive: true })
  const clock = virtualClock(Date.now())
  const world = change(
    readWorld(fileURLToPath(new URL('../../src/sandbox/world.yaml', import.meta.url))),
  )
  const sandbox = await startSandbox({
    world: {
      ...world,
      chain: { ...world.chain, blockTimeSeconds: blockSeconds },
      ...(seed === undefined || world.prices === undefined
        ? {}
        : { prices: { ...world.prices, seed } }),
    },
    dataDir: join(dir, 'market'),
    ...(typeof strategies === 'string' ? {} : { example: strategies }),
    // Whoever judges a day reads what each of its blocks left.
    ...(judge === undefined ? {} : { statesMax: Math.ceil(hours * blocksInHourMost) }),
    clock,
    log: silent,
  })
  // A node on a busy machine stands still for seconds: that is no end of the day.
  const rpc = createRpc({ url: sandbox.ready.rpcUrl, timeoutMs: patienceMs })
  await rpc.request(anvilCalls.mineEvery(0))

  let bot: ChildProcess | undefined
  const time = await keepTime({
    clock,
    rpc,
    blockMs: blockSeconds * 1_000,
    isTaped: tape !== undefined,
    async onStep() {
      if (bot?.connected !== true || bot.exitCode !== null || bot.signalCode !== null) return
      const ended = new AbortController()
      const { signal } = ended
      const settled = Promise.race([
        once(bot, 'message', { signal }),
        once(bot, 'exit', { signal }),
      ])
      // Its pipe may be gone before its end is heard of, which is what is waited for then.
      bot.send(clock.now(), () => {})
      await settled
      ended.abort()
    },
  })
  const node = await startRpcProxy(sandbox.ready.rpcUrl, {
    ...{ hold: time.hold, ready: time.onCall },
  })
  const service = await startServiceProxy(sandbox.ready.serviceUrl, time.hold)
  const config = join(dir, 'ballast.yaml')
  const journal = join(dir, 'ballast.db')
  copyFileSync(join(dir, 'market', '.env'), join(dir, '.env'))
  const written = readFileSync(sandbox.ready.config, 'utf8')
  writeFileSync(
    config,
    `${(typeof strategies === 'string' ? forWeights(written, strategies) : written)
      .replace(sandbox.ready.rpcUrl, node.url)
      .replace(sandbox.ready.serviceUrl, service.url)
      .replace('confirmations: 2', `confirmations: 2, blockTime: ${blockSeconds}s`)
      .replace('port: 8787', 'port: 0')}`,
  )

  const said: string[] = []
  /** A process takes a second to come up, which is no quarter of an hour here. */
  const start = async (): Promise<ChildProcess> => {
    const main = fileURLToPath(new URL('bot.ts', import.meta.url))
    let child: ChildProcess | undefined
    await time.during(async () => {
      const started = spawn(
        process.execPath,
        ['--no-warnings', main, `${clock.now()}`, 'run', '--config', config],
        { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
      )
      child = started
      bot = started
      const { stdout, stderr } = started
      if (stdout === null || stderr === null) throw new Error('its streams are pipes')
      for (const stream of [stdout, stderr])
        stream.on('data', (chunk) => {
          said.push(String(chunk))
          note(String(chunk).trimEnd())
        })
      await Promise.race([once(stdout, 'data'), once(started, 'exit')])
    })
    if (child === undefined) throw new Error('the bot was started')
    return child
  }

  const held = await balances(rpc, sandbox.ready)
  const taping = new AbortController()
  const taped =
    tape === undefined
      ? undefined
      : tapeDay({ dir: tape, config: sandbox.ready.config, rpc, clock, signal: taping.signal })
  const startedAt = clock.now()
  const until = async (child: ChildProcess, at: number) => {
    while (clock.now() < at && child.exitCode === null) await clock.sleep(1_000)
  }
  const exits: string[] = []
  let kills = 0
  try {
    for (const { atMs, forMs } of deaths) {
      const doomed = await start()
      await until(doomed, startedAt + atMs)
      if (doomed.exitCode !== null) break
      doomed.kill('SIGKILL')
      await once(doomed, 'exit')
      kills += 1
      await clock.sleep(forMs)
    }
    const last = await start()
    await until(last, startedAt + hours * hourMs)
    const endedAt = clock.now()
    // What is under way may end: a day is judged by what came of it.
    while (last.exitCode === null && openSwaps(journal) > 0) await clock.sleep(1_000)
    if (last.exitCode === null) {
      last.kill('SIGTERM')
      await once(last, 'exit')
    }
    exits.push(`${last.exitCode ?? last.signalCode}`)
    const ask = (...argv: string[]) => callCli([...argv, '--config', config], { cwd: dir, clock })
    return await time.during(async () => ({
      startedAt,
      heldBefore: held,
      endedAt,
      kills,
      exits,
      config,
      journal,
      said: said.join(''),
      blocks: await rpc.request({ method: 'eth_blockNumber', params: [], parse: Number }),
      reconcile: await ask('reconcile', '--json'),
      audit: await ask('audit', 'verify', '--json'),
      held: await balances(rpc, sandbox.ready),
      /** USDC for one WETH. */
      price: await priceOf(ask),
      found: await judge?.({
        ...{ config, journal, ask, tape: service.tape },
        ...{ rpcUrl: sandbox.ready.rpcUrl, market: join(dir, 'market') },
      }),
    }))
  } finally {
    taping.abort()
    await taped
    if (bot?.exitCode === null && bot.signalCode === null) bot.kill('SIGKILL')
    await time.stop()
    await node.close()
    await service.close()
    await rpc.close()
    await sandbox.close()
  }
}

/** Whoever keeps weights sells in slices that the market bears, not in those of the example. */
const forWeights = (written: string, strategies: string) =>
  written
    .replace(/strategies:\n(?: {2}.*\n)+/, () => strategies)
    .replace(/perSwap: \[.*\]/, 'perSwap: [40 ETH, 40 WETH, 120000 USDC]')

/** Tapes what the bot's market says, by the bot's own recorder and past its proxies: nobody takes it for the bot. */
async function tapeDay({
  dir,
  config,
  rpc,
  clock,
  signal,
}: {
  dir: string
  config: string
  rpc: Rpc
  clock: Clock
  signal: AbortSignal
}) {
  const { chain, service, wallet } = loadConfig({
    ...{ file: config, environment: {}, cwd: dirname(config), needs: 'market' },
  })
  const header = {
    format: 1,
    source: 'recorded',
    chain: chain.name,
    chainId: chain.chainId,
    service: service.url.reveal(),
  } as const
  const writer = await openTapeWriter({ dir, bytesMax: 2 ** 31, header, note: () => {} })
  try {
    await recordMarket({
      ...{ service, rpc, chain: chain.name, wallet: wallet.address, watches: [], writer },
      ...{ everyMs: 500, forMs: undefined, clock, monotonic: clock.now, signal },
    })
  } finally {
    await writer.close()
  }
}

async function priceOf(ask: (...argv: string[]) => ReturnType<typeof callCli>): Promise<number> {
  const { code, stdout, stderr } = await ask('quote', '--sell', '1 WETH', '--buy', 'USDC', '--json')
  if (code !== 0) throw new Error(`no price: ${stdout}${stderr}`)
  const { buy } = JSON.parse(stdout) as { buy: { text: string } }
  return Number(buy.text)
}

/** Swaps of the journal that are not decided. */
function openSwaps(journal: string): number {
  const { swaps, close } = openDay(journal)
  close()
  return swaps.filter(({ state }) => !isFinal(state)).length
}
