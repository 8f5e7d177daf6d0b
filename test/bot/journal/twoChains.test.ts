import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import type { Amount } from '../../../src/core/amount.ts'
import type { Address } from '../../../src/core/token.ts'
import { type Place, places } from '../../support/journals.ts'
import { sampleBytes, samplePlan, sampleQuote, wallet, weth } from './sampleSwap.ts'

const here = { chainId: 31_337, wallet }
const there = { chainId: 5, wallet }
const reason = 'I sent these on 31337'

describe.each(places)('two chains in one journal: $dialect', ({ make }) => {
  let place: Place
  let journal: Journal

  beforeEach(async () => {
    place = await make()
    journal = await openJournal({
      ...place,
      clock: { now: () => 1_000_000, sleep: async () => {} },
    })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  const missing = async (owner: { chainId: number; wallet: Address }, wei: bigint, block = 9) => {
    const balances = [{ token: { ...weth, chainId: owner.chainId }, wei }]
    const found = await journal.wallet.balanceLedger({ ...owner, balances, block })
    return found.map((one) => one.wei)
  }
  const releases = async (owner: { chainId: number; wallet: Address }) =>
    (await journal.books.adoption({ ...owner, since: 0 })).releases.map(({ from, to }) => [
      from,
      to,
    ])

  test('a release on one leaves the balances and the nonces of the other as they are', async () => {
    await journal.wallet.adopt({ ...there, nonceOfChain: 3 })
    await journal.wallet.adopt({ ...here, nonceOfChain: 0 })
    await missing(there, 100n)
    await missing(here, 100n)
    await journal.wallet.release({ ...here, nonceOfChain: 40, reason })
    expect(await releases(there)).toEqual([])
    expect(await releases(here)).toEqual([[0, 40]])
    expect(await journal.wallet.state(there)).toEqual({ nextNonce: 3 })
    expect(await missing(there, 1n, 10)).toEqual([99n])
    expect(await missing(here, 1n, 10)).toEqual([])
  })

  test('a wallet that is new on a chain has no release of the other', async () => {
    await journal.wallet.release({ ...here, nonceOfChain: 40, reason })
    expect(await journal.books.adoption({ ...there, since: 0 })).toMatchObject({
      nextNonce: undefined,
      releases: [],
    })
  })

  test('signed bytes of one are no obstacle to a release on the other', async () => {
    await journal.wallet.adopt({ ...here, nonceOfChain: 0 })
    await journal.wallet.adopt({ ...there, nonceOfChain: 3 })
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    await journal.attempts.commitSwap(sampleBytes(planned, 0), sampleQuote(planned))
    const again = { nonceOfChain: 4, reason: 'mine' }
    await expect(journal.wallet.release({ ...here, ...again })).rejects.toMatchObject({
      code: 'SWAP_UNDECIDED',
    })
    await journal.wallet.release({ ...there, ...again })
    expect(await releases(there)).toEqual([[3, 4]])
  })

  describe('a release of before does not name its chain', () => {
    const unname = async () => {
      const facts = `{"reason":"${reason}","nonceOfChain":40}`
      const isServer = place.database.dialect === 'postgres'
      const text = isServer ? `convert_to('${facts}', 'UTF8')` : `'${facts}'`
      await place.exec(`UPDATE event SET facts = ${text} WHERE type = 'RELEASED'`)
    }

    test('it counts where the journal knows one chain', async () => {
      await journal.wallet.adopt({ ...here, nonceOfChain: 0 })
      await journal.wallet.release({ ...here, nonceOfChain: 40, reason })
      await unname()
      expect(await releases(here)).toEqual([[0, 40]])
      // A second chain whose nonces never came as far.
      await journal.wallet.adopt({ ...there, nonceOfChain: 3 })
      expect(await releases(here)).toEqual([[0, 40]])
      expect(await releases(there)).toEqual([])
      // Nor one that the journal does not know yet: a start there looks for traces of a bot.
      expect(await releases({ chainId: 10, wallet })).toEqual([])
    })

    test('it counts where the journal knows none', async () => {
      await journal.wallet.release({ ...here, nonceOfChain: 40, reason })
      await unname()
      expect(await releases(here)).toEqual([[0, 40]])
    })

    test('a chain that a later release took back below it has it still, where it is the only one', async () => {
      await journal.wallet.adopt({ ...here, nonceOfChain: 0 })
      await journal.wallet.release({ ...here, nonceOfChain: 40, reason })
      await unname()
      await journal.wallet.release({ ...here, nonceOfChain: 38, reason: 'a reorganisation' })
      expect(await releases(here)).toEqual([
        [0, 40],
        [40, 38],
      ])
    })
  })

  test('gas and ends of another chain are no gas and no end of this one', async () => {
    await journal.wallet.adopt({ ...there, nonceOfChain: 0 })
    const ofFive = (amount: Amount) => ({ ...amount, token: { ...amount.token, chainId: 5 } })
    const { intent } = samplePlan()
    const sold = samplePlan({
      intent: { ...intent, sell: ofFive(intent.sell), buy: { ...intent.buy, chainId: 5 } },
    })
    await journal.swaps.reserve(sold, () => {})
    const bytes = sampleBytes(sold, 0, 'APPROVE')
    const { hash } = await journal.attempts.commitApproval({
      ...bytes,
      transaction: { ...bytes.transaction, chainId: 5 },
    })
    const mined = { blockNumber: 1, blockHash: hash, success: true, gasUsed: 1n, logs: [] }
    await journal.attempts.closeApproval({ hash, receipt: { ...mined, hash, gasPaid: 3_000n } })
    const refused = { as: 'REJECTED', code: 'VERIFY_X', reason: 'x', checks: [] } as const
    await journal.swaps.close({ swapId: sold.swapId, ...refused })

    await journal.wallet.adopt({ ...here, nonceOfChain: 0 })
    const plan = samplePlan()
    await journal.swaps.reserve(plan, () => {})
    const approval = await journal.attempts.commitApproval(sampleBytes(plan, 0, 'APPROVE'))
    const receipt = { ...mined, hash: approval.hash, gasPaid: 2n }
    await journal.attempts.closeApproval({ hash: approval.hash, receipt })
    // The end of the other chain is the last one of the wallet: nobody judges it here.
    expect(await journal.breakers.unjudged(here)).toBeUndefined()
    expect(await journal.breakers.unjudged(there)).toBe(sold.swapId)
    await journal.swaps.close({ swapId: plan.swapId, ...refused })

    const of = { strategy: 'test' }
    for (const [owner, wei, swapId] of [
      [here, 2n, plan.swapId],
      [there, 3_000n, sold.swapId],
    ] as const) {
      expect((await journal.countBooks(owner)).gasPaidWei).toBe(wei)
      expect(await journal.breakers.gasPaid({ ...owner, since: 0 })).toMatchObject([{ wei }])
      const ends = { strategyEnds: [{ id: swapId }], walletEnds: [{ id: swapId }] }
      expect(await journal.breakers.ends({ ...owner, ...of })).toMatchObject(ends)
      expect(await journal.breakers.endFacts({ swapId })).toMatchObject({
        ...ends,
        gasPaid: [{ wei }],
      })
    }
  })

  test('a lock over the balances of one wallet leaves those of another as they are', async () => {
    const other = { ...here, wallet: `0x${'9'.repeat(40)}` as const }
    await missing(here, 100n)
    await missing(other, 100n)
    await journal.locks.open({
      kind: 'breaker',
      scope: `wallet ${wallet}`,
      code: 'LEDGER_DRIFT',
      reason: 'x',
      expiresAt: undefined,
    })
    await journal.locks.release({ id: undefined, reason: 'it was us' })
    expect(await missing(here, 1n, 10)).toEqual([])
    expect(await missing(other, 1n, 10)).toEqual([99n])
  })
})
