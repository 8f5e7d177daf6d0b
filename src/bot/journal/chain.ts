import { createHash } from 'node:crypto'
import type { EventTable } from './tables.ts'

/** What the first entry follows. */
export const genesis = '0'.repeat(64)

/** One entry as it is hashed. `facts` is the text of the row, so what is hashed is what is read. */
export type ChainedEntry = Pick<EventTable, 'swap_id' | 'at' | 'type' | 'facts'> & { readonly seq: number }

/** SHA-256 of the hash before it and the entry, as 64 hex digits: an entry cannot change without every later one. */
export function chainHash(prev: string, { seq, swap_id, at, type, facts }: ChainedEntry): string {
  // Keys in alphabetical order and no spaces: one entry has one text.
  const entry = JSON.stringify({ at, facts, seq, swap_id, type })
  return createHash('sha256').update(prev).update(entry).digest('hex')
}
