import type { JournalReader } from '../../bot/journal/readJournal.ts'
import { type SwapTiming, timingsOf } from '../../tape/timings.ts'

/** So many of the newest settled swaps say how long one takes. */
const swapsMax = 500

/** How long the journal's newest swaps took; nothing without a journal. */
export async function readTimings(
  journal: JournalReader | undefined,
): Promise<readonly SwapTiming[]> {
  if (journal === undefined) return []
  const newest = await journal.swaps.history({ limit: swapsMax, outcome: 'settled' })
  return timingsOf(await journal.swaps.dossiers(newest.map(({ id }) => id)))
}
