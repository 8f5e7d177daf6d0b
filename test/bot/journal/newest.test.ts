import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Journal, openJournal } from '../../../src/bot/journal/openJournal.ts'
import type { Receipt } from '../../../src/chain/calls/getReceipt.ts'
import { hourMs, quarterMs } from '../../../src/core/spans.ts'
import { type Place, places } from '../../support/journals.ts'
import { sampleBytes, samplePlan } from './sampleSwap.ts'

describe.each(places)('$dialect: what a page of the dashboard reads', ({ make }) => {
  let place: Place
  let journal: Journal
  let now = Date.UTC(2026, 10, 24, 9)
  const clock = { now: () => now, sleep: async () => {} }
  beforeEach(async () => {
    place = await make()
    journal = await openJournal({ ...place, clock })
  })
  afterEach(async () => {
    await journal.shut()
    await place.remove()
  })

  /** A swap that came to nothing, a minute after the one before it. */
  async function refused(strategy: string): Promise<string> {
    now += 60_000
    const planned = samplePlan({ strategy })
    await journal.swaps.reserve(planned, () => {})
    const end = { swapId: planned.swapId, code: 'LOCKED', reason: 'x' }
    await journal.swaps.close({ ...end, as: 'ABANDONED' })
    return planned.swapId
  }

  test('pages of swaps follow each other without a gap and without one twice, filtered or not', async () => {
    const made: { id: string; strategy: string; isOpen: boolean }[] = []
    for (const strategy of ['a', 'b', 'a', 'a', 'b', 'a', 'b'])
      made.unshift({ id: await refused(strategy), strategy, isOpen: false })
    now += 60_000
    const open = samplePlan({ strategy: 'a' })
    await journal.swaps.reserve(open, () => {})
    made.unshift({ id: open.swapId, strategy: 'a', isOpen: true })

    const all = async (filter: Omit<Parameters<typeof journal.swaps.history>[0], 'limit'>) => {
      const found: string[] = []
      for (;;) {
        const page = await journal.swaps.history({ limit: 3, before: found.at(-1), ...filter })
        found.push(...page.map(({ id }) => id))
        if (page.length < 3) return found
      }
    }
    const wanted = (keep: (one: (typeof made)[number]) => boolean) =>
      made.filter(keep).map(({ id }) => id)
    expect(await all({})).toEqual(wanted(() => true))
    expect(await all({ strategy: 'b' })).toEqual(wanted(({ strategy }) => strategy === 'b'))
    expect(await all({ outcome: 'unsettled' })).toEqual(wanted(({ isOpen }) => !isOpen))
    expect(await all({ outcome: 'open' })).toEqual([open.swapId])
    expect(await all({ outcome: 'settled' })).toEqual([])
    expect(await all({ strategy: 'a', outcome: 'unsettled' })).toEqual(
      wanted(({ strategy, isOpen }) => strategy === 'a' && !isOpen),
    )
  })

  test('the log is paged from its end, and each entry names the one before it', async () => {
    for (let nth = 0; nth < 3; nth += 1) await refused('a')
    const { seq } = await journal.log.lastEntry()
    const first = await journal.log.newest({ limit: 4 })
    const second = await journal.log.newest({ limit: 99, before: first.at(-1)?.seq })
    const all = [...first, ...second]
    expect(all.map((one) => one.seq)).toEqual(Array.from({ length: seq }, (_, nth) => seq - nth))
    for (const [nth, { prev }] of all.slice(0, -1).entries()) expect(prev).toBe(all[nth + 1]?.hash)
    expect(new Set(all.map(({ of }) => of)).size).toBe(3)
  })

  test('gas is found under the address as a person writes it', async () => {
    const owner = '0x00000000000000000000000000000000000000aa'
    await journal.wallet.adopt({ chainId: 31_337, wallet: owner, nonceOfChain: 0 })
    const planned = samplePlan()
    await journal.swaps.reserve(planned, () => {})
    const { hash } = await journal.attempts.commitApproval(sampleBytes(planned, 0, 'APPROVE'))
    const receipt = { hash, blockNumber: 1, success: true, gasUsed: 1n, gasPaid: 2n }
    await journal.attempts.closeApproval({ hash, receipt: receipt as Receipt })
    const written = '0x00000000000000000000000000000000000000AA'
    expect(
      await journal.breakers.gasPaid({ chainId: 31_337, wallet: written, since: 0 }),
    ).toMatchObject([{ wei: 2n }])
  })

  test('slots are counted by the quarter of an hour; a calendar that begins counts for nothing', async () => {
    const start = Date.UTC(2026, 10, 24, 8)
    const closed = (slot: number, state: 'done' | 'missed', slots = 1) =>
      journal.slots.close({
        ...{ strategy: 'dca', slot, upto: slot, slots, calendar: null, state, reason: '' },
      })
    await closed(start - 1, 'done', 0)
    await closed(start, 'done')
    await closed(start + 5 * 60_000, 'done')
    await closed(start + 6 * 60_000, 'missed')
    await journal.slots.close({
      ...{ strategy: 'dca', slot: start - hourMs, upto: start - 60_000, slots: 60, calendar: null },
      ...{ state: 'missed', reason: '' },
    })
    await closed(start + 2 * quarterMs, 'done')
    await closed(start + hourMs, 'done')
    const counted = await journal.slots.counted({
      ...{ strategy: 'dca', since: start, until: start + hourMs },
    })
    const sorted = [...counted].sort((a, b) => a.at - b.at || (a.state < b.state ? -1 : 1))
    expect(sorted).toEqual([
      { at: start, state: 'done', count: 2 },
      { at: start, state: 'missed', count: 1 },
      { at: start + 2 * quarterMs, state: 'done', count: 1 },
    ])
    const reaching = { strategy: 'dca', since: start - 2 * 60_000, until: start }
    expect(await journal.slots.runs(reaching)).toEqual([
      { slot: start - hourMs, upto: start - 60_000, state: 'missed' },
    ])
    expect(await journal.slots.runs({ ...reaching, since: start })).toEqual([])
    const undone = { since: 0, limit: 9, strategy: 'dca' }
    expect(await journal.slots.missedAndFailed(undone)).toHaveLength(2)
    expect(await journal.slots.missedAndFailed({ ...undone, strategy: 'b' })).toEqual([])
    const other = { strategy: 'other', since: 0, until: start + hourMs }
    expect(await journal.slots.counted(other)).toEqual([])
  })
})
