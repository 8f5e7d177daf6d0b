/** How long PostgreSQL, and this process, wait for what. Milliseconds. */
export const timeouts = {
  /** For a connection: also for one of the pool to be free. */
  connect: 10_000,
  /** For another writer, as long as for the file of SQLite. */
  lock: 5_000,
  /** For one statement; a walk through the whole log reads it in pages. */
  statement: 30_000,
  /** The server ends a transaction whose process stands still, so that a stopped one does not stop all others. */
  idleInTransaction: 10_000,
  /** A server that is gone answers nothing: longer than every limit of its own, it is not waited for. */
  answer: 35_000,
} as const
