import type { Address } from '../../core/token.ts'

/** The payment a maker's signature promises, until it is made or can no longer be taken. */
export type Reservation = {
  readonly orderId: bigint
  /** The token the maker pays. */
  readonly token: Address
  readonly amount: bigint
  /** Unix seconds; the order is valid while a block's timestamp is not above it. */
  readonly deadlineSeconds: number
}

/** One maker's stock at one block, all of it read at that block. */
export type Stock = {
  readonly timestamp: number
  /** The smaller of balance and allowance of each token. */
  readonly held: ReadonlyMap<Address, bigint>
  /** Whether the router has consumed an order's id. False when that could not be read: a promise stands until disproved. */
  readonly isUsed: (orderId: bigint) => boolean
}

/** The holdings of one maker and its promises of them, over all of its pairs. */
export type Inventory = {
  /** Held at the newest block and not promised. */
  free(token: Address): bigint
  reserved(token: Address): bigint
  /** Changes whenever {@link free} may have. */
  version(): number
  /** False when there is not that much left, and nothing is reserved. At once: nothing can come in between. */
  reserve(reservation: Reservation): boolean
  /** Takes a reservation back. Only while no other party has seen the signature. */
  withdraw(orderId: bigint): void
  /** Moves to another block, also to one that is not a child of the last: what it undoes is promised again. */
  moveTo(stock: Stock): void
  /** Ids whose use at the next block is to be read: those that can still be taken. */
  openIds(): readonly bigint[]
  /** Reservations kept, for the sake of a reorganisation also those that do not count. */
  remembered(): number
}

/**
 * Keeps a maker from promising the same tokens twice.
 *
 * What is reserved is not counted up and down as events come in; it follows from the block: an order counts unless, at
 * that block, the router has consumed its id or the time is past its deadline. So a reorganisation needs no undoing, a
 * block that was never seen misses nothing, and nothing can leak. Balances and used ids are of the same block, so a fill
 * never frees its reservation before the balance shows it.
 */
export function createInventory({
  /** A reservation is forgotten this long after its deadline: a block that old is not undone any more. */
  forgetAfterSeconds = 120,
}: {
  forgetAfterSeconds?: number
} = {}): Inventory {
  const open = new Map<bigint, Reservation>()
  let held: ReadonlyMap<string, bigint> = new Map()
  let totals = new Map<string, bigint>()
  /** Orders that do not count at the current block, but may at another. */
  let settled = new Set<bigint>()
  let version = 0
  let now = 0

  const reserved = (token: Address) => totals.get(token.toLowerCase()) ?? 0n
  const free = (token: Address) => {
    const left = (held.get(token.toLowerCase()) ?? 0n) - reserved(token)
    // A maker may move its tokens away from under what it promised.
    return left > 0n ? left : 0n
  }
  const add = (token: Address, amount: bigint) => {
    const total = reserved(token) + amount
    if (total === 0n) totals.delete(token.toLowerCase())
    else totals.set(token.toLowerCase(), total)
  }

  return {
    free,
    reserved,
    version: () => version,
    reserve(reservation) {
      const { orderId, token, amount } = reservation
      if (open.has(orderId) || amount <= 0n || amount > free(token)) return false
      open.set(orderId, reservation)
      add(token, amount)
      version += 1
      return true
    },
    withdraw(orderId) {
      const reservation = open.get(orderId)
      if (reservation === undefined) return
      open.delete(orderId)
      if (!settled.delete(orderId)) add(reservation.token, -reservation.amount)
      version += 1
    },
    moveTo({ timestamp, held: balances, isUsed }) {
      held = new Map([...balances].map(([token, amount]) => [token.toLowerCase(), amount]))
      now = timestamp
      totals = new Map()
      settled = new Set()
      for (const [orderId, { token, amount, deadlineSeconds }] of open)
        if (timestamp > deadlineSeconds + forgetAfterSeconds) open.delete(orderId)
        else if (timestamp > deadlineSeconds || isUsed(orderId)) settled.add(orderId)
        else add(token, amount)
      version += 1
    },
    openIds: () =>
      [...open.values()]
        .filter(({ deadlineSeconds }) => deadlineSeconds >= now)
        .map(({ orderId }) => orderId),
    remembered: () => open.size,
  }
}
