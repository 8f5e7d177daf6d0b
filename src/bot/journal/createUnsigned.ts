import { createAftermath } from './aftermath/aftermath.ts'
import { createAlerts } from './alerts/alerts.ts'
import { createArchiving } from './archive/createArchiving.ts'
import { createJournalLog } from './audit/verifyLog.ts'
import { createBooks, createReconciliation } from './books/books.ts'
import { countBooks } from './books/countBooks.ts'
import { createBreakerFacts } from './decisions/breakerFacts.ts'
import { createDecisions } from './decisions/decisions.ts'
import { createLimits } from './limits/limits.ts'
import { createLocks } from './locks/createLocks.ts'
import { createSlots } from './slots/slots.ts'
import { bound, type Store, shutStore } from './store/store.ts'
import { createSwaps } from './swaps/createSwaps.ts'
import { createValuations } from './valuations/valuations.ts'
import { createAllowances } from './wallet/allowances.ts'
import { createWallet } from './wallet/wallet.ts'

/** The common part of live books and those on paper: nothing that takes signed bytes. */
export type UnsignedJournal = ReturnType<typeof createUnsigned>

/** The repositories of a journal that only plans: those of signed bytes, or of virtual money, come on top. */
export const createUnsigned = (store: Store) => ({
  swaps: createSwaps(store),
  locks: createLocks(store),
  decisions: createDecisions(store),
  slots: createSlots(store),
  limits: createLimits(store),
  allowances: createAllowances(store),
  wallet: createWallet(store),
  breakers: createBreakerFacts(store),
  aftermath: createAftermath(store),
  valuations: createValuations(store),
  alerts: createAlerts(store),
  log: createJournalLog(store),
  /** The books to compare with the chain. */
  books: createBooks(store),
  reconciliation: createReconciliation(store),
  ...bound(store, { countBooks }),
  archiving: createArchiving(store),
  haltFile: store.haltFile,
  /** Why its file is not at its path any more; undefined while it is. Nothing new begins then. */
  moved: store.moved,
  shut: () => shutStore(store),
})
