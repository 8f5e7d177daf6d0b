import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './tables.ts'

/** Runs the work inside the transaction that is open, or inside one of its own: a transaction has none within it. */
export const inTransaction = <result>(
  db: Kysely<Tables>,
  work: (trx: Transaction<Tables>) => Promise<result>,
): Promise<result> =>
  db.isTransaction ? work(db as Transaction<Tables>) : db.transaction().execute(work)
