import type { Clock } from '../../core/clock.ts'
import type { Address, Coin } from '../../core/token.ts'
import type { Lock } from '../lock.ts'
import type { Plan } from '../stages.ts'
import { verifyLog } from './audit/verifyLog.ts'
import {
  countRefusals,
  type DecisionPage,
  findDecisions,
  latestDecisions,
  pageDecisions,
  refusalsOf,
} from './decisions/decisions.ts'
import { inputsOf, ownInputs } from './decisions/inputs.ts'
import { leaseHolder } from './holdJournal.ts'
import { spent } from './limits/spent.ts'
import type { Subject } from './locks/covers.ts'
import { guard, haltByFile } from './locks/guard.ts'
import { assertLocks, liveLocks, locksAt } from './locks/locks.ts'
import { recordsOfSwap } from './log/log.ts'
import { paperBalances } from './paper/paperMoney.ts'
import { openDatabaseToRead } from './schema/openDatabase.ts'
import { missedAndFailedSlots, pageSlots, type SlotPage } from './slots/slots.ts'
import type { Database } from './store/database.ts'
import { openSwaps } from './store/openIds.ts'
import { dossiers, pageSwaps, type SwapPage } from './swaps/dossiers.ts'
import { idsLike, swapHistory, swapRecord, swapsOfSlot } from './swaps/history.ts'
import { quoteSeen } from './swaps/reserve.ts'
import { liabilities } from './wallet/allowances.ts'
import { type MovePage, pageMoves } from './wallet/ledger.ts'
import { walletState } from './wallet/wallet.ts'

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
    refusalsOf: (decision: number) => refusalsOf(db, decision),
    countRefusals: (span: Second<typeof countRefusals>) => countRefusals(db, span),
    quoteSeen: (quote: Second<typeof quoteSeen>) => quoteSeen(db, quote),
    standingOf: (strategy: string, params: unknown) => inputsOf(db, strategy, params),
    ownStanding: (strategy: string) => ownInputs(db, strategy),
    liabilities: (wallet: Address) => liabilities(db, { wallet }),
    history: (page: Second<typeof swapHistory>) => swapHistory(db, page),
    record: (id: string) => swapRecord(db, id),
    dossiers: (ids: readonly string[]) => dossiers(db, ids),
    factsOfSwap: (id: string) => recordsOfSwap(db, id),
    idsLike: (text: string) => idsLike(db, text),
    swapsOfSlot: (slot: Second<typeof swapsOfSlot>) => swapsOfSlot(db, slot),
    findDecisions: (wanted: Second<typeof findDecisions>) => findDecisions(db, wanted),
    latestDecisions: () => latestDecisions(db),
    /** Those that held at an instant, released since or not. */
    locksAt: (at: number) => locksAt(db, at),
    pageSwaps: (page: SwapPage) => pageSwaps(db, page),
    pageDecisions: (page: DecisionPage) => pageDecisions(db, page),
    pageSlots: (page: SlotPage) => pageSlots(db, page),
    undoneSlots: (wanted: Second<typeof missedAndFailedSlots>) => missedAndFailedSlots(db, wanted),
    pageMoves: (page: MovePage) => pageMoves(db, page),
    verifyAudit: (wanted: string | undefined) => verifyLog(db, { wanted, clock }),
    /** Who spends from it now, as host and process; undefined where nobody does, and for a file: see `lockHolder`. */
    leaseHolder: () => leaseHolder(db, database),
    shut: () => db.destroy(),
  }
}
