import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import type { Token } from '../../../src/core/token.ts'
import { type Place, places } from '../../support/journals.ts'
import { sampleBytes, samplePlan, sampleQuote, usdc, wallet, weth } from './sampleSwap.ts'

const owner = { chainId: 31_337, wallet }
const dai: Token = { ...usdc, address: `0x${'d'.repeat(40)}`, symbol: 'DAI' }

describe.each(places)('tokens that were seen: $dialect', ({ make }) => {
  let place: Place
  let journal: Journal

  beforeEach(async () => {
    place = await make()
    journal = await openJournal({
      ...place,
      clock: { now: () => 1_000_000, sleep: async () => {} },
    })
    await journal.wallet.adopt({ ...owner, nonceOfChain: 0 })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  const seen = async (scope = owner) => [...(await journal.wallet.seenTokens(scope))].sort()
  const release = () =>
    journal.wallet.release({ ...owner, nonceOfChain: 1, reason: 'I sent these' })
  const addresses = (...tokens: Token[]) => tokens.map(({ address }) => address.toLowerCase())
  const sold = { token: weth, wei: 10n ** 18n }

  test('a release forgets balances, and not the tokens of swaps', async () => {
    const planned = samplePlan()
    const { swapId } = planned
    await journal.swaps.reserve(planned, () => {})
    const { hash } = await journal.attempts.commitSwap(
      sampleBytes(planned, 0),
      sampleQuote(planned),
    )
    const receipt = {
      hash,
      blockNumber: 7,
      blockHash: hash,
      success: true,
      ...{ gasUsed: 1n, gasPaid: 1n, logs: [] },
    }
    await journal.attempts.include({ swapId, receipt })
    const received = { token: usdc, wei: 1n }
    const measured = { sold, received, gasUsed: 1n, gasPaid: 1n, agrees: true, short: false }
    await journal.attempts.settle({ swapId, measured })
    await journal.wallet.balanceLedger({ ...owner, balances: [sold, received], block: 9 })
    expect(await seen()).toEqual(addresses(weth, usdc))
    await release()
    expect(await seen()).toEqual(addresses(weth, usdc))
    expect(await seen({ ...owner, chainId: 5 })).toEqual([])
  })

  test('a swap that did not settle proves no token: its address may be wrong', async () => {
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    const refused = { as: 'REJECTED', code: 'X', reason: 'x' } as const
    await journal.swaps.close({ swapId: planned.swapId, ...refused })
    expect(await seen()).toEqual([])
  })

  test('a release forgets no token of the last valuation; one that was made up proves nothing', async () => {
    const valued = (token: Token, at: number) => ({
      ...{ at, unit: usdc },
      holdings: [{ held: { token, wei: 5n }, worth: undefined }],
    })
    await journal.valuations.seed({ ...owner, past: [valued(weth, 3)] })
    await release()
    expect(await seen()).toEqual([])
    await journal.valuations.record({ ...owner, ...valued(dai, 2) })
    await release()
    expect(await seen()).toEqual(addresses(dai))
    expect(await seen({ ...owner, chainId: 5 })).toEqual([])
  })
})
