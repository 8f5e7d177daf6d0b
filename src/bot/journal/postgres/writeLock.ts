/** The one right to write: any number will do that no other program takes in the journal's own database. */
const key = 8_235_014_426_337_116n

/**
 * How a transaction that writes begins, in one message. Read committed, because the look at the lock is a statement
 * of its own: with any other level what is read would be from before it was granted.
 */
export const writeLock = {
  begin: `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL synchronous_commit = on; SELECT pg_advisory_xact_lock(${key})`,
} as const
