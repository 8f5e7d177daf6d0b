import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Mark } from '../../../src/bot/aftermath.ts'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import { readJournal } from '../../../src/bot/journal/readJournal.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import type { Receipt } from '../../../src/chain/calls/getReceipt.ts'
import { hourMs } from '../../../src/core/spans.ts'
import { type Place, places } from '../../support/journals.ts'
import { sampleBytes, samplePlan, sampleQuote, wallet } from './sampleSwap.ts'

const start = Date.UTC(2026, 10, 20)

describe.each(places)('aftermath, $dialect', ({ make }) => {
  let place: Place
  let journal: Journal
  let now: number
  const clock = { now: () => now, sleep: async () => {} }

  beforeEach(async () => {
    now = start
    place = await make()
    journal = await openJournal({ ...place, clock })
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  const due = () => journal.aftermath.due({ limit: 100, at: now })
  const mark = (afterMs: number): Mark => ({
    ...{ afterMs, readAt: now, block: 7, fair: 10n ** 30n, sources: ['a feed'] },
  })

  async function included(nonce = 0) {
    const planned = samplePlan()
    const { swapId } = planned
    await journal.swaps.reserve(planned, () => {})
    const { hash } = await journal.attempts.commitSwap(sampleBytes(planned, nonce), {
      ...sampleQuote(planned),
      deadline: 2_000_000_000,
    })
    const receipt: Receipt = {
      ...{ hash, blockNumber: 5, blockHash: `0x${'5'.repeat(64)}`, success: true },
      ...{ gasUsed: 2n, gasPaid: 9n, tipPaid: 2n, basePaid: 4n, logs: [] },
    }
    await journal.attempts.include({ swapId, receipt })
    return { planned, swapId, receipt }
  }
  const settle = ({ planned, swapId, receipt }: Awaited<ReturnType<typeof included>>) =>
    journal.attempts.settle({
      swapId,
      measured: {
        ...{ ...receipt, sold: planned.intent.sell, agrees: true, short: false },
        received: { token: planned.intent.buy, wei: 3_000n },
      },
    })

  test('begins with the block of a swap, in its commit, and ends when its marks are read', async () => {
    const swap = await included()
    const [first, ...more] = await due()
    expect([first, more]).toMatchObject([
      { subject: swap.swapId, filled: true, block: 5, hash: swap.receipt.hash, at: start },
      [],
    ])
    if (first === undefined) throw new Error('it is due')
    const found = { marks: [mark(0)] }
    await journal.aftermath.note(first, { found, at: start - 700, nextAt: start + 300 })
    await settle(swap)
    expect(await due()).toEqual([])
    now = start + 300
    const [second] = await due()
    expect(second).toMatchObject({ at: start - 700, found, dueAt: start + 300 })
    if (second === undefined) throw new Error('it is due')
    const missing = { afterMs: 1_000, readAt: now, block: undefined, missing: 'no source' }
    await journal.aftermath.note(second, {
      ...{ found: { marks: [mark(0), missing] }, at: start - 700, nextAt: undefined },
    })
    now += 9 * hourMs
    expect(await due()).toEqual([])
    const [dossier] = await journal.swaps.dossiers([swap.swapId])
    expect(dossier?.aftermath).toMatchObject({ found: { marks: [{}, { missing: 'no source' }] } })
  })

  test('of a block that a reorganisation took is gone, and what was read meanwhile is not written', async () => {
    const { swapId, receipt } = await included()
    const [before] = await due()
    await journal.attempts.uninclude({ swapId })
    expect(await due()).toEqual([])
    const blockNumber = 6
    await journal.attempts.include({ swapId, receipt: { ...receipt, blockNumber } })
    if (before === undefined) throw new Error('it was due')
    await journal.aftermath.note(before, {
      ...{ found: { marks: [mark(0)] }, at: start, nextAt: undefined },
    })
    expect(await due()).toMatchObject([{ block: 6, found: { marks: [] } }])
  })

  test('of a swap that came to nothing counts from its end, whatever it was before', async () => {
    const { swapId, receipt } = await included()
    now += 5_000
    await journal.attempts.close({
      ...{ swapId, as: 'REVERTED', code: 'REVERTED', reason: 'it reverted' },
      receipt: { ...receipt, success: false },
    })
    const refused = samplePlan()
    await journal.swaps.reserve(refused, () => {})
    await journal.swaps.close({
      ...{ swapId: refused.swapId, as: 'REJECTED', code: 'POLICY', reason: 'no' },
    })
    expect(await due()).toMatchObject([
      { subject: swapId, filled: false, at: start + 5_000, block: undefined },
      { subject: refused.swapId, filled: false, sell: refused.intent.sell },
    ])
  })

  test('of refusals: the first of an hour by strategy and code, and so many at most', async () => {
    const { intent } = samplePlan()
    let decision = 0
    const refuse = (code: string, strategy = 'test') => {
      decision += 1
      return journal.decisions.noteRefusal({ decision, strategy, code, reason: 'no', intent })
    }
    await refuse('POLICY_PER_DAY')
    await refuse('POLICY_PER_DAY')
    await refuse('POLICY_PAIR')
    await refuse('POLICY_PER_DAY', 'other')
    expect(await due()).toMatchObject([
      { subject: 'refusal 1', sell: intent.sell, buy: intent.buy, filled: false },
      { subject: 'refusal 3' },
      { subject: 'refusal 4' },
    ])
    now += hourMs
    await refuse('POLICY_PER_DAY')
    expect(await due()).toHaveLength(4)
    const reading = await readJournal({ ...place, clock })
    const page = await reading.aftermath.refusals({ limit: 2, since: start, strategy: 'test' })
    const [, last] = page
    expect(page.map(({ subject }) => subject)).toEqual(['refusal 1', 'refusal 3'])
    expect(
      await reading.aftermath.refusals({ after: last, limit: 1, strategy: 'test' }),
    ).toMatchObject([{ subject: 'refusal 5' }])
    await reading.shut()
    for (let index = 0; index < 510; index += 1) await refuse(`CODE_${index}`)
    expect(await journal.aftermath.due({ limit: 1_000, at: now })).toHaveLength(500)
  })

  /** Closes an approval that paid 70, of which 20 are the tip, 40 the base fee and 10 a rollup's. */
  const closeApproval = (hash: Hex) =>
    journal.attempts.closeApproval({
      hash,
      receipt: {
        ...{ hash, blockNumber: 4, blockHash: `0x${'4'.repeat(64)}`, success: true, logs: [] },
        ...{ gasUsed: 1n, gasPaid: 70n, tipPaid: 20n, basePaid: 40n },
      },
    })

  test('base fee and tip are apart, of the swap and of its approvals', async () => {
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    const { hash } = await journal.attempts.commitApproval(sampleBytes(planned, 0, 'APPROVE'))
    await closeApproval(hash)
    expect(await place.rows('SELECT tip_paid, base_paid FROM attempt')).toEqual([
      { tip_paid: '20', base_paid: '40' },
    ])
    const swap = await included(1)
    await settle(swap)
    expect(await place.rows('SELECT base_paid FROM swap WHERE base_paid IS NOT NULL')).toEqual([
      { base_paid: '4' },
    ])
    const [dossier] = await journal.swaps.dossiers([swap.swapId])
    expect(dossier).toMatchObject({ gasPaidInAll: 9n, tipPaidInAll: 2n, basePaidInAll: 4n })
  })

  test('base fee and tip of an approval count where its swap was refused later', async () => {
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    const { hash } = await journal.attempts.commitApproval(sampleBytes(planned, 0, 'APPROVE'))
    const dossierOf = async () => (await journal.swaps.dossiers([planned.swapId]))[0]
    const nothing = { gasPaidInAll: undefined, tipPaidInAll: undefined, basePaidInAll: undefined }
    expect(await dossierOf()).toMatchObject(nothing)
    await closeApproval(hash)
    await journal.swaps.close({
      ...{ swapId: planned.swapId, as: 'REJECTED', code: 'VERIFY_FLOOR', reason: 'no', checks: [] },
    })
    expect(await dossierOf()).toMatchObject({
      ...{ gasPaidInAll: 70n, tipPaidInAll: 20n, basePaidInAll: 40n },
    })
  })

  test('the legs of a quote stay, with a pool where there is no maker', async () => {
    const planned = samplePlan()
    const { swapId, intent } = planned
    await journal.swaps.reserve(planned, () => {})
    const maker = `0x${'7'.repeat(40)}` as const
    const order = {
      ...{ id: 1n, buyer: maker, seller: wallet, caller: wallet, quoteId: '0x' as const },
      ...{ sellerToken: intent.sell.token.address, buyerToken: intent.buy.address },
      ...{ sellerTokenAmount: 5n, buyerTokenAmount: 6n, deadlineTimestamp: 9n },
    }
    const pool = `0x${'0'.repeat(40)}` as const
    await journal.attempts.commitQuote({
      ...sampleQuote(planned),
      orders: [
        { order: { ...order, signer: maker }, signature: '0x11' },
        { order: { ...order, signer: pool, id: 2n }, signature: '0x' },
      ],
    })
    const [dossier] = await journal.swaps.dossiers([swapId])
    expect(dossier?.quote?.legs).toMatchObject([
      { maker, sold: 5n, bought: 6n },
      { sell: intent.sell.token.address, buy: intent.buy.address },
    ])
    expect(dossier?.quote?.legs?.[1]?.maker).toBeUndefined()
  })
})
