/**
 * From the bytes of a firm quote to the transaction at the node: `ballast run` with every check, policy, simulation and
 * durable commit, beside a plain script of viem and beside bytes that were signed before. All three take turns on one
 * chain with blocks of a second, so other work on the machine touches all alike; a ratio is that of medians.
 *
 * `node bench/hotPath.ts [--swaps 30] [--starts 5] [--rtt 50]`: then the same with so many milliseconds on each round trip.
 */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { systemClock } from '../src/core/clock.ts'
import { readWorld } from '../src/sandbox/readWorld.ts'
import { startSandbox } from '../src/sandbox/startSandbox.ts'
import { silent } from '../test/support/silent.ts'
import { median } from './measure.ts'
import { type Passed, startTap } from './tap.ts'

const { values } = parseArgs({
  options: {
    swaps: { type: 'string', default: '30' },
    starts: { type: 'string', default: '5' },
    rtt: { type: 'string', default: '50' },
    main: { type: 'string', default: 'src/main.ts' },
    prof: { type: 'string' },
  },
})
const swaps = Number(values.swaps)
const starts = Number(values.starts)
const dir = mkdtempSync(join(tmpdir(), 'ballast-hot-'))
const world = readWorld(fileURLToPath(new URL('../src/sandbox/world.yaml', import.meta.url)))
const sandbox = await startSandbox({
  world: {
    ...world,
    wallets: { ...world.wallets, script: { native: '100', WETH: '100' } },
  },
  dataDir: dir,
  clock: systemClock,
  log: silent,
})
const { ready } = sandbox

/** The instants of one swap, at the caller's side. */
type Swap = { quotedAt: number; simulationAt: number; simulatedAt: number; sentAt: number }

let rtt = 0
/** A caller's own way to node and service, and the instants of what it swaps. */
async function startWays() {
  const found: Swap[] = []
  let now: Partial<Swap> = {}
  let isFirm = false
  const onService = ({ at, way, text }: Passed) => {
    if (way === 'there') isFirm = text.includes('GET /v1/firm-quote')
    else if (isFirm) {
      // With the first of its bytes: what comes later may come after the answer was understood.
      isFirm = false
      now = { quotedAt: at }
    }
  }
  const onNode = ({ at, way, text }: Passed) => {
    if (now.quotedAt === undefined) return
    if (way === 'back') {
      if (now.simulationAt !== undefined) now.simulatedAt = at
    } else if (text.includes('"eth_sendRawTransaction"')) {
      found.push({ simulationAt: Number.NaN, simulatedAt: Number.NaN, ...now, sentAt: at } as Swap)
      now = {}
    } else if (/"eth_simulateV1"|"eth_fillTransaction"/.test(text)) now.simulationAt = at
  }
  const delayMs = () => rtt / 2
  const service = await startTap(ready.serviceUrl, { delayMs, onPass: onService })
  const node = await startTap(ready.rpcUrl, { delayMs, onPass: onNode })
  return { found, service, node, close: () => Promise.all([service.close(), node.close()]) }
}

