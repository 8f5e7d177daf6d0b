import { describe, expect, test } from 'vitest'
import { mutants } from './mutants.ts'
import { runMutant } from './runMutant.ts'

/** The bot as it is passes twenty times as many. */
const seeds = Number(process.env.MUTANT_SEEDS ?? 500)

describe('simulator: a safeguard that is taken out is missed', () => {
  for (const mutant of mutants)
    test(`mutant: ${mutant.name}`, { timeout: 120_000 }, async () => {
      const verdict = await runMutant(mutant, { seeds })
      process.stdout.write(
        `${verdict.caught ? 'caught  ' : 'SURVIVED'} ${mutant.name} (${verdict.why})\n`,
      )
      expect(verdict).toMatchObject({ caught: true })
    })

  test('there are at least twelve', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(12)
  })
})
