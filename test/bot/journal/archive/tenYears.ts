import { join } from 'node:path'
import { archiveJournal } from '../../../../src/bot/journal/archiveJournal.ts'
import { openJournal } from '../../../../src/bot/journal/openJournal.ts'
import type { Place } from '../../../support/journals.ts'
import { wallet } from '../sampleSwap.ts'
import {
  begin,
  createTrader,
  createVirtualClock,
  tellAll,
  tradeYear,
  yearMs,
} from './tradeThrough.ts'

/** Years of swaps, an archive after each; what was told of them at the end of their year, and what is told at the end. */
export async function liveYears(place: Place, { years, swaps }: { years: number; swaps: number }) {
  const clock = createVirtualClock()
  const journal = await openJournal({ ...place, clock })
  const folder = join(place.folder, 'archives')
  try {
    await journal.wallet.adopt({ chainId: 31_337, wallet, nonceOfChain: 0 })
    const trader = createTrader(journal, clock)
    const before = new Map<string, unknown>()
    for (let year = 0; year < years; year += 1) {
      await tradeYear(trader, { year, swaps })
      const since = begin + year * yearMs
      clock.set(since + yearMs)
      for (const [name, story] of await tellAll(place, clock, { since })) before.set(name, story)
      await archiveJournal(
        { journal, database: place.database, folder, clock },
        begin + (year + 1) * yearMs,
      )
    }
    const after = await tellAll(place, clock)
    const report = await journal.log.verify(undefined)
    const archives = await journal.log.verifyArchives({ folder, isSigned: async () => true })
    return { before, after, report, archives }
  } finally {
    await journal.shut()
  }
}
