import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { keccak256 } from 'viem'
import { exitCodes } from '../src/cli/exitCodes.ts'
import { callCli } from '../test/cli/callCli.ts'
import { faultyAtRandom } from '../test/crash/faultyAtRandom.ts'
import { judge } from '../test/crash/judge.ts'
import { openField } from '../test/crash/openField.ts'
import { inFile } from '../test/crash/openPlace.ts'
import { isDecided } from '../test/crash/readJournal.ts'
import { balances } from '../test/support/balances.ts'
import { startBallast } from '../test/support/runBallast.ts'

// npm run soak -- --minutes 10 [--seed 1]: a bot with four strategies trades through a node that fails, on a chain that
// is reorganised, and is killed again and again; at the end everything must be decided, and journal and chain agree.
const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } },
})
const faultsPerMille = 50
const blocksPerReorg = 50
const killEveryMs = 120_000
/** Once nothing fails any more, a swap is decided in less: its deadline and some blocks. */
const healMsMax = 180_000

const own = mkdtempSync(join(tmpdir(), 'ballast-soak-'))
const field = await openField(join(own, 'field'), { blockMs: 1_000 })
const { chain, node, ready, rpc, scene } = field
const dir = join(own, 'bot')
mkdirSync(dir)
copyFileSync(join(field.dataDir, '.env'), join(dir, '.env'))
const journal = inFile(dir)

const busy = writeBot('busy.yaml', [
  ['sell-weth', 'threshold', 'sell: 0.05 WETH, buy: USDC, price: 2000 USDC, every: 3s'],
  ['buy-weth', 'threshold', 'sell: 150 USDC, buy: WETH, price: 0.0002 WETH, every: 4s'],
  ['sell-eth', 'threshold', 'sell: 0.01 ETH, buy: USDC, price: 2000 USDC, every: 5s'],
  [
    'dca-weth',
    'dca',
    'sell: 100 USDC, buy: WETH, cron: "* * * * *", timeZone: Europe/Berlin, tolerance: 50 bps',
  ],
])
const idle = writeBot('idle.yaml', [
  ['idle', 'threshold', 'sell: 1 WETH, buy: USDC, price: 999999 USDC, every: 1s'],
])

const base = await chain.headNumber()
const before = await balances(rpc, ready)
const faulty = faultyAtRandom({ perMille: faultsPerMille, seed: Number(values.seed) })
node.bend(faulty.bend)

const seen = { kills: 0, exits: [] as string[], reorgs: 0, dropped: 0, rssMaxKiB: 0 }
const breaks: string[] = []
const since = performance.now()
const end = since + Number(values.minutes) * 60_000
let nextKill = since + killEveryMs
let nextReorg = base + blocksPerReorg
let bot = start(busy)
let shownAt = since

while (performance.now() < end) {
  await delay(250)
  seen.rssMaxKiB = Math.max(seen.rssMaxKiB, rssOf(bot.child.pid))
  if (bot.child.exitCode !== null) {
    const { code, stderr } = await bot.ended
    seen.exits.push(`${code}: ${stderr.trim().split('\n').at(-1)?.slice(0, 300)}`)
    if (code !== exitCodes.again) break
    bot = start(busy)
  }
  if (performance.now() >= nextKill) {
    nextKill += killEveryMs
    bot.child.kill('SIGKILL')
    await bot.ended
    seen.kills += 1
    bot = start(busy)
  }
  if ((await chain.headNumber()) >= nextReorg) {
    nextReorg += blocksPerReorg
    await scene.still(reorganise)
  }
  if (performance.now() - shownAt > 30_000) {
    shownAt = performance.now()
    const { swaps } = await journal.rows()
    console.error(
      `${Math.round((shownAt - since) / 1_000)} s: ${swaps.length} swaps, ${faulty.count()} faults, ${seen.kills} kills, ${seen.reorgs} reorgs`,
    )
  }
}

faulty.heal()
bot.child.kill('SIGKILL')
await bot.ended
const last = start(idle)
const healed = performance.now() + healMsMax
let said = ''
last.child.stdout?.on('data', (chunk) => {
  said += chunk
})
while (!(isDecided(await journal.rows()) && /^(WAIT|LOCKED) /m.test(said))) {
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
// A node that is away may end a start; anything else is for a person, and nothing here may lead to it.
breaks.push(...seen.exits.filter((exit) => !exit.startsWith(`${exitCodes.again}:`)))
const audit = await callCli(['audit', 'verify', '--json', '--config', idle], { cwd: dir })
if (audit.code !== 0) breaks.push(`audit: ${audit.stdout}${audit.stderr}`)
const reconciled = await callCli(['reconcile', '--json', '--config', idle], {
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
      kills: seen.kills,
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
await field.close()
rmSync(own, { recursive: true, force: true })
process.exitCode = breaks.length === 0 ? 0 : 1

function start(config: string) {
  return startBallast(['run', '--port', '0', '--config', config], {
    preload: new URL('../test/crash/crashPoints.ts', import.meta.url).pathname,
    // No death at a step: only the patience with a node that is silent.
    env: { RPC_URL: node.url, CRASH_AT: '-1', PATIENCE_MS: '2000' },
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
  seen.reorgs += 1
  seen.dropped += gone.length
  if (seen.reorgs % 4 < 2) return
  const bytes = faulty.sent().filter((raw) => gone.includes(keccak256(raw)))
  for (const raw of bytes) await chain.offer(raw)
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
  writeFileSync(path, text)
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
