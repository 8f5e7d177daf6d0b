import { dirname, join } from 'node:path'
import type { Clock } from '../../core/clock.ts'
import type { Coin } from '../../core/token.ts'
import { createAftermathReader } from './aftermath/aftermath.ts'
import { createAlertsReader } from './alerts/alerts.ts'
import { createArchives } from './archive/createArchives.ts'
import { createArchivingReader } from './archive/createArchiving.ts'
import { createJournalLog } from './audit/verifyLog.ts'
import { createReconciliationReader } from './books/books.ts'
import { createDecisionsReader } from './decisions/decisions.ts'
import { leaseHeld } from './holdJournal.ts'
import { createLimits } from './limits/limits.ts'
import { createLocksReader } from './locks/createLocks.ts'
import { createPaperReader } from './paper/paperMoney.ts'
import { openDatabaseToRead } from './schema/openDatabase.ts'
import { createSlotsReader } from './slots/slots.ts'
import type { Database } from './store/database.ts'
import { type Store, shutStore } from './store/store.ts'
import { createSwapsReader } from './swaps/createSwaps.ts'
import { createValuationsReader } from './valuations/valuations.ts'
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
  archives = join(dirname(haltFile), 'archives'),
}: {
  database: Database
  clock: Clock
  haltFile: string
  coin?: Coin
  /** The folder of the archives. */
  archives?: string
}) {
  const db = await openDatabaseToRead(database)
  const store: Store = {
    ...{ db, clock, haltFile, coin, fence: undefined },
    ...{ disk: () => undefined, moved: () => undefined },
    archives: createArchives(db, archives),
  }
  return {
    swaps: createSwapsReader(store),
    locks: createLocksReader(store),
    alerts: createAlertsReader(store),
    decisions: createDecisionsReader(store),
    slots: createSlotsReader(store),
    limits: createLimits(store),
    allowances: createAllowances(store),
    wallet: createWalletReader(store),
    log: createJournalLog(store),
    archiving: createArchivingReader(store),
    aftermath: createAftermathReader(store),
    valuations: createValuationsReader(store),
    reconciliation: createReconciliationReader(store),
    /** Virtual money of a run on paper; none in a live journal. */
    paper: createPaperReader(store),
    /** The spender now, as host and process, and since when; undefined where there is none, and for a file: see `lockHolder`. */
    leaseHolder: () => leaseHeld(db, database),
    shut: () => shutStore(store),
  }
}
