import type { FaultId } from './matrix.ts'
import type { Machine } from './openMachine.ts'
import { type Cast, type Outcome, rowsOf, simulate } from './simulate.ts'

/** How many seeds went together. */
export type Summary = {
  readonly seeds: number
  readonly seconds: number
  /** Of one processor; the others of a busy machine are not counted. */
  readonly cpuSeconds: number
  readonly crashes: number
  /** Times that something befell the bot. */
  readonly faults: number
  readonly swaps: number
  readonly settled: number
  readonly hits: Readonly<Partial<Record<FaultId, number>>>
  /** Seeds that broke an invariant. */
  readonly failures: readonly Outcome[]
}

/** Runs every `step`th seed from `first` on, until so many are through or too many of them failed. */
export async function runSeeds(
  machine: Machine,
  {
    first,
    count,
    step = 1,
    failuresMax = 5,
    always = [],
    cast = 'one',
  }: {
    first: number
    count: number
    step?: number
    /** More failures than these say nothing new. */
    failuresMax?: number
    always?: readonly FaultId[]
    cast?: Cast
  },
): Promise<Summary> {
  const startedAt = performance.now()
  const used = process.cpuUsage()
  const ids = rowsOf[cast]
  const hits = Object.fromEntries(ids.map((id) => [id, 0])) as Partial<Record<FaultId, number>>
  const failures: Outcome[] = []
  let [seeds, crashes, swaps, settled] = [0, 0, 0, 0]
  for (; seeds < count && failures.length < failuresMax; seeds++) {
    const outcome = await simulate(first + seeds * step, machine, { always, cast })
    crashes += outcome.crashes
    swaps += outcome.swaps
    settled += outcome.settled
    for (const id of ids) hits[id] = (hits[id] ?? 0) + (outcome.hits[id] ?? 0)
    if (outcome.violations.length > 0) failures.push(outcome)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(used)
  const cpuSeconds = (user + system) / 1_000_000
  const faults = ids.reduce((sum, id) => sum + (hits[id] ?? 0), 0)
  return { seeds, seconds, cpuSeconds, crashes, faults, swaps, settled, hits, failures }
}