const [own, plain] = [await startWays(), await startWays()]
const config = join(dir, 'hot.yaml')
writeFileSync(
  config,
  readFileSync(ready.config, 'utf8')
    .replace(/strategies:\n(?: {2}.*\n)+/, () =>
      [
        'strategies:',
        '  - name: hot',
        '    use: threshold',
        '    params: { sell: 0.05 WETH, buy: USDC, price: 1000 USDC, every: 1s, repeat: always, limit: 90 WETH }',
        '',
      ].join('\n'),
    )
    .replace('  notional:', '  allowances: [100000 WETH]\n  notional:')
    .replace(ready.rpcUrl, own.node.url)
    .replace(ready.serviceUrl, own.service.url)
    .replace('port: 8787', 'port: 0'),
)
const startBot = () =>
  spawn(
    process.execPath,
    [
      '--no-warnings',
      ...(values.prof === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.prof}`]),
      values.main,
      ...['run', '--config', config],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
let bot = startBot()
const query = new URLSearchParams({
  ...{ src_chain: 'local', dst_chain: 'local', amount: '0.05' },
  token_in: ready.tokens.WETH?.address ?? '',
  token_out: ready.tokens.USDC?.address ?? '',
  from_address: ready.wallets.script?.address ?? '',
  ...{ expiry_time: '30', slippage: '1' },
}).toString()
const script = fork(fileURLToPath(new URL('plainScript.ts', import.meta.url)), [
  ...[plain.node.url, plain.service.url, ready.wallets.script?.privateKey ?? '', query],
  ...[ready.tokens.WETH?.address ?? '', ready.router],
])
await once(script, 'message')
const turn = async (name: 'plain' | 'floor'): Promise<Swap> => {
  const before = plain.found.length
  script.send(name)
  await once(script, 'message')
  const swap = plain.found[before]
  if (swap === undefined) throw new Error(`${name} sent nothing`)
  return swap
}

/** All three, one after the other, so often. */
async function measure(count: number) {
  const taken = { own: [] as Swap[], plain: [] as Swap[], floor: [] as Swap[] }
  for (let round = 0; round < count; round += 1) {
    const before = own.found.length
    const patience = Date.now() + 60_000
    while (own.found.length === before) {
      if (bot.exitCode !== null || Date.now() > patience) throw new Error('the bot swaps nothing')
      await sleep(1)
    }
    taken.own.push(own.found[before] as Swap)
    await sleep(150)
    taken.floor.push(await turn('floor'))
    taken.plain.push(await turn('plain'))
  }
  return taken
}

const whole = ({ quotedAt, sentAt }: Swap) => sentAt - quotedAt
const line = (name: string, swaps: readonly Swap[], floor: number, script: number) => {
  const of = (figure: (swap: Swap) => number) => median(swaps.map(figure)).toFixed(1).padStart(7)
  const all = median(swaps.map(whole))
  console.log(
    `${name.padEnd(12)}${of(whole)}${of((one) => one.simulationAt - one.quotedAt)}${of((one) => one.simulatedAt - one.simulationAt)}${of((one) => one.sentAt - one.simulatedAt)}` +
      `   ${(all / floor).toFixed(2).padStart(6)} × floor ${(all / script).toFixed(3).padStart(6)} × script`,
  )
}

try {
  // The first swap of all waits for its approval, which is what it sends first; the firsts of later starts do not.
  const [approval] = (await measure(1)).own
  const firsts: Swap[] = []
  while (firsts.length < starts) {
    // It waits for a swap that is under way.
    bot.kill('SIGTERM')
    await once(bot, 'exit')
    bot = startBot()
    firsts.push(...(await measure(1)).own)
  }
  const shown = (some: readonly Swap[]) => median(some.map(whole)).toFixed(1).padStart(7)
  if (approval !== undefined) console.log(`approval    ${shown([approval])} ms`)
  console.log(`first swap  ${shown(firsts)} ms, median of ${starts} starts`)
  await measure(2)
  for (const delay of [0, Number(values.rtt)]) {
    rtt = delay
    if (delay > 0) await measure(1)
    const taken = await measure(delay === 0 ? swaps : Math.ceil(swaps / 2))
    console.log(`\n${delay} ms on each round trip, ${taken.own.length} swaps; medians in ms`)
    console.log(`${''.padEnd(12)}  whole  quote→   node  →sent`)
    const [floor, plainMs] = [median(taken.floor.map(whole)), median(taken.plain.map(whole))]
    line('floor', taken.floor, floor, plainMs)
    line('script', taken.plain, floor, plainMs)
    line('ballast run', taken.own, floor, plainMs)
  }
} finally {
  bot.kill('SIGTERM')
  await once(bot, 'exit')
  script.kill()
  await Promise.all([own.close(), plain.close()])
  await sandbox.close()
  rmSync(dir, { recursive: true, force: true })
}
