import fc from 'fast-check'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { mutants } from './mutants.ts'
import { type Machine, openMachine } from './openMachine.ts'
import { explain } from './report.ts'
import { runMutant, withoutSafeguard } from './runMutant.ts'
import { simulate } from './simulate.ts'

vi.mock('node:sqlite', () => import('./simulatedSqlite.ts'))
vi.mock('pg', () => import('./simulatedPg.ts'))

/**
 * Of the sample each begins where it was noticed before; `npm run test:mutants` has all of them, and begins with the first
 * seed.
 */
const seeds = Number(process.env.MUTANT_SEEDS ?? 1_000)
const isSample = process.env.MUTANT_SEEDS === undefined
/** Each run draws others, and names them. */
const drawn = isSample
  ? fc.sample(fc.shuffledSubarray([...mutants], { minLength: 8, maxLength: 8 }), 1).flat()
  : mutants

let machine: Machine
beforeAll(async () => {
  machine = await openMachine()
})

describe('simulator: a safeguard that is taken out is missed', () => {
  for (const mutant of drawn)
    test(`mutant: ${mutant.name}`, { timeout: 600_000 }, async () => {
      const { seed, why } = await runMutant(mutant, {
        first: isSample ? mutant.seed : 1,
        seeds,
      })
      process.stdout.write(
        `${seed === undefined ? 'SURVIVED' : `seed ${seed}`.padEnd(8)} ${mutant.name}: ${why}\n`,
      )
      expect(seed, why).toBeGreaterThan(0)
      // The very same story, told of the bot as it is, has no fault.
      const { against: always = [], cast = 'one' } = mutant
      const { violations, ...outcome } = await simulate(seed ?? 0, machine, { always, cast })
      expect(violations, explain({ ...outcome, violations })).toEqual([])
    })

  test('there are at least twelve, and each has its text in the bot', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(12)
    for (const mutant of mutants) expect(withoutSafeguard(mutant).size).toBeGreaterThan(0)
  })
})
