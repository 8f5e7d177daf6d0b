import { readJournal } from '../../bot/journal/readJournal.ts'
import { journalExists } from '../../bot/journal/schema/openDatabase.ts'
import type { Clock } from '../../core/clock.ts'
import { BallastError } from '../../core/errors.ts'
import { secondMs } from '../../core/spans.ts'
import type { Address } from '../../core/token.ts'
import { openBooks } from '../openBooks.ts'
import { holdsWallet } from './holdsWallet.ts'

const pollMs = secondMs

type Waiting = { readonly paper: boolean; readonly clock: Clock; readonly signal: AbortSignal }

/**
 * Waits while a lock holds the whole wallet: a person lets go of it, and until then nothing is opened for it. For a journal
 * that is new, or of an older version, there is nothing to wait for: it is brought up to date where it is opened.
 */
export async function whileLocked(
  config: Parameters<typeof openBooks>[0] & { readonly wallet: { readonly address: Address } },
  { paper, clock, signal }: Waiting,
): Promise<void> {
  const { database, haltFile, tokens: coin, wallet } = config
  if (!(await journalExists(database))) return
  const journal = await readJournal({ database, clock, haltFile, coin }).catch((error: unknown) => {
    if (error instanceof BallastError && error.code === 'JOURNAL_OLDER') return undefined
    throw error
  })
  if (journal === undefined) return
  try {
    while (!signal.aborted) {
      const locks = await journal.locks.live()
      const open = (await journal.swaps.open()).length
      if (!holdsWallet(locks, { ...wallet, open })) return
      // The file becomes a lock here as well, so that removing it does not let go.
      if (locks.some(({ id }) => id === 0)) {
        const books = await openBooks(config, { paper, clock })
        await books.locks.live().finally(books.shut)
      }
      await clock.sleep(pollMs, signal).catch(() => undefined)
    }
  } finally {
    await journal.shut()
  }
}
