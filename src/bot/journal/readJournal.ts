import type { Clock } from '../../core/clock.ts'
import type { Coin } from '../../core/token.ts'
import { createJournalLog } from './audit/verifyLog.ts'
import { createDecisionsReader } from './decisions/decisions.ts'
import { leaseHolder } from './holdJournal.ts'
import { createLimits } from './limits/limits.ts'
import { createLocksReader } from './locks/createLocks.ts'
import { createPaperReader } from './paper/paperMoney.ts'
import { openDatabaseToRead } from './schema/openDatabase.ts'
import { createSlotsReader } from './slots/slots.ts'
import type { Database } from './store/database.ts'
import type { Store } from './store/store.ts'
import { createSwapsReader } from './swaps/createSwaps.ts'
import { createAllowances } from './wallet/allowances.ts'
import { createWalletReader } from './wallet/wallet.ts'

/** A journal to look at. */
export type JournalReader = Awaited<ReturnType<typeof readJournal>>

/**
 * Opens a journal to look at it, also while another process spends from it. Nothing is made, migrated or written:
 * the database is opened so that it could not be.
 */
export async function readJournal({
  database,
  clock,
  haltFile,
  coin,
}: {
  database: Database
  clock: Clock
  haltFile: string
  coin?: Coin
}) {
  const db = await openDatabaseToRead(database)
  const store: Store = {
    ...{ db, clock, haltFile, coin, fence: undefined },
    ...{ disk: () => undefined, moved: () => undefined },
  }
  return {
    swaps: createSwapsReader(store),
    locks: createLocksReader(store),
    decisions: createDecisionsReader(store),
    slots: createSlotsReader(store),
    limits: createLimits(store),
    allowances: createAllowances(store),
    wallet: createWalletReader(store),
    log: createJournalLog(store),
    /** Virtual money of a run on paper; none in a live journal. */
    paper: createPaperReader(store),
    /** The spender now, as host and process; undefined where there is none, and for a file: see `lockHolder`. */
    leaseHolder: () => leaseHolder(db, database),
    shut: () => db.destroy(),
  }
}
