import { describe, expect, test } from 'vitest'
import { type FaultId, leaseMatrix, matrix } from './matrix.ts'
import type { Machine } from './openMachine.ts'
import { explain, report } from './report.ts'
import { runSeeds } from './runSeeds.ts'
import type { Cast } from './simulate.ts'

/** A sample, over both halves: `npm run test:simulator` takes 10,000. */
const seeds = Number(process.env.SEEDS ?? 1_000)

/** The part of the seeds that one worker runs. */
type Part = {
  readonly name: string
  readonly first: number
  readonly step: number
  /** How much of the sample. */
  readonly share: number
  readonly cast: Cast
}

const rows: Readonly<Record<Cast, Readonly<Partial<Record<FaultId, string>>>>> = {
  one: matrix,
  two: leaseMatrix,
}

/** Swaps that settle, of each seed. Two workers lose many a quote while one takes over from the other. */
const settledLeast: Readonly<Record<Cast, number>> = { one: 1 / 2, two: 1 / 3 }

/** Seeds that are run once, and then asked row by row what was met. */
export async function describeSeeds(
  machine: Machine,
  { name, share, ...part }: Part,
): Promise<void> {
  const summary = await runSeeds(machine, { ...part, count: Math.ceil(seeds * share) })
  process.stdout.write(report(summary))
  const { failures, hits } = summary

  describe(`simulator, ${name}`, () => {
    test(`no seed of ${summary.seeds} breaks an invariant`, () => {
      expect(failures.map(explain)).toEqual([])
      expect(summary.settled).toBeGreaterThan(summary.seeds * settledLeast[part.cast])
      expect(summary.crashes).toBeGreaterThan(summary.seeds / 4)
    })

    for (const [id, what] of Object.entries(rows[part.cast]) as [FaultId, string][])
      test(`[${id}] ${what}: hit ${hits[id]} times, all decided`, () => {
        expect(hits[id]).toBeGreaterThan(0)
        expect(failures.filter((one) => (one.hits[id] ?? 0) > 0).map(explain)).toEqual([])
      })
  })
}
