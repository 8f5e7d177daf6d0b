import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { keccak256 } from 'viem'
import { exitCodes } from '../src/cli/exitCodes.ts'
import { anvilCalls } from '../src/sandbox/startAnvil.ts'
import { callCli } from '../test/cli/callCli.ts'
import { faultyAtRandom } from '../test/crash/faultyAtRandom.ts'
import { judge } from '../test/crash/judge.ts'
import { openField } from '../test/crash/openField.ts'
import { inFile, onServer } from '../test/crash/openPlace.ts'
import { isDecided } from '../test/crash/readJournal.ts'
import { createRandom } from '../test/simulator/random.ts'
import { balances } from '../test/support/balances.ts'
import { openGate } from '../test/support/gate.ts'
import { startBallast } from '../test/support/runBallast.ts'
import { startPostgres } from '../test/support/startPostgres.ts'

// npm run soak -- --minutes 10 [--seed 1] [--database postgres]: a bot with four strategies trades through a node that
// fails, on a chain that is reorganised. The bot is killed, stopped and paused at random, and what it needs goes away: the
// node, the service, the journal's server. A supervisor that knows the exit codes alone starts it again. At the end every
// swap must be decided, every calendar slot accounted for, and journal and chain agree.
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    database: { type: 'string', default: 'sqlite' },
  },
})
const faultsPerMille = 50
const blocksPerReorg = 50
const blowEveryMs = 30_000
const awayMsMax = 40_000
/** Once nothing fails any more, a swap is decided in less: its deadline and some blocks. */
const healMsMax = 240_000
const minuteMs = 60_000

const own = mkdtempSync(join(tmpdir(), 'ballast-soak-'))
const field = await openField(join(own, 'field'), { blockMs: 1_000 })
const { chain, node, ready, rpc, scene } = field
const dir = join(own, 'bot')
mkdirSync(dir)
copyFileSync(join(field.dataDir, '.env'), join(dir, '.env'))
const postgres = values.database === 'postgres' ? await startPostgres(tmpdir()) : undefined
const portOf = (url: string) => Number(new URL(url).port)
const gates = {
  node: await openGate(portOf(node.url)),
  service: await openGate(portOf(ready.serviceUrl)),
  database: await openGate(portOf(postgres?.url ?? node.url)),
}
const journal =
  postgres === undefined
    ? inFile(dir)
    : await onServer({ url: postgres.url, template: 'template0' }, 'soak')

const everyMinute = [
  'dca-weth',
  'dca',
  'sell: 100 USDC, buy: WETH, cron: "* * * * *", timeZone: Europe/Berlin, tolerance: 50 bps',
] as const
const busy = writeBot('busy.yaml', [
  ['sell-weth', 'threshold', 'sell: 0.05 WETH, buy: USDC, price: 2000 USDC, every: 3s'],
  ['buy-weth', 'threshold', 'sell: 150 USDC, buy: WETH, price: 0.0002 WETH, every: 4s'],
  ['sell-eth', 'threshold', 'sell: 0.01 ETH, buy: USDC, price: 2000 USDC, every: 5s'],
  everyMinute,
])
const calm = writeBot('calm.yaml', [
  ['idle', 'threshold', 'sell: 1 WETH, buy: USDC, price: 999999 USDC, every: 1s'],
  everyMinute,
])

const base = await chain.headNumber()
const before = await balances(rpc, ready)
const faulty = faultyAtRandom({ perMille: faultsPerMille, seed: Number(values.seed) })
node.bend(faulty.bend)

const blows: Readonly<Record<string, () => Promise<void>>> = {
  async kill() {
    bot.child.kill('SIGKILL')
  },
  async stop() {
    bot.child.kill('SIGTERM')
  },
  async pause() {
    const { child } = bot
    child.kill('SIGSTOP')
    await delay(random.between(0, awayMsMax))
    child.kill('SIGCONT')
  },
  'node away': () => shut(gates.node),
  'service away': () => shut(gates.service),
  ...(postgres === undefined
    ? {}
    : { 'server away': () => shut(gates.database), 'server crash': () => postgres.crash() }),
}
const random = createRandom(Number(values.seed))

