import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
} from 'cockatiel'
import type { Logger } from 'pino'
import { type Clock, monotonic } from '../../../core/clock.ts'
import { repeat } from '../../../core/repeat.ts'
import { createInventory, type Inventory, type Share } from '../../inventory/createInventory.ts'
import { stockReads } from '../../inventory/stockReads.ts'
import type { Venue } from '../../venues/venue.ts'
import { MakerDeclined } from '../errors.ts'
import { levelsToOffer } from '../levels.ts'
import type { MakerDesk } from '../makerDesk.ts'
import { createMakerCounts, makerFigures } from '../makerFigures.ts'
import { type BookSide, sideOffer } from '../sideOffer.ts'
import {
  createMakerClient,
  type MakerClient,
  type MakerConnection,
  type PublishedBooks,
} from './createMakerClient.ts'

/** A maker in a process of its own, followed until it is closed. */
export type RemoteMaker = { readonly venue: Venue; close(): Promise<void> }

type Options = MakerConnection & {
  readonly clock: Clock
  readonly log: Logger
  readonly pollMs?: number
  /** The part of its stock that one caller may hold back; absent: all of it. */
  readonly share?: Share
  /** How long a maker that failed several times in a row is left alone. */
  readonly restMs?: number
}

type Settings = Required<Pick<Options, 'name' | 'address' | 'clock' | 'log' | 'pollMs' | 'restMs'>>

/** Levels that are older are not offered. */
const ageMsMax = 5_000
/** Failures in a row until a maker is left alone. */
const failuresMax = 5

/**
 * Follows a maker over HTTP and lets it sign.
 *
 * Nothing it states is believed: levels are cut to what its address holds on chain and has not been promised here, and
 * a signature counts when it recovers to that address over exactly the requested order.
 */
export function createRemoteMaker(options: Options): RemoteMaker {
  const { name, address: maker, router, pairs, pollMs = 1_000, restMs = 10_000 } = options
  const settings: Settings = { ...options, pollMs, restMs }
  const inventory = createInventory(options.share)
  const counts = createMakerCounts(name)
  const client = createMakerClient(options, counts)
  const { desk, isResting } = createDesk(client, inventory, settings)
  const tokens = [...new Map(pairs.flat().map((token) => [token.address, token])).values()]
  const addresses = tokens.map((token) => token.address)
  const feed = followLevels(client, settings)

  const offered = () => (isResting() ? undefined : feed.fresh())
  // Levels also end by growing old, which nothing announces.
  let wasOffering = false
  let turns = 0
  const revision = () => {
    const isOffering = offered() !== undefined
    if (isOffering !== wasOffering) {
      wasOffering = isOffering
      turns += 1
    }
    return inventory.version() + feed.polls() + turns
  }

  const venue: Venue = {
    id: name,
    pairs,
    revision,
    figures: () => [...counts.figures(), ...makerFigures.reserved(inventory, { name, tokens })],
    reads: (block) =>
      stockReads.reads(block, { router, maker, tokens: addresses, ids: inventory.openIds() }),
    at(block, answers) {
      inventory.moveTo(stockReads.stock(answers, { timestamp: block.timestamp, tokens: addresses }))
      const sidesAt = (expirySeconds: number, callers: readonly string[] = []) =>
        sidesOf(offered() ?? [], { expirySeconds, inventory, callers })
      return {
        offers: (expirySeconds, _among, callers) =>
          sidesAt(expirySeconds, callers).map((side) => sideOffer.offer(side, { name, desk })),
        rows: (expirySeconds) => sidesAt(expirySeconds).map(sideOffer.row),
      }
    },
  }
  return {
    venue,
    async close() {
      await feed.close()
      await client.close()
    },
  }
}

/** Reads the maker's levels again and again until it is closed. */
function followLevels(client: MakerClient, { name, clock, log, pollMs, restMs }: Settings) {
  const breaker = breakerOf(restMs)
  let published: { readonly at: number; readonly books: PublishedBooks } | undefined
  let polls = 0

  const onError = (err: unknown) => {
    if (!(err instanceof BrokenCircuitError))
      log.warn({ err, maker: name }, 'a maker publishes nothing')
  }
  const following = repeat({ everyMs: pollMs, clock, onError }, async (signal) => {
    const books = await breaker.execute(() => client.levels(signal))
    published = { at: clock.now(), books }
    polls += 1
  })
  return {
    /** The last levels, unless they are too old; by a clock that was set back, their age is not known. */
    fresh(): PublishedBooks | undefined {
      const age = clock.now() - (published?.at ?? 0)
      if (age > ageMsMax || age < 0) published = undefined
      return published?.books
    },
    /** Rises with every answer that was read. */
    polls: () => polls,
    close: following.stop,
  }
}

/** Reserves, then signs. A maker that failed several times in a row is not requested to sign until it has rested. */
function createDesk(
  client: MakerClient,
  inventory: Inventory,
  { name, address, restMs }: Settings,
) {
  const breaker = breakerOf(restMs)
  let restsUntil = 0
  breaker.onBreak(() => {
    restsUntil = monotonic() + restMs
  })
  breaker.onReset(() => {
    restsUntil = 0
  })
  const desk: MakerDesk = {
    address,
    async sign(order, callers = []) {
      const reserved = inventory.reserve({
        orderId: order.id,
        token: order.buyerToken,
        amount: order.buyerTokenAmount,
        deadlineSeconds: Number(order.deadlineTimestamp),
        callers,
      })
      if (!reserved) throw new MakerDeclined(name, 'promised-elsewhere')
      try {
        return await breaker.execute(() => client.sign(order))
      } catch (err) {
        inventory.withdraw(order.id)
        if (err instanceof BrokenCircuitError)
          throw new MakerDeclined(name, 'refused', 'it failed several times in a row')
        throw err
      }
    },
    withdraw: ({ id }) => inventory.withdraw(id),
  }
  return {
    desk,
    /** By a time that only rises, as the breaker counts: a clock that is set prolongs no rest. */
    isResting: () => breaker.state === CircuitState.Open && monotonic() < restsUntil,
  }
}

/** The levels that may be offered for an expiry, out of what is free. */
function sidesOf(
  published: PublishedBooks,
  {
    expirySeconds,
    inventory,
    callers,
  }: { expirySeconds: number; inventory: Inventory; callers: readonly string[] },
): readonly BookSide[] {
  // The next longer one: the maker has charged for at least the time it gives.
  const chosen = published.find((each) => each.expirySeconds >= expirySeconds)
  const [shortest] = published
  if (chosen === undefined || shortest === undefined) return []
  return chosen.books.flatMap((book, index): readonly BookSide[] => {
    const { base, quote, minimumWei } = book
    const { bid, ask } = levelsToOffer(book, {
      levels: book.levels,
      timeless: shortest.books[index]?.levels ?? book.levels,
      free: {
        base: inventory.freeFor(base.address, callers),
        quote: inventory.freeFor(quote.address, callers),
      },
    })
    const sides: readonly BookSide[] = [
      { base, quote, minimumWei, side: 'bid', levels: bid },
      { base, quote, minimumWei, side: 'ask', levels: ask },
    ]
    return sides.filter(sideOffer.isEnough)
  })
}

function breakerOf(restMs: number): CircuitBreakerPolicy {
  return circuitBreaker(handleAll, {
    halfOpenAfter: restMs,
    breaker: new ConsecutiveBreaker(failuresMax),
  })
}
