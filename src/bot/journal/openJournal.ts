import type { Kysely } from 'kysely'
import type { Hex } from '../../chain/calls/fields.ts'
import type { Clock } from '../../core/clock.ts'
import type { Address, Coin } from '../../core/token.ts'
import type { Act, NewLock } from '../lock.ts'
import type { Plan, Planned, Signed, Simulated, Spent } from '../stages.ts'
import { assertConsistent } from './audit/assertConsistent.ts'
import { verifyLog } from './audit/verifyLog.ts'
import { books, cleanMark, markClean, noteBroken } from './books/books.ts'
import { endFacts, lastLook } from './decisions/breakerFacts.ts'
import {
  type Decided,
  latestDecisions,
  noteRefusal,
  recordDecision,
} from './decisions/decisions.ts'
import { inputsOf, ownInputs } from './decisions/inputs.ts'
import { spent } from './limits/spent.ts'
import type { Subject } from './locks/covers.ts'
import { guard, haltFileExists, haltOfFile } from './locks/guard.ts'
import { assertLocks, liveLocks, openLock, releasableLocks, releaseLocks } from './locks/locks.ts'
import { lastEntry, logHead } from './log/log.ts'
import { openKind } from './schema/openKind.ts'
import {
  begunSlots,
  type ClosedSlot,
  closeSlot,
  lastClosedSlot,
  slotProgress,
} from './slots/slots.ts'
import type { Database } from './store/database.ts'
import { openSwaps } from './store/openIds.ts'
import type { Fence } from './store/postgres/takeLease.ts'
import type { Tables } from './store/tables.ts'
import { evidenceOf, swapHistory, swapRecord } from './swaps/history.ts'
import { loadSwap } from './swaps/load.ts'
import { commitQuote, quoteSeen, reserve, type SlotTry } from './swaps/reserve.ts'
import { commitApproval, commitBump, commitCancel, commitSwap } from './swaps/signedBytes.ts'
import {
  abandonApproval,
  closeApproval,
  closeSwap,
  includeSwap,
  noteSent,
  settleSwap,
  unincludeSwap,
} from './swaps/transitions.ts'
import { liabilities } from './wallet/allowances.ts'
import { balanceLedger } from './wallet/ledger.ts'
import { adoptWallet, releaseWallet, walletState } from './wallet/wallet.ts'

type Without<fields> = Omit<fields, 'at'>
type Second<action extends (db: never, facts: never) => unknown> = Parameters<action>[1]

/** Everything that is durable. Each write is one transaction, on disk when its promise resolves. */
export type Journal = Awaited<ReturnType<typeof openJournal>>

/**
 * Opens the journal; creates it where there is none. A file at `haltFile` is a halt. Whoever plans or signs names the
 * `coin`, so that its two names are one asset to a pair's lock and to the cooldown, and the `fence` that holds for it.
 * Books of the other kind are refused.
 */
export async function openJournal({
  database,
  clock,
  haltFile,
  coin,
  fence,
}: {
  database: Database
  clock: Clock
  haltFile: string
  coin?: Coin
  fence?: Fence | undefined
}) {
  const db = await openKind(database, { kind: 'live', fence })
  return journalOn(db, { clock, haltFile, coin, fence })
}

