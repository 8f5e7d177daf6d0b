import { smaller } from '../../core/holdings.ts'
import type { Address } from '../../core/token.ts'
import { createPromises } from './createPromises.ts'

/** The payment a maker's signature promises, until it is made or can no longer be taken. */
export type Reservation = {
  readonly orderId: bigint
  /** The token the maker pays. */
  readonly token: Address
  readonly amount: bigint
  /** Unix seconds; the order is valid while a block's timestamp is not above it. */
  readonly deadlineSeconds: number
  /** Who asked for it: each holds back no more than its share. */
  readonly callers?: readonly string[]
}

/** How much of a stock one caller may hold back. */
export type Share = {
  /** Of what is held, the part that one caller's open reservations may be; 10,000, when absent, is all of it. */
  readonly shareBps?: number
  /** Quotes let lapse, above those that were filled, that halve a caller's share; 8 when absent, infinity: none do. */
  readonly lapsesToHalve?: number
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
  /** The same for these callers: within the share of each, of which its open reservations are part. */
  freeFor(token: Address, callers: readonly string[]): bigint
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
  shareBps = 10_000,
  lapsesToHalve = 8,
}: { forgetAfterSeconds?: number } & Share = {}): Inventory {
  const promises = createPromises<Entry>(forgetAfterSeconds)
  let held: ReadonlyMap<string, bigint> = new Map()
  let totals = new Map<string, bigint>()
  /** Orders that count at the current block. */
  let counted = new Set<Entry>()
  const records = createRecords(lapsesToHalve)
  let version = 0
  let now = 0

  const reserved = (token: Address) => totals.get(token.toLowerCase()) ?? 0n
  const heldOf = (token: Address) => held.get(token.toLowerCase()) ?? 0n
  const free = (token: Address) => {
    const left = heldOf(token) - reserved(token)
    // A maker may move its tokens away from under what it promised.
    return left > 0n ? left : 0n
  }
  const freeFor = (token: Address, callers: readonly string[]) => {
    if (shareBps >= 10_000) return free(token)
    return callers.reduce((least, caller) => {
      const share = (heldOf(token) * BigInt(shareBps)) / 10_000n / records.divisorOf(caller)
      const left = share - (totals.get(ownName(token, caller)) ?? 0n)
      return left > 0n ? smaller(left, least) : 0n
    }, free(token))
  }
  const add = ({ amount, names }: Entry, sign: 1n | -1n) => {
    for (const name of names) totals.set(name, (totals.get(name) ?? 0n) + sign * amount)
  }
  const count = (entry: Entry) => {
    counted.add(entry)
    add(entry, 1n)
  }

  return {
    free,
    freeFor,
    reserved,
    version: () => version,
    reserve(reservation) {
      const { orderId, token, amount, callers = [] } = reservation
      if (promises.has(orderId) || amount <= 0n || amount > freeFor(token, callers)) return false
      const names = [token.toLowerCase(), ...callers.map((caller) => ownName(token, caller))]
      const entry = { ...reservation, names }
      promises.add(entry)
      count(entry)
      version += 1
      return true
    },
    withdraw(orderId) {
      const entry = promises.withdraw(orderId)
      if (entry === undefined) return
      if (counted.delete(entry)) add(entry, -1n)
      version += 1
    },
    moveTo({ timestamp, held: balances, isUsed }) {
      held = new Map([...balances].map(([token, amount]) => [token.toLowerCase(), amount]))
      now = timestamp
      totals = new Map()
      counted = new Set()
      promises.revive(timestamp)
      for (const entry of promises.live()) {
        const isPast = timestamp > entry.deadlineSeconds
        const isTaken = isUsed(entry.orderId)
        if (isTaken || isPast) records.end(entry, isTaken)
        if (isPast) promises.shelve(entry)
        else if (!isTaken) count(entry)
      }
      for (const { orderId } of promises.forget(timestamp)) records.forget(orderId)
      version += 1
    },
    openIds: () =>
      [...promises.live()]
        .filter(({ deadlineSeconds }) => deadlineSeconds >= now)
        .map(({ orderId }) => orderId),
    remembered: promises.size,
  }
}

/** Counted whole, and for each of its callers: under these names. */
type Entry = Reservation & { readonly names: readonly string[] }

const ownName = (token: Address, caller: string) => `${token} ${caller}`.toLowerCase()

/** A share is not halved more often: a caller must be able to mend its record. */
const halvesMax = 3

/** Callers remembered; the one silent for longest is forgotten first. */
const rememberedMax = 10_000

/** How callers end what they reserve. A lapse counts one up, and a fill two down: one fill in three is a good record. */
function createRecords(lapsesToHalve: number) {
  const lapses = new Map<string, number>()
  const ended = new Set<bigint>()
  return {
    /** Once for each order: a reorganisation does not count it twice. */
    end({ orderId, callers = [] }: Reservation, isFilled: boolean) {
      if (ended.has(orderId)) return
      ended.add(orderId)
      for (const caller of callers) {
        const count = (lapses.get(caller) ?? 0) + (isFilled ? -2 : 1)
        lapses.delete(caller)
        if (count > 0) lapses.set(caller, Math.min(count, lapsesToHalve * halvesMax))
        const oldest = lapses.keys().next()
        if (lapses.size > rememberedMax && oldest.done !== true) lapses.delete(oldest.value)
      }
    },
    forget: (orderId: bigint) => ended.delete(orderId),
    /** What the caller's share is divided by. */
    divisorOf: (caller: string) =>
      1n << BigInt(Math.floor((lapses.get(caller) ?? 0) / lapsesToHalve)),
  }
}
