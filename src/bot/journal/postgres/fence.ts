/** What says, inside a transaction, whether this process may still write. */
export type Fence = {
  /** Throws LEASE_LOST where it must not: by this process's own clock, without asking anybody. */
  assertHeld(): void
  /** Answers with a row where the lease holds in the database's own words, and with none where it does not. */
  readonly sql: string
  /** Throws what is to be thrown when it does not. Nothing is written by this process afterwards. */
  lost(): never
}
