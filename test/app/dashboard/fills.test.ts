import { expect, test } from 'vitest'
import { pageQueries } from '../../../src/app/dashboard/pageQueries.ts'
import { isoText } from '../../../src/core/isoText.ts'
import { coin, dossierOf, usdc, wbtc, weth } from '../../bot/report/dossierOf.ts'

/** What the overview says that this swap has cost in all. */
async function costOf(said: Parameters<typeof dossierOf>[0]) {
  const swap = dossierOf(said)
  const { id, strategy, updatedAt } = swap
  const amounts = { sold: { token: 'WETH' }, received: { token: 'USDC' } }
  const served = {
    ...{ clock: { now: () => 0 }, config: { tokens: coin } },
    journal: {
      swaps: {
        history: async () => [{ id, strategy, updatedAt: isoText(updatedAt), ...amounts }],
        dossiers: async () => [swap],
      },
    },
  }
  const [fill] = await pageQueries(served as never, {} as never).fills(5)
  return fill?.costBps
}

test('a fill has a cost in all where a report counts it whole, rounded as there', async () => {
  const filled = { firm: 2_990_000_000n, received: 2_988_170_000n }
  // 39.43 bps, and gas of 0.3 USDC.
  expect(await costOf({ ...filled, decided: 3_000_000_000n })).toBe(40.43)
  // 1.995 bps.
  const half = { decided: 3_000_000_000n, asked: 3_000_000_000n, received: 2_999_701_500n }
  expect(await costOf(half)).toBe(2)
  expect(await costOf({ ...filled, indicated: 3_000_000_000n })).toBeNull()
  expect(await costOf(filled)).toBeNull()
})

test('a fill whose gas has no price has no cost in all', async () => {
  const sell = { token: wbtc, wei: 10n ** 8n }
  expect(await costOf({ sell, buy: usdc, decided: 3_000_000_000n })).toBeNull()
  expect(await costOf({ sell: { ...sell, token: weth }, decided: 3_000_000_000n })).not.toBeNull()
})
