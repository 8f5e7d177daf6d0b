import type { Clock } from '../../core/clock.ts'
import type { Address } from '../../core/token.ts'
import type { Lock } from '../lock.ts'
import type { Plan } from '../stages.ts'
import { assertLocks } from './assertLocks.ts'
import { verifyAudit } from './audit.ts'
import type { Coin } from './coin.ts'
import type { Database } from './database.ts'
import { guard, type Subject } from './guard.ts'
import { haltByFile } from './haltByFile.ts'
import { history, record } from './history.ts'
import { leaseHolder } from './leaseHolder.ts'
import { liabilities } from './liabilities.ts'
import { openSwaps } from './load.ts'
import { liveLocks } from './locks.ts'
import { openDatabaseToRead } from './openDatabase.ts'
import { paperBalances } from './paperMoney.ts'
import { quoteSeen } from './quoteSeen.ts'
import { spent } from './spent.ts'
import { ownStanding, standingOf } from './standing.ts'
import { walletState } from './wallet.ts'

type Second<action extends (db: never, facts: never) => unknown> = Parameters<action>[1]

/**
 * Opens a journal to look at it, whoever spends from it meanwhile. Nothing is made, migrated or written:
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
  const now = () => clock.now()
  return {
    /** Those that hold now, oldest first. A halt by the file that nobody wrote down yet is the last, with number 0. */
    async locks(): Promise<readonly Lock[]> {
      const live = await liveLocks(db, { at: now() })
      const halt = haltByFile(haltFile, { at: now() })
      return halt === undefined || live.some(({ code }) => code === halt.code)
        ? live
        : [...live, halt]
    },
    /** Throws LOCKS_CHANGED where they are not those that the log says. */
    assertLocks: () => assertLocks(db, { at: now() }),
    /** Throws LOCKED where a lock forbids the act now. */
    guard: (act: 'plan' | 'sign', subject: Subject) =>
      guard(db, { act, subject, at: now(), haltFile, coin }),
    /** Virtual money of a run on paper; none in a live journal. */
    paperBalances: (owner: Second<typeof paperBalances>) => paperBalances(db, owner),
    walletState: (facts: Second<typeof walletState>) => walletState(db, facts),
    openSwaps: () => openSwaps(db),
    spent: (plan: Plan) => spent(db, { plan, at: now(), coin }),
    quoteSeen: (quote: Second<typeof quoteSeen>) => quoteSeen(db, quote),
    standingOf: (strategy: string, params: unknown) => standingOf(db, strategy, params),
    ownStanding: (strategy: string) => ownStanding(db, strategy),
    liabilities: (wallet: Address) => liabilities(db, { wallet }),
    history: (page: Second<typeof history>) => history(db, page),
    record: (id: string) => record(db, id),
    verifyAudit: (wanted: string | undefined) => verifyAudit(db, { wanted, clock }),
    /** Who spends from it now, as host and process; undefined where nobody does, and for a file: see `lockHolder`. */
    leaseHolder: () => leaseHolder(db, database),
    shut: () => db.destroy(),
  }
}
