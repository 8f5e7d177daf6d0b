import { type FaultId, leaseMatrix, matrix } from './matrix.ts'
import type { Summary } from './runSeeds.ts'
import type { Outcome } from './simulate.ts'

/** What a run of seeds says of itself. */
export function report(summary: Summary): string {
  const { seeds, seconds, cpuSeconds, crashes, faults, swaps, settled, hits, failures } = summary
  const rows = (Object.entries({ ...matrix, ...leaseMatrix }) as [FaultId, string][])
    .filter(([id]) => id in hits)
    .map(([id, what]) => `  ${id.padEnd(9)}${String(hits[id]).padStart(7)}  ${what}`)
  return [
    `${seeds} seeds in ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of processor time): ${swaps} swaps, ${settled} settled, ${crashes} crashes, ${faults} faults; ${failures.length} seeds broke an invariant`,
    ...rows,
    ...failures.map(explain),
    '',
  ].join('\n')
}

/** What is left out of a trace that is to be read: it happens all the time. */
const dull = /(?:before|after) (?:load|sleep|guard|read|walletState)/

/** Why a seed failed, how to run it alone, and what happened last. */
export function explain({ seed, violations, trace }: Outcome): string {
  return [
    `seed ${seed}: again with SEED=${seed} npm run test:simulator`,
    ...violations.map((violation) => `  ! ${violation}`),
    ...trace
      .filter((line) => !dull.test(line))
      .slice(-60)
      .map((line) => `    ${line}`),
  ].join('\n')
}
