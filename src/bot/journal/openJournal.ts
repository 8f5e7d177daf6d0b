import type { Clock } from '../../core/clock.ts'
import type { Plan, Planned, Signed, Simulated, Spent } from '../stages.ts'
import { commitApproval, commitCancel, commitQuote, commitSwap } from './commit.ts'
import { type Decided, latestDecisions, recordDecision } from './decisions.ts'
import { evidence, history, record, standingOf } from './history.ts'
import { load, openSwaps } from './load.ts'
import { openDatabase } from './openDatabase.ts'
import { quoteSeen } from './quoteSeen.ts'
import { reserve } from './reserve.ts'
import { spent } from './spent.ts'
import {
  abandonApproval,
  close,
  closeApproval,
  include,
  noteSent,
  settle,
  uninclude,
} from './transitions.ts'
import { adoptWallet, haltWallet, releaseWallet, walletState } from './wallet.ts'

type Without<fields> = Omit<fields, 'at'>
type Second<action extends (db: never, facts: never) => unknown> = Parameters<action>[1]

/** Everything that is durable. Each write is one transaction, on disk when its promise resolves. */
export type Journal = Awaited<ReturnType<typeof openJournal>>

/** Opens the journal; creates it where there is none. */
export async function openJournal({ path, clock }: { path: string; clock: Clock }) {
  const db = await openDatabase(path)
  const now = () => clock.now()
  return {
    adoptWallet: (facts: Second<typeof adoptWallet>) => adoptWallet(db, facts),
    haltWallet: (facts: Second<typeof haltWallet>) => haltWallet(db, facts),
    releaseWallet: (facts: Without<Second<typeof releaseWallet>>) =>
      releaseWallet(db, { ...facts, at: now() }),
    walletState: (facts: Second<typeof walletState>) => walletState(db, facts),
    spent: (plan: Plan) => spent(db, { plan, at: now() }),
    quoteSeen: (quote: Second<typeof quoteSeen>) => quoteSeen(db, quote),
    reserve: (planned: Planned, screen: (spent: Spent) => void) =>
      reserve(db, { planned, at: now(), screen }),
    commitQuote: (simulated: Simulated) => commitQuote(db, { simulated, at: now() }),
    commitSwap: (signed: Signed, deadline: number) =>
      commitSwap(db, { signed, deadline, at: now() }),
    commitApproval: (signed: Signed) => commitApproval(db, { signed, at: now() }),
    commitCancel: (signed: Signed) => commitCancel(db, { signed, at: now() }),
    noteSent: (facts: Without<Second<typeof noteSent>>) => noteSent(db, { ...facts, at: now() }),
    include: (facts: Without<Second<typeof include>>) => include(db, { ...facts, at: now() }),
    uninclude: (facts: Without<Second<typeof uninclude>>) => uninclude(db, { ...facts, at: now() }),
    settle: (facts: Without<Second<typeof settle>>) => settle(db, { ...facts, at: now() }),
    close: (facts: Without<Second<typeof close>>) => close(db, { ...facts, at: now() }),
    closeApproval: (facts: Second<typeof closeApproval>) => closeApproval(db, facts),
    abandonApproval: (facts: Second<typeof abandonApproval>) => abandonApproval(db, facts),
    load: (swapId: string) => load(db, swapId),
    openSwaps: () => openSwaps(db),
    recordDecision: (decided: Decided) => recordDecision(db, decided),
    latestDecisions: () => latestDecisions(db),
    history: (page: Second<typeof history>) => history(db, page),
    record: (id: string) => record(db, id),
    evidence: (swapId: string) => evidence(db, swapId),
    standingOf: (strategy: string) => standingOf(db, strategy),
    shut: () => db.destroy(),
  }
}
