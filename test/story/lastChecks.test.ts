import { expect, test } from 'vitest'
import { openJournal } from '../../src/bot/journal/openJournal.ts'
import { lastChecks } from '../../src/story/explainSwap.ts'
import { samplePlan } from '../bot/journal/sampleSwap.ts'
import { places } from '../support/journals.ts'

test.each(places)(
  '$dialect: the checks of a swap that was refused are those it was refused by',
  async ({ make }) => {
    const place = await make()
    const journal = await openJournal({ ...place, clock: { now: () => 1, sleep: async () => {} } })
    const planned = samplePlan()
    const { swapId } = planned
    await journal.swaps.reserve(planned, () => {})
    expect(lastChecks(await journal.log.ofSwap(swapId))).toEqual([])
    const checks = [
      { name: 'verify.router', ok: true, expected: '0x1', actual: '0x1' },
      { name: 'verify.floor', ok: false, expected: 'at least 2 USDC', actual: '1 USDC' },
    ]
    const end = { code: 'VERIFY_FLOOR', reason: 'x', checks }
    await journal.swaps.close({ swapId, as: 'REJECTED', ...end })
    expect(lastChecks(await journal.log.ofSwap(swapId))).toEqual(checks)
    expect(await journal.swaps.evidence(swapId)).toBeUndefined()
    await journal.shut()
    await place.remove()
  },
)
