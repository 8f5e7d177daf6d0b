import { readJournal } from '../../bot/journal/readJournal.ts'
import { journalExists } from '../../bot/journal/schema/openDatabase.ts'
import type { Database } from '../../bot/journal/store/database.ts'
import type { Clock } from '../../core/clock.ts'
import { BallastError } from '../../core/errors.ts'
import { secondMs } from '../../core/spans.ts'
import type { Address, Coin } from '../../core/token.ts'
import { holdsWallet } from './holdsWallet.ts'

const pollMs = secondMs

/**
 * Waits while a lock holds the whole wallet: a person lets go of it, and until then nothing is opened for it. For a journal
 * that is new, or of an older version, there is nothing to wait for: it is brought up to date where it is opened.
 */
export async function whileLocked(
  {
    database,
    haltFile,
    wallet: { address },
    tokens: coin,
  }: {
    readonly database: Database
    readonly haltFile: string
    readonly wallet: { readonly address: Address }
    readonly tokens: Coin
  },
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  if (!(await journalExists(database))) return
  const journal = await readJournal({ database, clock, haltFile, coin }).catch((error: unknown) => {
    if (error instanceof BallastError && error.code === 'JOURNAL_OLDER') return undefined
    throw error
  })
  if (journal === undefined) return
  try {
    while (!signal.aborted) {
      const open = (await journal.swaps.open()).length
      if (!holdsWallet(await journal.locks.live(), { address, open })) return
      await clock.sleep(pollMs, signal).catch(() => undefined)
    }
  } finally {
    await journal.shut()
  }
}
