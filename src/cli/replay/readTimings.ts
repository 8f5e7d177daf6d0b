import type { JournalReader } from '../../bot/journal/readJournal.ts'
import { type SwapTiming, timingsOf } from '../../tape/timings.ts'

/** Among so many of the newest swaps the settled ones say how long one takes, each after the one before it of any end. */
const swapsMax = 500

/** How long the journal's newest swaps took; nothing without a journal. */
export async function readTimings(
  journal: JournalReader | undefined,
): Promise<readonly SwapTiming[]> {
  if (journal === undefined) return []
  const newest = await journal.swaps.history({ limit: swapsMax })
  return timingsOf(await journal.swaps.dossiers(newest.map(({ id }) => id)))
}
