import type { Clock } from '../../core/clock.ts'
import type { Coin } from '../../core/token.ts'
import type { Simulated } from '../stages.ts'
import { type Journal, journalOn } from './openJournal.ts'
import { openBalances, paperBalances, paperMoney } from './paper/paperMoney.ts'
import { settlePaper } from './paper/settlePaper.ts'
import { openKind } from './schema/openKind.ts'
import type { Database } from './store/database.ts'
import type { Fence } from './store/postgres/takeLease.ts'

/** What takes signed bytes, or tells what a chain did with them. */
const ofBytes = [
  'adoptWallet',
  'releaseWallet',
  'commitQuote',
  'commitSwap',
  'commitApproval',
  'commitCancel',
  'commitBump',
  'noteSent',
  'include',
  'uninclude',
  'settle',
  'closeApproval',
  'abandonApproval',
] as const

/** A journal without all that belongs to signed bytes: what live books and those on paper have in common. */
export type UnsignedJournal = Omit<Journal, (typeof ofBytes)[number]>

/** The books of a run on paper. */
export type PaperJournal = Awaited<ReturnType<typeof openPaperJournal>>

type Second<action extends (db: never, facts: never) => unknown> = Parameters<action>[1]

/**
 * Opens the books of a run on paper: the same tables, limits and locks, a virtual balance for each token, and no way to
 * store signed bytes. Begins them where there are none; throws JOURNAL_IS_LIVE for those of real money.
 */
export async function openPaperJournal({
  database,
  clock,
  haltFile,
  coin,
  fence,
}: {
  database: Database
  clock: Clock
  haltFile: string
  coin: Coin
  fence?: Fence | undefined
}) {
  const db = await openKind(database, { kind: 'paper', fence })
  const at = () => clock.now()
  return {
    ...withoutBytes(journalOn(db, { clock, haltFile, coin, fence })),
    /** Throws PAPER_BEGUN where balances are given to a run that has some. */
    openBalances: (opening: Omit<Second<typeof openBalances>, 'at'>) =>
      openBalances(db, { ...opening, at: at() }),
    balances: (owner: Second<typeof paperBalances>) => paperBalances(db, owner),
    money: (owner: Second<typeof paperMoney>) => paperMoney(db, owner),
    /** Books a fill. Throws LOCKED where a lock forbids it, and PAPER_OVERDRAWN where the money is not there. */
    settlePaper: (simulated: Simulated) => settlePaper(db, { simulated, at: at(), haltFile, coin }),
  }
}

function withoutBytes(journal: Journal): UnsignedJournal {
  const kept = Object.entries(journal).filter(([name]) => !ofBytes.some((one) => one === name))
  return Object.fromEntries(kept) as UnsignedJournal
}
