import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import type { Receipt } from '../../../src/chain/calls/getReceipt.ts'
import { type Place, places } from '../../support/journals.ts'
import { sampleBytes, samplePlan, wallet } from './sampleSwap.ts'

describe.each(places)('$dialect: a page of the history that is read again', ({ make }) => {
  let place: Place
  let journal: Journal
  let now = 1
  beforeEach(async () => {
    place = await make()
    journal = await openJournal({ ...place, clock: { now: () => now, sleep: async () => {} } })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })
  const page = () => journal.swaps.history({ limit: 5 })

  test('shows the end of a swap that was open, and goes on showing it', async () => {
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    expect(await page()).toMatchObject([{ state: 'PLANNED', code: null }])
    const end = { swapId: planned.swapId, code: 'LOCKED', reason: 'x' }
    await journal.swaps.close({ ...end, as: 'ABANDONED' })
    const ended = await page()
    expect(ended).toMatchObject([{ state: 'ABANDONED', code: 'LOCKED' }])
    expect(await page()).toEqual(ended)
    now += 1
    await journal.swaps.reserve(samplePlan(), () => {})
    expect((await page()).map(({ state }) => state)).toEqual(['PLANNED', 'ABANDONED'])
  })

  test('shows the bytes that an approval of an ended swap was outbid with', async () => {
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    const first = await journal.attempts.commitApproval(sampleBytes(planned, 0, 'APPROVE'))
    const { swapId } = planned
    await journal.swaps.close({ swapId, as: 'ABANDONED', code: 'LOCKED', reason: 'x' })
    expect(await page()).toMatchObject([{ state: 'ABANDONED', attempts: [{ hash: first.hash }] }])
    const dearer = { ...sampleBytes(planned, 0, 'APPROVE'), hash: `0x${'9'.repeat(64)}` as const }
    await journal.attempts.commitBump(dearer, first.hash)
    expect((await page())[0]?.attempts).toHaveLength(2)
    const receipt = { hash: dearer.hash, blockNumber: 1, success: true, gasUsed: 1n, gasPaid: 2n }
    await journal.attempts.closeApproval({ hash: dearer.hash, receipt: receipt as Receipt })
    expect((await page())[0]?.attempts).toHaveLength(2)
  })
})
