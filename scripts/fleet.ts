import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { judgeFleet, progressOf } from '../test/fleet/judgeFleet.ts'
import { openFleet } from '../test/fleet/openFleet.ts'
import { restartEnded, type Strike, strikes } from '../test/fleet/strikes.ts'
import { createRandom } from '../test/simulator/random.ts'
import { startPostgres } from '../test/support/startPostgres.ts'

// npm run fleet -- [--workers 4] [--chains 2] [--wallets 10] [--swaps 2000] [--every 15] [--minutes 20] [--seed 1]: workers
// on one PostgreSQL server trade wallets on two chains until the limit of the treasury is used up to the last swap. They
// are killed, stopped, paused and cut off at random, and the server loses its power once. At the end every swap must be
// decided, the chain must have what the books say, and no limit be exceeded.
const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '4' },
    chains: { type: 'string', default: '2' },
    wallets: { type: 'string', default: '10' },
    swaps: { type: 'string', default: '2000' },
    every: { type: 'string', default: '15' },
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
})
const [workers, chains, wallets, swaps, every, minutes, seed] = [
  values.workers,
  values.chains,
  values.wallets,
  values.swaps,
  values.every,
  values.minutes,
  values.seed,
].map(Number) as [number, number, number, number, number, number, number]

const dir = mkdtempSync(join(tmpdir(), 'ballast-fleet-'))
const postgres = await startPostgres(tmpdir())
const fleet = await openFleet({ dir, server: postgres.url, chains, wallets, swaps })
const random = createRandom(seed)
const struck: Record<string, number> = {}
const began = Date.now()
const end = began + minutes * 60_000
await fleet.start('scheduler')
for (let nth = 0; nth < workers; nth += 1) await fleet.start('worker')

const over = new AbortController()
/** One process after another, so that the others can take over what it had. */
async function strike(): Promise<void> {
  const names = Object.keys(strikes) as Strike[]
  while (!over.signal.aborted) {
    await delay(every * 1_000, undefined, { signal: over.signal }).catch(() => undefined)
    if (over.signal.aborted) return
    const name = random.pick(names)
    const process = random.pick(fleet.processes)
    struck[name] = (struck[name] ?? 0) + 1
    await strikes[name](fleet, process, random)
    restartEnded(fleet)
  }
}
const striking = strike()
let crashed = false
let progress = await progressOf(postgres.url)
while (Date.now() < end && (progress.settled < swaps || progress.open > 0)) {
  await delay(5_000)
  restartEnded(fleet)
  if (!crashed && progress.settled > swaps / 2) {
    crashed = true
    await postgres.crash()
  }
  progress = await progressOf(postgres.url).catch(() => progress)
  console.error(`${Math.round((Date.now() - began) / 1_000)} s`, JSON.stringify(progress))
}
over.abort()
await striking
// What is under way when the time is over is decided, not counted.
const seconds = Math.round((Date.now() - began) / 1_000)
for (const { running } of fleet.processes) running.child.kill('SIGTERM')
for (const { running } of fleet.processes) await running.ended
const wrong = [
  ...(progress.settled === swaps ? [] : [`${progress.settled} of ${swaps} swaps settled`]),
  ...(await judgeFleet(fleet, postgres.url)),
]
console.log(
  JSON.stringify(
    {
      seconds,
      workers,
      chains,
      wallets: chains * wallets,
      seed,
      ...progress,
      struck,
      crashed,
      wrong,
    },
    null,
    2,
  ),
)
await fleet[Symbol.asyncDispose]()
await postgres.close()
rmSync(dir, { recursive: true, force: true })
process.exitCode = wrong.length === 0 ? 0 : 1
