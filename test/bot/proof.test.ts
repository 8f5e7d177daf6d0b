import { describe, expect, test } from 'vitest'
import { capOf, fitsCap, type Means, proofOf } from '../../src/bot/proof.ts'
import { simulate } from '../../src/chain/calls/simulate.ts'
import { simulateByProbe } from '../../src/chain/calls/simulateByProbe.ts'
import { usdOf } from '../../src/core/token.ts'

const usd = usdOf(1)
const dollars = (wei: bigint) => ({ token: usd, wei })
const euros = (wei: bigint) => ({ token: { ...usd, symbol: 'EUR' }, wei })
const full: Means = { play: simulate, untraced: [], witness: { above: dollars(10n) } }

describe('proof: a worth that is not known to be within the cap is not', () => {
  test.each([
    ['of the cap', dollars(10n), true],
    ['of one more', dollars(11n), false],
    ['nobody knows', undefined, false],
    ['in another unit', euros(1n), false],
  ])('a worth %s', (_name, notional, within) => {
    expect(fitsCap({ notional }, dollars(10n))).toBe(within)
  })
})

describe('proof: a worth that is not known to be below the amount of the witness is witnessed', () => {
  test.each([
    ['below it', dollars(9n), 'unwitnessed'],
    ['of it', dollars(10n), 'full'],
    ['nobody knows', undefined, 'full'],
    ['in another unit', euros(1n), 'full'],
  ])('a worth %s', (_name, notional, proof) => {
    expect(proofOf({ notional }, full)).toBe(proof)
  })
})

describe('proof: every combination has a name and a cap', () => {
  const policy = { proof: {}, notional: { perSwap: dollars(1_000n) } }
  test.each<[proof: string, lacks: Partial<Means>, cap: bigint | undefined]>([
    ['full', {}, undefined],
    ['unwitnessed', { witness: undefined }, 1_000n],
    ['untraced', { untraced: undefined }, 100n],
    ['untraced-unwitnessed', { untraced: undefined, witness: undefined }, 100n],
    ['probed', { play: simulateByProbe }, 500n],
    ['probed-unwitnessed', { play: simulateByProbe, witness: undefined }, 500n],
    ['probed-untraced', { play: simulateByProbe, untraced: undefined }, 100n],
    [
      'probed-untraced-unwitnessed',
      { play: simulateByProbe, untraced: undefined, witness: undefined },
      100n,
    ],
  ])('%s', (name, lacks, cap) => {
    const proof = proofOf({ notional: dollars(10n) }, { ...full, ...lacks })
    expect([proof, capOf(proof, policy)?.wei]).toEqual([name, cap])
  })
})
