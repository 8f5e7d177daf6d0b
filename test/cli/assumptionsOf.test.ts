import { expect, test } from 'vitest'
import { assumptionsOf } from '../../src/cli/replay/assumptionsOf.ts'
import { planFixture } from './plan/planFixture.ts'

const { config } = planFixture()
const nothing = { latency: undefined, approvals: undefined, refill: undefined, maxAge: undefined }
const given = { ...nothing, fail: undefined, fade: undefined, delayBlocks: undefined }
const rest = { gas: undefined, tip: undefined, seed: undefined, holds: undefined }

test.each([
  { name: 'ethereum', chainId: 1, blockTimeMs: 12_000, finalized: 100, safe: 64 },
  { name: 'polygon', chainId: 137, blockTimeMs: 2_000, finalized: 3, safe: 3 },
  { name: 'base', chainId: 8453, blockTimeMs: 2_000, finalized: 900, safe: 64 },
  { name: 'one without a preset', chainId: 31_337, blockTimeMs: 1_000, finalized: 64, safe: 64 },
])('replay: a swap on $name has settled after as many blocks as it takes there', (chain) => {
  const { chainId, blockTimeMs, finalized, safe } = chain
  const blocks = (confirmations: number | 'safe' | 'finalized') =>
    assumptionsOf(
      { ...given, ...rest },
      {
        config: { ...config, chain: { ...config.chain, chainId, blockTimeMs, confirmations } },
        timings: [],
        source: 'recorded',
      },
    ).confirmations
  expect([blocks(2), blocks('finalized'), blocks('safe')]).toEqual([2, finalized, safe])
})
