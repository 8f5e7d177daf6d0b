import { openPaperJournal } from '../bot/journal/openPaperJournal.ts'
import type { Lock } from '../bot/lock.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'
import { whoRuns } from './whoRuns.ts'

/** Releases locks of a run on paper: one, or all of them. There is no nonce to go on from. */
export async function releaseOnPaper(
  { database, haltFile, tokens }: Config,
  { id, reason, clock }: { id: number | undefined; reason: string; clock: Clock },
): Promise<readonly Lock[]> {
  const journal = await openPaperJournal({ database, haltFile, clock, coin: tokens })
  try {
    return (await journal.locks.releasable()).length === 0 && id === undefined
      ? []
      : await journal.locks.release({ id, reason, by: whoRuns() })
  } finally {
    await journal.shut()
  }
}
