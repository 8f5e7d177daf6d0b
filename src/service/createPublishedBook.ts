import { createHash } from 'node:crypto'
import type { OrderPair } from '../api/orderbook.ts'
import type { Snapshot } from './createSnapshots.ts'

/** The order book as it leaves: written once, sent to each client that requests this version. */
export type PublishedBook = {
  readonly bytes: Buffer
  /** Of the content: a new block with the same book has the same one. */
  readonly etag: string
}

/** Writes each version of the book once. A version is a block's state, an expiry, and whatever `revision` counts. */
export function createPublishedBook({
  expirySeconds,
  revision,
  onWrite,
}: {
  expirySeconds: number
  /** Changes when rows change within a block, as when a maker's inventory is reserved. */
  revision: () => number
  onWrite: () => void
}): (snapshot: Snapshot) => PublishedBook {
  let last: { snapshot: Snapshot; revision: number; book: PublishedBook } | undefined
  return (snapshot) => {
    const now = revision()
    if (last?.snapshot === snapshot && last.revision === now) return last.book
    const rows = snapshot.states.flatMap((state) => state.rows(expirySeconds))
    last = { snapshot, revision: now, book: write(rows) }
    onWrite()
    return last.book
  }
}

function write(rows: readonly OrderPair[]): PublishedBook {
  const bytes = Buffer.from(JSON.stringify(rows))
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return { bytes, etag: `"${hash}"` }
}