const seen = {
  blows: {} as Record<string, number>,
  exits: {} as Record<string, number>,
  reorgs: 0,
  dropped: 0,
  rssMaxKiB: 0,
}
const breaks: string[] = []
const since = performance.now()
const end = since + Number(values.minutes) * 60_000
let nextBlow = since + blowEveryMs
let nextReorg = base + blocksPerReorg
let bot = start(busy)
const firstSlot = Math.floor(Date.now() / minuteMs + 2) * minuteMs
let shownAt = since

while (performance.now() < end) {
  await delay(250)
  seen.rssMaxKiB = Math.max(seen.rssMaxKiB, rssOf(bot.child.pid))
  if (bot.child.exitCode !== null || bot.child.signalCode !== null) {
    const { code, stderr } = await bot.ended
    const exit = bot.child.signalCode ?? String(code)
    seen.exits[exit] = (seen.exits[exit] ?? 0) + 1
    if (!isSupervised(exit)) {
      breaks.push(`ended for a person, ${exit}: ${stderr.trim().split('\n').at(-1)?.slice(0, 300)}`)
      break
    }
    bot = start(busy)
  }
  if (performance.now() >= nextBlow) {
    nextBlow += blowEveryMs
    const [name, blow] = random.pick(Object.entries(blows))
    seen.blows[name] = (seen.blows[name] ?? 0) + 1
    await blow()
  }
  if ((await chain.headNumber()) >= nextReorg) {
    nextReorg += blocksPerReorg
    await scene.still(reorganise)
  }
  if (performance.now() - shownAt > 30_000) {
    shownAt = performance.now()
    const { swaps } = await journal.rows()
    console.error(
      `${Math.round((shownAt - since) / 1_000)} s: ${swaps.length} swaps, ${faulty.count()} faults, ${JSON.stringify(seen.blows)}, exits ${JSON.stringify(seen.exits)}, ${seen.reorgs} reorgs`,
    )
  }
}

const lastSlot = Math.floor(Date.now() / minuteMs) * minuteMs
faulty.heal()
bot.child.kill('SIGTERM')
await bot.ended
// It sells no more by its thresholds; its calendar goes on, and closes what is due.
const last = start(calm)
const healed = performance.now() + healMsMax
let said = ''
last.child.stdout?.on('data', (chunk) => {
  said += chunk
})
while (!(isDecided(await journal.rows()) && /^(WAIT|LOCKED) /m.test(said) && (await isDue()))) {
  if (last.child.exitCode !== null || performance.now() > healed) {
    breaks.push(`not recovered: exit ${last.child.exitCode}: ${said.slice(-300)}`)
    break
  }
  await delay(200)
}
last.child.kill('SIGTERM')
await last.ended

const rows = await journal.rows()
const wanted = rows.swaps.length
const verdict = await judge(field, { rows, base, before, wanted, foreign: false })
breaks.push(...verdict.breaks)
if (verdict.settled === 0) breaks.push('nothing was settled')
breaks.push(...(await slotBreaks()))
const audit = await callCli(['audit', 'verify', '--json', '--config', calm], { cwd: dir })
if (audit.code !== 0) breaks.push(`audit: ${audit.stdout}${audit.stderr}`)
const reconciled = await callCli(['reconcile', '--json', '--config', calm], {
  cwd: dir,
  environment: { RPC_URL: node.url },
})
if (reconciled.code !== 0) breaks.push(`reconcile: ${reconciled.stdout}${reconciled.stderr}`)
const states = Object.groupBy(rows.swaps, ({ state }) => state)
console.log(
  JSON.stringify(
    {
      minutes: Number(values.minutes),
      seed: Number(values.seed),
      seconds: Math.round((performance.now() - since) / 1_000),
      blocks: (await chain.headNumber()) - base,
      swaps: wanted,
      ends: Object.fromEntries(
        Object.entries(states).map(([state, found]) => [state, found?.length]),
      ),
      settled: verdict.settled,
      onChain: verdict.events,
      slots: await slotStates(),
      blows: seen.blows,
      exits: seen.exits,
      faults: faulty.count(),
      exchanges: node.seen(),
      reorgs: seen.reorgs,
      dropped: seen.dropped,
      doubles: verdict.doubles,
      lost: verdict.lost,
      phantoms: verdict.phantoms,
      rssMaxMiB: Math.round(seen.rssMaxKiB / 1_024),
      locks: rows.locks,
      breaks,
    },
    undefined,
    2,
  ),
)
await journal.close()
for (const gate of Object.values(gates)) await gate.close()
await field.close()
await postgres?.close()
rmSync(own, { recursive: true, force: true })
process.exitCode = breaks.length === 0 ? 0 : 1

