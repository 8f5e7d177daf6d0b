import { createHash } from 'node:crypto'
import type { OrderLevel, OrderPair } from '../api/orderbook.ts'
import { formatDecimal } from '../core/decimal.ts'
import { fractionOf } from '../core/fractionOf.ts'
import { smaller } from '../core/holdings.ts'
import type { Token } from '../core/token.ts'
import type { Snapshot } from './createSnapshots.ts'
import { lengthen, shorten } from './makers/levels.ts'

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
  tokens,
  revision,
  onWrite,
}: {
  expirySeconds: number
  /** Whether each ask is listed as a bid for its quote token as well: many clients read bids alone. */
  mirrored: boolean
  /** Every one that is traded: their decimals are the finest an amount may have. */
  tokens: readonly Token[]
  /** Changes when rows change within a block, as when a maker's inventory is reserved. */
  revision: () => number
  onWrite: () => void
}): (snapshot: Snapshot) => PublishedBook {
  const decimals = new Map(tokens.map((token) => [token.address, token.decimals]))
  const mirror = (row: OrderPair) =>
    row.side === 'bid' ? [] : (asBid(row, decimals.get(row.quote_address) ?? 0) ?? [])
  let last: { snapshot: Snapshot; revision: number; book: PublishedBook } | undefined
  return (snapshot) => {
    const now = revision()
    if (last?.snapshot === snapshot && last.revision === now) return last.book
    const rows = snapshot.states.flatMap((state) => state.rows(expirySeconds))
    // Behind the rows they repeat: who reads both spellings of a pair keeps the first.
    const asks = mirrored ? rows.flatMap(mirror) : []
    last = { snapshot, revision: now, book: write([...rows.map(fromMinimum), ...asks]) }
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

/**
 * An ask of the base as a bid for the quote token: first a level that is the minimum, rounded up to a unit, then the rest
 * rounded down. Levels that get worse promise no more than the ask; undefined where nothing of it can be traded.
 */
function asBid(
  { levels, minimum_in_base, ...pair }: OrderPair,
  decimals: number,
): OrderPair | undefined {
  const asks = levels.map(([amount, price]) => ({ amount: exact(amount), price: exact(price) }))
  const minimum = exact(minimum_in_base)
  if (asks.reduce((sum, { amount }) => sum + amount, 0n) < minimum) return undefined
  const unit = 10n ** BigInt(decimals)
  const unitCost = one ** 2n / unit
  const least = lengthen((costOf(asks, minimum) + unitCost - 1n) / unitCost)
  const bids: OrderLevel[] = []
  let [cost, listed] = [0n, 0n]
  const list = (units: bigint, price: bigint) => {
    if (units === 0n) return
    bids.push([numberOf(units, decimals), numberOf(shorten(price), scale)])
    listed += units
  }
  for (const { amount, price } of asks) {
    // A price that buys nothing, as a maker may state it.
    if (price === 0n) return undefined
    const isFirst = cost === 0n
    cost += amount * price
    const inverse = one ** 2n / price
    if (cost < least * unitCost) continue
    // A minimum that reaches beyond the first level has the price of all of it.
    if (listed === 0n && least > 0n) list(least, isFirst ? inverse : (minimum * unit) / least)
    list(shorten(cost / unitCost - listed), inverse)
  }
  if (bids.length === 0) return undefined
  return {
    base_symbol: pair.quote_symbol,
    base_address: pair.quote_address,
    quote_symbol: pair.base_symbol,
    quote_address: pair.base_address,
    levels: bids,
    side: 'bid',
    minimum_in_base: numberOf(least, decimals),
  }
}

/** More decimals than any token or price has. */
const scale = 36
const one = 10n ** BigInt(scale)

function exact(value: number): bigint {
  const { numerator, denominator } = fractionOf(value)
  return (numerator * one) / denominator
}

const numberOf = (units: bigint, decimals: number) => Number(formatDecimal(units, decimals))

/** The price of so much of the base, walked level by level. */
function costOf(
  levels: readonly { readonly amount: bigint; readonly price: bigint }[],
  wanted: bigint,
): bigint {
  let left = wanted
  return levels.reduce((sum, { amount, price }) => {
    const taken = smaller(left, amount)
    left -= taken
    return sum + taken * price
  }, 0n)
}
