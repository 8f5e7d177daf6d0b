/**
 * Swaps per minute of a fleet with one, two and four workers, over the same wallets on two chains with blocks of a second.
 * Each number of workers takes its turn in every round, so that the machine's other load is everybody's.
 *
 * `node bench/fleet.ts [--workers 1,2,4] [--wallets 4] [--swaps 120] [--rounds 2]`
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { progressOf } from '../test/fleet/judgeFleet.ts'
import { openFleet } from '../test/fleet/openFleet.ts'
import { startPostgres } from '../test/support/startPostgres.ts'
import { median } from './measure.ts'

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '1,2,4' },
    wallets: { type: 'string', default: '4' },
    swaps: { type: 'string', default: '120' },
    rounds: { type: 'string', default: '2' },
  },
})
const counts = values.workers.split(',').map(Number)
const [wallets, swaps, rounds] = [values.wallets, values.swaps, values.rounds].map(Number) as [
  number,
  number,
  number,
]
/** Every wallet has begun by then. */
const warm = 2 * 2 * wallets

type Run = {
  readonly perMinute: number
  /** Seconds of processor time of the workers for a swap. */
  readonly cpuEach: number
  /** Part of the machine that was busy with anything. */
  readonly busy: number
}

const busyTicks = () =>
  cpus().reduce(
    (sum, { times }) => ({
      busy: sum.busy + times.user + times.sys + times.nice + times.irq,
      all: sum.all + times.user + times.sys + times.nice + times.irq + times.idle,
    }),
    { busy: 0, all: 0 },
  )

/** Processor time of a process, in seconds. */
function cpuOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

async function run(workers: number): Promise<Run> {
  const dir = mkdtempSync(join(tmpdir(), 'ballast-bench-'))
  const postgres = await startPostgres(tmpdir())
  const server = postgres.url
  const fleet = await openFleet({ dir, server, chains: 2, wallets, swaps: warm + swaps + 200 })
  await fleet.start('scheduler')
  for (let nth = 0; nth < workers; nth += 1) await fleet.start('worker')
  const settledBy = async (count: number) => {
    for (;;) {
      const { settled } = await progressOf(server)
      if (settled >= count) return settled
      await delay(250)
    }
  }
  const spent = () =>
    fleet.processes.reduce((sum, { running }) => sum + cpuOf(running.child.pid), 0)
  const first = await settledBy(warm)
  const [began, ticks, cpu] = [performance.now(), busyTicks(), spent()]
  const last = await settledBy(first + swaps)
  const seconds = (performance.now() - began) / 1_000
  const after = busyTicks()
  const done = last - first
  const result = {
    perMinute: (done / seconds) * 60,
    cpuEach: (spent() - cpu) / done,
    busy: (after.busy - ticks.busy) / (after.all - ticks.all),
  }
  await fleet[Symbol.asyncDispose]()
  await postgres.close()
  rmSync(dir, { recursive: true, force: true })
  return result
}

const runs = new Map<number, Run[]>(counts.map((count) => [count, []]))
for (let round = 0; round < rounds; round += 1)
  for (const count of counts) runs.get(count)?.push(await run(count))

const first = median((runs.get(counts[0] ?? 1) ?? []).map(({ perMinute }) => perMinute))
console.log(`${2 * wallets} wallets on 2 chains, ${swaps} swaps a run, ${rounds} rounds`)
console.log('workers  swaps/min  against the first  worker cpu s/swap  machine busy')
for (const [count, each] of runs) {
  const rate = median(each.map(({ perMinute }) => perMinute))
  const cpu = median(each.map(({ cpuEach }) => cpuEach))
  const busy = median(each.map((one) => one.busy))
  console.log(
    [
      String(count).padStart(7),
      rate.toFixed(0).padStart(10),
      `${(rate / first).toFixed(2)} x`.padStart(18),
      cpu.toFixed(3).padStart(18),
      `${(100 * busy).toFixed(0)} %`.padStart(13),
    ].join(' '),
  )
}
