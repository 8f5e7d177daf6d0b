import type { Log } from '../bot/report/createLog.ts'
import { type Reconciling, reconcileRecent } from './reconcileWallet.ts'

const day = 24 * 60 * 60 * 1_000

/**
 * Compares the books with the chain once a day, and looks through the whole log, until the signal aborts. A break halts the wallet, which whoever
 * watches the locks notices; what could not be told is a warning.
 */
export async function reconcileDaily(
  reconciling: Reconciling,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<void> {
  for (;;) {
    try {
      await reconciling.clock.sleep(day, signal)
    } catch (error) {
      if (signal.aborted) return
      throw error
    }
    if (signal.aborted) return
    const { checks, locks, head } = await reconcileRecent(reconciling, {
      logDefects: reconciling.journal.books.logDefects,
    })
    for (const { id, verdict, evidence, unknown, breaks } of checks)
      if (verdict !== 'holds') log.warn({ id, verdict, unknown, breaks }, evidence)
    log.info(
      { head, locks: locks.map(({ code }) => code) },
      'the books were compared with the chain',
    )
  }
}
