import { expect, test } from 'vitest'
import { chooseSources } from '../../../src/service/route/chooseSources.ts'
import { offerSource } from '../../../src/service/route/sources.ts'
import { turnsOf } from '../../../src/service/route/sweep.ts'
import { pairOffer, USDC, WETH } from './sampleOffers.ts'

test('of all the sets that pay, the three best are run, and no more', () => {
  const pools = [1_000n, 900n, 800n, 700n].map((size) =>
    pairOffer(
      { source: `pool of ${size}`, sell: WETH, buy: USDC },
      { sold: size * 10n ** 18n, bought: size * 3_000n * 10n ** 6n },
    ),
  )
  const sources = pools.map(offerSource)
  const chosen = chooseSources(sources, {
    turns: turnsOf(sources.map(({ curve }) => curve)),
    terms: { sellWei: 100n * 10n ** 18n, legsMax: 8, gasCost: 0 },
    leastNet: 0,
  })
  expect(chosen.map(({ active }) => active.join(''))).toEqual(['1111', '1110', '1101'])
})
