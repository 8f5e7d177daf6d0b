import type { Clock } from '../../core/clock.ts'
import type { Address } from '../../core/token.ts'
import type { Lock } from '../lock.ts'
import type { Plan } from '../stages.ts'
import { assertLocks } from './assertLocks.ts'
import { verifyLog } from './audit.ts'
import type { Coin } from './coin.ts'
import type { Subject } from './covers.ts'
import type { Database } from './database.ts'
import { latestDecisions } from './decisions.ts'
import { dossiers } from './dossiers.ts'
import { recordsOfSwap } from './factsOfSwap.ts'
import { findDecisions } from './findDecisions.ts'
import { guard } from './guard.ts'
import { haltByFile } from './haltByFile.ts'
import { swapHistory, swapRecord } from './history.ts'
import { idsLike } from './idsLike.ts'
import { leaseHolder } from './leaseHolder.ts'
import { liabilities } from './liabilities.ts'
import { openSwaps } from './openIds.ts'
import { liveLocks } from './locks.ts'
import { locksAt } from './locksAt.ts'
import { openDatabaseToRead } from './openDatabase.ts'
import { type DecisionPage, pageDecisions } from './pageDecisions.ts'
import { type MovePage, pageMoves } from './pageMoves.ts'
import { pageSlots, type SlotPage } from './pageSlots.ts'
import { pageSwaps, type SwapPage } from './pageSwaps.ts'
import { paperBalances } from './paperMoney.ts'
import { quoteSeen } from './quoteSeen.ts'
import { countRefusals, refusalsOf } from './refusals.ts'
import { spent } from './spent.ts'
import { ownInputs, inputsOf } from './standing.ts'
import { swapsOfSlot } from './swapsOfSlot.ts'
import { missedAndFailedSlots } from './undoneSlots.ts'
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
