import { describe, expect, test } from 'vitest'
import { type FaultId, matrix } from './matrix.ts'
import type { Machine } from './openMachine.ts'
import { explain, report } from './report.ts'
import { runSeeds } from './runSeeds.ts'

/** A sample, over both halves: `npm run test:simulator` takes 10,000. */
const seeds = Number(process.env.SEEDS ?? 2_000)

/** One half of the seeds, for one worker of two: run once, then asked row by row what was met. */
export async function describeSeeds(machine: Machine, { half }: { half: 1 | 2 }): Promise<void> {
  const summary = await runSeeds(machine, { first: half, count: Math.ceil(seeds / 2), step: 2 })
  process.stdout.write(report(summary))
  const { failures, hits } = summary

  describe(`simulator, half ${half} of 2`, () => {
    test(`no seed of ${summary.seeds} breaks an invariant`, () => {
      expect(failures.map(explain)).toEqual([])
      expect(summary.settled).toBeGreaterThan(summary.seeds / 2)
      expect(summary.crashes).toBeGreaterThan(summary.seeds / 4)
    })

    for (const [id, what] of Object.entries(matrix) as [FaultId, string][])
      test(`[${id}] ${what}: hit ${hits[id]} times, all decided`, () => {
        expect(hits[id]).toBeGreaterThan(0)
        expect(failures.filter((one) => (one.hits[id] ?? 0) > 0).map(explain)).toEqual([])
      })
  })
}
