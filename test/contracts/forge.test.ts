import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mutants } from '../../contracts/test/mutants.ts'
import { forgeTest, tryMutants } from '../../scripts/forge.ts'

/** A sample of the draws: `npm run contracts:test` makes all that contracts/foundry.toml says. */
process.env.FOUNDRY_FUZZ_RUNS ??= '16'
process.env.FOUNDRY_INVARIANT_RUNS ??= '4'

test('[TOKEN-18] contracts: every forge test passes', { timeout: 1_200_000 }, async () => {
  const { ok, output } = await forgeTest()
  expect(ok, output).toBe(true)
  // All suites ran, not an empty selection.
  expect(output).toMatch(/Ran 13 test suites/)
})

test('contracts: a run that fails says with which draws to repeat it', async () => {
  const { ok, output } = await forgeTest(['--no-such-argument'])
  expect(ok).toBe(false)
  expect(output).toMatch(
    /To repeat it: FOUNDRY_FUZZ_RUNS=\d+ FOUNDRY_INVARIANT_RUNS=\d+ npm run contracts:test -- --no-such-argument --fuzz-seed \d+/,
  )
})

test('contracts: the gas of every kind of settlement is kept', () => {
  const kept = JSON.parse(readFileSync('contracts/snapshots/Settlement.json', 'utf8'))
  const noted = globSync('contracts/test/*.sol').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/noteGas\("([^"]+)"\)/g)].map(([, kind]) => kind),
  )
  // forge holds a run to the kinds that the file has, and does not miss one that it has not.
  expect(Object.keys(kept)).toEqual(noted.sort())
})

/** A mark that another one masks, before one file of tests. All mutants before all tests: contracts:mutants. */
const sample = ['order id consumed']
const tests = [['--match-path', 'test/Settlement.t.sol']]

/** Proof that the runner can also find nothing, in a contract that compiles at once. */
const harmless = {
  name: 'harmless',
  file: 'feeds/PriceFeed.sol',
  find: 'version = 1;',
  replace: 'version = 2 - 1;',
}

test('contracts: a removed guard is noticed, a harmless change is not', {
  timeout: 1_200_000,
}, async () => {
  const rows = mutants.filter(({ name }) => sample.includes(name))
  const verdicts = await tryMutants([harmless, ...rows], { tests })
  expect(verdicts.filter((verdict) => 'killedBy' in verdict)).toHaveLength(sample.length)
  expect(verdicts.filter((verdict) => 'alive' in verdict)).toEqual([
    { mutant: harmless, alive: 'every test passed' },
  ])
})