/** Everything that can be done with a journal's database, whichever kind of books it is. */
export function journalOn(
  db: Kysely<Tables>,
  {
    clock,
    haltFile,
    coin,
    fence,
  }: { clock: Clock; haltFile: string; coin: Coin | undefined; fence: Fence | undefined },
) {
  const now = () => clock.now()
  /** The file becomes a lock as soon as anybody looks, so that removing it does not let go. */
  const adoptHaltFile = async () => {
    if (haltFileExists(haltFile)) await openLock(db, { lock: haltOfFile(haltFile), at: now() })
  }
  return {
    adoptWallet: (facts: Second<typeof adoptWallet>) => adoptWallet(db, facts),
    /** Throws LOCKED where a lock forbids the act. */
    async guard(act: Act, subject: Subject | { readonly swapId: string }): Promise<void> {
      fence?.assertHeld()
      await adoptHaltFile()
      await guard(db, { act, subject, at: now(), haltFile, coin })
    },
    openLock: (lock: NewLock) => openLock(db, { lock, at: now() }),
    /** Those that hold now, oldest first. */
    async locks() {
      // Whoever watches its locks hears of a lease that is gone as of a halt.
      fence?.assertHeld()
      await adoptHaltFile()
      return liveLocks(db, { at: now() })
    },
    /** Throws LOCKS_CHANGED where they are not those that the log says. */
    assertLocks: () => assertLocks(db, { at: now() }),
    /** Throws JOURNAL_INCONSISTENT where its end, or what it has open, contradicts itself. */
    assertConsistent: () => db.transaction().execute((trx) => assertConsistent(trx)),
    /** Those that hold now, and those that only the log says hold. */
    async releasable() {
      await adoptHaltFile()
      return db.transaction().execute((trx) => releasableLocks(trx, { at: now() }))
    },
    releaseLocks: (release: Without<Second<typeof releaseLocks>>) =>
      releaseLocks(db, { ...release, at: now() }),
    haltFile,
    releaseWallet: (facts: Without<Second<typeof releaseWallet>>) =>
      releaseWallet(db, { ...facts, at: now() }),
    walletState: (facts: Second<typeof walletState>) => walletState(db, facts),
    spent: (plan: Plan) => spent(db, { plan, at: now(), coin }),
    quoteSeen: (quote: Second<typeof quoteSeen>) => quoteSeen(db, quote),
    reserve: (planned: Planned, screen: (spent: Spent) => void, slot?: SlotTry) =>
      reserve(db, { planned, at: now(), coin, screen, slot }),
    commitQuote: (simulated: Simulated) => commitQuote(db, { simulated, at: now() }),
    commitSwap: (signed: Signed, deadline: number) =>
      commitSwap(db, { signed, deadline, at: now(), haltFile, coin }),
    commitApproval: (signed: Signed) => commitApproval(db, { signed, at: now(), haltFile, coin }),
    commitCancel: (signed: Signed, replaces: Hex) =>
      commitCancel(db, { signed, replaces, at: now(), haltFile, coin }),
    commitBump: (signed: Signed, replaces: Hex) =>
      commitBump(db, { signed, replaces, at: now(), haltFile, coin }),
    liabilities: (wallet: Address) => liabilities(db, { wallet }),
    noteSent: (facts: Without<Second<typeof noteSent>>) => noteSent(db, { ...facts, at: now() }),
    include: (facts: Without<Second<typeof includeSwap>>) =>
      includeSwap(db, { ...facts, at: now() }),
    uninclude: (facts: Without<Second<typeof unincludeSwap>>) =>
      unincludeSwap(db, { ...facts, at: now() }),
    settle: (facts: Without<Second<typeof settleSwap>>) => settleSwap(db, { ...facts, at: now() }),
    close: (facts: Without<Second<typeof closeSwap>>) => closeSwap(db, { ...facts, at: now() }),
    closeApproval: (facts: Without<Second<typeof closeApproval>>) =>
      closeApproval(db, { ...facts, at: now() }),
    abandonApproval: (facts: Without<Second<typeof abandonApproval>>) =>
      abandonApproval(db, { ...facts, at: now() }),
    endFacts: (facts: Without<Second<typeof endFacts>>) => endFacts(db, { ...facts, at: now() }),
    lastLook: (facts: Second<typeof lastLook>) => lastLook(db, facts),
    balanceLedger: (look: Without<Second<typeof balanceLedger>>) =>
      balanceLedger(db, { ...look, at: now() }),
    auditHead: () => logHead(db),
    verifyAudit: (wanted: string | undefined) => verifyLog(db, { wanted, clock }),
    /** What is compared with the chain. */
    books: books(db, clock),
    noteBroken: (facts: Without<Second<typeof noteBroken>>) =>
      noteBroken(db, { ...facts, at: now() }),
    lastEntry: () => lastEntry(db),
    cleanMark: (scope: Second<typeof cleanMark>) => cleanMark(db, scope),
    markClean: (clean: Second<typeof markClean>) => markClean(db, clean),
    load: (swapId: string) => loadSwap(db, swapId),
    openSwaps: () => openSwaps(db),
    recordDecision: (decided: Decided) => recordDecision(db, decided),
    noteRefusal: (refusal: Without<Second<typeof noteRefusal>>) =>
      noteRefusal(db, { ...refusal, at: now() }),
    latestDecisions: () => latestDecisions(db),
    history: (page: Second<typeof swapHistory>) => swapHistory(db, page),
    record: (id: string) => swapRecord(db, id),
    evidence: (swapId: string) => evidenceOf(db, swapId),
    standingOf: (strategy: string, params: unknown) => inputsOf(db, strategy, params),
    ownStanding: (strategy: string) => ownInputs(db, strategy),
    closeSlot: (closed: ClosedSlot) => closeSlot(db, { ...closed, at: now() }),
    lastClosedSlot: (strategy: string) => lastClosedSlot(db, { strategy, at: clock.now() }),
    begunSlots: (range: Second<typeof begunSlots>) => begunSlots(db, range),
    slotStanding: (slot: Second<typeof slotProgress>) => slotProgress(db, slot),
    shut: () => db.destroy(),
  }
}
