import { createHash } from 'node:crypto'
import type { OrderLevel, OrderPair } from '../api/orderbook.ts'
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
  mirrored,
  revision,
  onWrite,
}: {
  expirySeconds: number
  /** Whether each ask is listed as a bid for its quote token as well: many clients read bids alone. */
  mirrored: boolean
  /** Changes when rows change within a block, as when a maker's inventory is reserved. */
  revision: () => number
  onWrite: () => void
}): (snapshot: Snapshot) => PublishedBook {
  let last: { snapshot: Snapshot; revision: number; book: PublishedBook } | undefined
  return (snapshot) => {
    const now = revision()
    if (last?.snapshot === snapshot && last.revision === now) return last.book
    const rows = snapshot.states.flatMap((state) => state.rows(expirySeconds)).map(fromMinimum)
    // Behind the rows they repeat: who reads both spellings of a pair keeps the first.
    const asks = mirrored ? rows.filter(({ side }) => side === 'ask').map(asBid) : []
    last = { snapshot, revision: now, book: write([...rows, ...asks]) }
    onWrite()
    return last.book
  }
}

function write(rows: readonly OrderPair[]): PublishedBook {
  const bytes = Buffer.from(JSON.stringify(rows))
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return { bytes, etag: `"${hash}"` }
}

/** With a first level that ends at the minimum: many clients read it as one. */
function fromMinimum(row: OrderPair): OrderPair {
  const { levels, minimum_in_base: minimum } = row
  const [[amount, price] = [0, 0], ...others] = levels
  const rest = Number((amount - minimum).toPrecision(15))
  // Only where the two parts are the level to its last digit.
  if (minimum === 0 || rest <= 0 || Number((minimum + rest).toPrecision(15)) !== amount) return row
  return { ...row, levels: [[minimum, price], [rest, price], ...others] }
}

/** An ask of the base as a bid for the quote token. Its numbers are rounded so that they never promise more. */
function asBid({ levels, minimum_in_base, ...pair }: OrderPair): OrderPair {
  return {
    base_symbol: pair.quote_symbol,
    base_address: pair.quote_address,
    quote_symbol: pair.base_symbol,
    quote_address: pair.base_address,
    levels: levels.map(([amount, price]): OrderLevel => [lower(amount * price), lower(1 / price)]),
    side: 'bid',
    minimum_in_base: minimum_in_base === 0 ? 0 : higher(minimum_in_base * (levels[0]?.[1] ?? 0)),
  }
}

/** What a double of 15 digits and one multiplication may be off by. */
const doubt = 2e-15
const lower = (value: number) => Number((value * (1 - doubt)).toPrecision(15))
const higher = (value: number) => Number((value * (1 + doubt)).toPrecision(15))
