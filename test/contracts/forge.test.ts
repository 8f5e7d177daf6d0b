import { expect, test } from 'vitest'
import { mutants } from '../../contracts/test/mutants.ts'
import { forgeTest, tryMutants } from '../../scripts/forge.ts'

test('contracts: every forge test passes', { timeout: 300_000 }, async () => {
  const { ok, output } = await forgeTest()
  expect(ok, output).toBe(true)
  // All suites ran, not an empty selection.
  expect(output).toMatch(/Ran 8 test suites/)
})

/** One guard of each kind: a check, a mark that another one masks, and a movement. All of them: contracts:mutants. */
const sample = ['caller', 'order id consumed', 'refund']

test('contracts: a removed guard is noticed', { timeout: 300_000 }, async () => {
  const rows = mutants.filter(({ name }) => sample.includes(name))
  expect(rows.map(({ name }) => name)).toEqual(sample.toSorted(byTableOrder))
  const alive = (await tryMutants(rows)).filter((verdict) => 'alive' in verdict)
  expect(alive).toEqual([])
})

test('contracts: a harmless change does not count as noticed', { timeout: 300_000 }, async () => {
  const harmless = {
    name: 'harmless',
    file: 'SwapRouter.sol',
    find: 'MAX_ORDERS = 8;',
    replace: 'MAX_ORDERS = 4 + 4;',
  }
  expect(await tryMutants([harmless])).toEqual([{ mutant: harmless, alive: 'every test passed' }])
})

const byTableOrder = (a: string, b: string) => position(a) - position(b)
const position = (name: string) => mutants.findIndex((mutant) => mutant.name === name)
