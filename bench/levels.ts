/**
 * What it costs to trust no quote: verify, permit and simulate of one firm quote, all levels, against a node on this
 * machine. Printed, never asserted: machines differ. That it is one JSON-RPC batch is counted in the same run.
 *
 * `node bench/levels.ts [--rounds 50]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { openMarket } from '../src/app/openMarket.ts'
import { readingStages } from '../src/app/readingStages.ts'
import type { Rpc } from '../src/chain/rpc/rpc.ts'
import { loadConfig } from '../src/config/loadConfig.ts'
import { systemClock as clock } from '../src/core/clock.ts'
import { readWorld } from '../src/sandbox/readWorld.ts'
import { startSandbox } from '../src/sandbox/startSandbox.ts'
import { nothingSpent, planned } from '../test/support/planned.ts'
import { median } from './measure.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } })
const folder = mkdtempSync(join(tmpdir(), 'ballast-bench-'))
const world = readWorld(fileURLToPath(new URL('../src/sandbox/fixed.yaml', import.meta.url)))
const sandbox = await startSandbox({
  world,
  dataDir: folder,
  clock,
  log: pino({ level: 'silent' }),
})
const config = loadConfig({ file: sandbox.ready.config, environment: {}, cwd: folder })
const market = await openMarket(config, clock)

let exchanges = 0
const rpc: Rpc = {
  ...market.rpc,
  request: (call) => {
    exchanges += 1
    return market.rpc.request(call)
  },
  batch: (calls) => {
    exchanges += 1
    return market.rpc.batch(calls)
  },
}
const stages = readingStages({
  config,
  market: { ...market, rpc },
  spending: { spent: async () => nothingSpent, quoteSeen: async () => false },
  nextNonce: undefined,
  clock,
})

try {
  for (let warm = 0; warm < 20; warm++) await measure('1 ETH', '2900 USDC')
  for (const [sell, floor] of [
    ['1 ETH', '2900 USDC'],
    ['1 WETH', '2900 USDC'],
  ] as const) {
    const took = {
      offline: [] as number[],
      all: [] as number[],
      own: [] as number[],
      exchanges: [] as number[],
    }
    while (took.all.length < Number(values.rounds)) {
      const round = await measure(sell, floor)
      // A block in the middle of the look is refused, as it should be; it is no figure.
      if (round === undefined) continue
      took.offline.push(round.offline)
      took.all.push(round.all)
      took.own.push(round.own)
      took.exchanges.push(round.exchanges)
    }
    const counts = [...new Set(took.exchanges)].join(', ')
    console.log(
      `${sell.padEnd(8)} verify ${median(took.offline).toFixed(1)} ms, all levels ${median(took.all).toFixed(1)} ms (own processor time ${median(took.own).toFixed(1)} ms)   target <= 15 ms   batches ${counts}   target 1`,
    )
  }
} finally {
  await market.close()
  await sandbox.close()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(sell: string, floor: string) {
  const plan = await planned({ config, market }, { sell, buy: 'USDC', floor })
  const quoted = await stages.quote(await stages.appraise(await stages.fund(plan)))
  exchanges = 0
  const cpu = process.cpuUsage()
  const started = performance.now()
  const verified = await stages.verify(quoted)
  const offline = performance.now() - started
  const permitted = await stages.permit(verified)
  const simulated = await stages.simulate(permitted).catch(() => undefined)
  const all = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  return simulated && { offline, all, exchanges, own: (user + system) / 1_000 }
}