function start(config: string) {
  return startBallast(['run', '--port', '0', '--config', config], {
    preload: new URL('../test/crash/crashPoints.ts', import.meta.url).pathname,
    // No death at a step: only the patience with a node that is silent.
    env: { RPC_URL: through(gates.node, node.url), CRASH_AT: '-1', PATIENCE_MS: '2000' },
  })
}

/** Takes one block or two away, and puts what was in them back, or leaves it to the bot. */
async function reorganise(): Promise<void> {
  const depth = 1 + (seen.reorgs % 2)
  const head = await chain.headNumber()
  const gone: string[] = []
  for (let height = head - depth + 1; height <= head; height += 1) {
    const block = await chain.ask('eth_getBlockByNumber', `0x${height.toString(16)}`, false)
    gone.push(...block.transactions)
  }
  await chain.reorg(depth)
  // The chain's clock went back with its blocks: after some of them its head would be called stale, rightly.
  await rpc.request(anvilCalls.setTime(Math.floor(Date.now() / 1_000)))
  seen.reorgs += 1
  seen.dropped += gone.length
  if (seen.reorgs % 4 < 2) return
  const bytes = faulty.sent().filter((raw) => gone.includes(keccak256(raw)))
  for (const raw of bytes) await chain.offer(raw)
}

/** A kill, a stop (the signal itself or 130 while it starts), or a cause that passes: a supervisor starts it again. */
function isSupervised(exit: string): boolean {
  const { done, interrupted, again } = exitCodes
  return ['SIGKILL', 'SIGTERM', done, interrupted, again].map(String).includes(exit)
}

/** Cuts the bot off from what is behind the gate, for a while. */
async function shut(gate: Awaited<ReturnType<typeof openGate>>): Promise<void> {
  gate.shut()
  await delay(random.between(0, awayMsMax))
  gate.open()
}

/** The address, with the gate's port in place of its own. */
function through(gate: { readonly port: number }, url: string): string {
  const address = new URL(url)
  address.port = String(gate.port)
  return String(address)
}

async function closedSlots() {
  const { slots } = await journal.rows()
  return slots.filter(({ strategy }) => strategy === everyMinute[0])
}

async function isDue(): Promise<boolean> {
  return (await closedSlots()).some(({ upto }) => Number(upto) >= lastSlot)
}

/** Every minute is closed once, and what is closed as done has one settled swap. */
async function slotBreaks(): Promise<readonly string[]> {
  const { swaps } = await journal.rows()
  const closed = await closedSlots()
  const found: string[] = []
  for (let minute = firstSlot; minute <= lastSlot; minute += minuteMs) {
    const rows = closed.filter(({ slot, upto }) => Number(slot) <= minute && minute <= Number(upto))
    const settled = swaps.filter(
      ({ strategy, slot, state }) =>
        strategy === everyMinute[0] && Number(slot) === minute && state === 'SETTLED',
    )
    if (rows.length !== 1) found.push(`slot ${minute} is closed ${rows.length} times`)
    if (settled.length !== (rows[0]?.state === 'done' ? 1 : 0))
      found.push(`slot ${minute} is ${rows[0]?.state} with ${settled.length} settled swaps`)
  }
  return found
}

async function slotStates(): Promise<Readonly<Record<string, number>>> {
  const groups = Object.groupBy(await closedSlots(), ({ state }) => state)
  return Object.fromEntries(
    Object.entries(groups).map(([state, rows]) => [state, rows?.length ?? 0]),
  )
}

function writeBot(name: string, strategies: readonly (readonly [string, string, string])[]) {
  const list = strategies
    .map(([id, use, params]) => `  - name: ${id}\n    use: ${use}\n    params: { ${params} }\n`)
    .join('')
  const text = readFileSync(ready.config, 'utf8').replace(
    /strategies:\n(?: {2}.*\n)+/,
    `strategies:\n${list}`,
  )
  const path = join(dir, name)
  writeFileSync(
    path,
    text
      .replace(ready.serviceUrl, through(gates.service, ready.serviceUrl))
      .replace(
        'sqlite:./ballast.db',
        postgres === undefined ? 'sqlite:./ballast.db' : through(gates.database, journal.setting),
      ),
  )
  return path
}

/** Resident memory now; 0 for a process that is gone. */
function rssOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0)
  } catch {
    return 0
  }
}
