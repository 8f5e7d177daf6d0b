import { expect, test } from 'vitest'
import { openJournal } from '../../../src/bot/journal/openJournal.ts'
import { places } from '../../support/journals.ts'
import { samplePlan, wallet } from './sampleSwap.ts'

test.each(places)(
  'countBooks in $dialect: numbers, also of what outgrows an integer',
  async ({ make }) => {
    const place = await make()
    const clock = { now: () => Date.UTC(2026, 10, 22), sleep: async () => {} }
    const journal = await openJournal({ ...place, clock })
    try {
      const owner = { chainId: 31_337, wallet }
      const none = { swaps: new Map(), slots: new Map(), writtenOff: 0, gasPaidWei: 0n }
      expect(await journal.countBooks(owner)).toEqual(none)
      await journal.swaps.reserve(samplePlan(), () => {})
      const run = { strategy: 'weekly', calendar: '', reason: 'so', state: 'missed' } as const
      await journal.slots.close({ ...run, slot: 1, upto: 3, slots: 3 })
      await journal.slots.close({ ...run, slot: 4, upto: 4, slots: 1 })
      await place.exec(`UPDATE swap SET gas_paid = '20000000000123456789021'`)
      expect(await journal.countBooks(owner)).toEqual({
        swaps: new Map([['PLANNED', 1]]),
        slots: new Map([['missed', 4]]),
        ...{ writtenOff: 0, gasPaidWei: 20_000_000_000_123_456_789_021n },
      })
      expect(await journal.countBooks({ ...owner, since: clock.now() })).toEqual(none)
      expect((await journal.countBooks({ ...owner, since: clock.now() - 1 })).gasPaidWei).toBe(
        20_000_000_000_123_456_789_021n,
      )
      // A second one, whose digits carry, and one of less than the lower part has.
      await journal.swaps.reserve({ ...samplePlan(), swapId: 'a', key: 'a' }, () => {})
      await journal.swaps.reserve({ ...samplePlan(), swapId: 'b', key: 'b' }, () => {})
      await place.exec(`UPDATE swap SET gas_paid = '1999999999' WHERE id = 'a'`)
      await place.exec(`UPDATE swap SET gas_paid = '7' WHERE id = 'b'`)
      expect((await journal.countBooks(owner)).gasPaidWei).toBe(20_000_000_000_125_456_789_027n)
    } finally {
      await journal.shut()
      await place.remove()
    }
  },
)
