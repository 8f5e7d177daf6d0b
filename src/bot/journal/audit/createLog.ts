import { lastEntry, recordsOfSwap } from '../log/log.ts'
import { bound, type Store } from '../store/store.ts'
import { assertConsistent } from './assertConsistent.ts'
import { verifyLog } from './verifyLog.ts'

/** The log of a journal, and what it is worth. */
export const createLog = ({ db, clock }: Store) => ({
  ...bound({ db }, { lastEntry, ofSwap: recordsOfSwap }),
  /** Hash of the newest entry: whoever knows it sees later whether the end of the log was cut off. */
  head: async (): Promise<string> => (await lastEntry(db)).hash,
  verify: (wanted: string | undefined) => verifyLog(db, { wanted, clock }),
  /** Throws JOURNAL_INCONSISTENT where its end, or what the journal has open, contradicts itself. */
  assertConsistent: () => db.transaction().execute((trx) => assertConsistent(trx)),
})
