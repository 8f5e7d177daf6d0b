import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
} from 'cockatiel'
import type { Logger } from 'pino'
import type { Hex } from '../../../chain/calls/fields.ts'
import { createDigests } from '../../../chain/crypto/createDigests.ts'
import { recoverSigner } from '../../../chain/crypto/recoverSigner.ts'
import { createHttp, type HttpAnswer, type HttpRequest } from '../../../chain/http.ts'
import type { Order } from '../../../chain/settlement/order.ts'
import type { Clock } from '../../../core/clock.ts'
import { BallastError } from '../../../core/errors.ts'
import { compactJson, parseJson } from '../../../core/json.ts'
import { type Address, sameAddress, type Token } from '../../../core/token.ts'
import { createInventory } from '../../inventory/createInventory.ts'
import { stockReads } from '../../inventory/stockReads.ts'
import type { MakerEvent } from '../../venues/makerEvents.ts'
import type { Venue } from '../../venues/venue.ts'
import { type DeclineReason, MakerDeclined } from '../errors.ts'
import { levelsToOffer } from '../levels.ts'
import type { MakerDesk } from '../makerDesk.ts'
import { createMakerCounts, makerFigures } from '../makerFigures.ts'
import { type BookSide, sideOffer } from '../sideOffer.ts'
import { levelsAnswer, makerRefusal, orderInJson, paths, signAnswer } from './protocol.ts'
import { type ForeignBook, readRows } from './readRows.ts'

/** A maker in a process of its own, followed until it is closed. */
export type RemoteMaker = { readonly venue: Venue; close(): Promise<void> }

type Options = {
  readonly name: string
  readonly url: string
  readonly apiKey?: string | undefined
  /** Holds the maker's tokens and signs. The maker may state anything; this address must have signed. */
  readonly address: Address
  readonly chainId: number
  readonly router: Address
  /** Pairs it may trade here; anything else it publishes is not read. Base first. */
  readonly pairs: readonly (readonly [Token, Token])[]
  /** Durations it is requested to quote. A request takes the next longer one. */
  readonly expiries: readonly number[]
  readonly clock: Clock
  readonly log: Logger
  /** For one answer. */
  readonly timeoutMs?: number
  readonly pollMs?: number
  /** How long a maker that failed several times in a row is left alone. */
  readonly restMs?: number
}

/** Levels that are older are not offered. */
const ageMsMax = 5_000
const bytesMax = 1024 * 1024
/** Failures in a row until a maker is left alone. */
const failuresMax = 5

type Published = {
  readonly at: number
  /** By expiry, shortest first. */
  readonly books: readonly {
    readonly expirySeconds: number
    readonly books: readonly ForeignBook[]
  }[]
}

/**
 * Follows a maker over HTTP and lets it sign.
 *
 * Nothing it states is believed: levels are cut to what its address holds on chain and has not been promised here, and
 * a signature counts when it recovers to that address over exactly the requested order.
 */
export function createRemoteMaker({
  name,
  url,
  apiKey,
  address: maker,
  chainId,
  router,
  pairs,
  expiries,
  clock,
  log,
  timeoutMs = 500,
  pollMs = 1_000,
  restMs = 10_000,
}: Options): RemoteMaker {
  const http = createHttp({ url, timeoutMs, maxBytes: bytesMax })
  const headers = { ...(apiKey === undefined ? {} : { apikey: apiKey }) }
  const digests = createDigests({ chainId, router })
  const inventory = createInventory()
  const counts = createMakerCounts(name)
  const quoting = breakerOf(restMs)
  const signing = breakerOf(restMs)
  const tokens = [...new Map(pairs.flat().map((token) => [token.address, token])).values()]
  const addresses = tokens.map((token) => token.address)
  const stop = new AbortController()
  let published: Published | undefined
  let polls = 0
  let restsUntil = 0
  signing.onBreak(() => {
    restsUntil = clock.now() + restMs
  })
  signing.onReset(() => {
    restsUntil = 0
  })

  /** Throws a {@link MakerDeclined} for everything but a good answer, so that the breakers see one kind of failure. */
  const ask = async <answer>(
    request: HttpRequest,
    { refused, read }: { refused: MakerEvent; read: (body: unknown) => Promise<answer> | answer },
  ): Promise<answer> => {
    counts.add('requested')
    const fail = (event: MakerEvent, reason: DeclineReason, detail?: string) => {
      counts.add(event)
      return new MakerDeclined(name, reason, detail)
    }
    let got: HttpAnswer
    try {
      got = await http.send({ ...request, headers: { ...headers, ...request.headers } })
    } catch (err) {
      if (err instanceof BallastError && err.code === 'UNREACHABLE')
        throw fail('timeout', 'timeout', err.summary)
      throw fail('invalid', 'invalid', err instanceof Error ? err.message : undefined)
    }
    const body = bodyOf(got.text)
    const refusal = makerRefusal.safeParse(body)
    if (refusal.success) throw fail(refused, 'refused', refusal.data.code)
    if (got.status !== 200) throw fail('invalid', 'invalid', `HTTP ${got.status}`)
    let answer: answer
    try {
      answer = await read(body)
    } catch (err) {
      throw fail('invalid', 'invalid', err instanceof Error ? err.message.slice(0, 200) : undefined)
    }
    counts.add('success')
    return answer
  }

  const poll = async () => {
    const path = `${paths.levels}?expiries=${expiries.join(',')}`
    const books = await quoting.execute(() =>
      ask(
        { method: 'GET', path, signal: stop.signal },
        {
          refused: 'refused_at_quote',
          read(body) {
            const answer = levelsAnswer.parse(body)
            if (!sameAddress(answer.maker, maker)) throw new RangeError('another maker answered')
            return answer.books
              .map(({ expirySeconds, rows }) => ({ expirySeconds, books: readRows(rows, pairs) }))
              .sort((a, b) => a.expirySeconds - b.expirySeconds)
          },
        },
      ),
    )
    published = { at: clock.now(), books }
    polls += 1
  }
  const follow = async () => {
    while (!stop.signal.aborted) {
      await poll().catch((err: unknown) => {
        if (!stop.signal.aborted && !(err instanceof BrokenCircuitError))
          log.warn({ err, maker: name }, 'a maker publishes nothing')
      })
      await clock.sleep(pollMs, stop.signal).catch(() => undefined)
    }
  }
  const following = follow()

  const desk: MakerDesk = {
    address: maker,
    async sign(order) {
      const reserved = inventory.reserve({
        orderId: order.id,
        token: order.buyerToken,
        amount: order.buyerTokenAmount,
        deadlineSeconds: Number(order.deadlineTimestamp),
      })
      if (!reserved) throw new MakerDeclined(name, 'promised-elsewhere')
      try {
        return await signing.execute(() => signature(order))
      } catch (err) {
        inventory.withdraw(order.id)
        if (err instanceof BrokenCircuitError)
          throw new MakerDeclined(name, 'refused', 'it failed several times in a row')
        throw err
      }
    },
    withdraw: ({ id }) => inventory.withdraw(id),
  }
  const signature = (order: Order): Promise<Hex> => {
    const asked = orderInJson(order)
    return ask(
      {
        method: 'POST',
        path: paths.sign,
        headers: { 'content-type': 'application/json' },
        body: compactJson({ chainId, router, order: asked }),
      },
      {
        refused: 'refused_at_signing',
        async read(body) {
          const answer = signAnswer.parse(body)
          if (compactJson(orderInJson(answer.order)) !== compactJson(asked))
            throw new RangeError('another order was signed')
          const signer = await recoverSigner(digests.order(order), answer.signature)
          if (signer === undefined || !sameAddress(signer, maker))
            throw new RangeError('somebody else signed')
          return answer.signature
        },
      },
    )
  }

  const isOffering = (): boolean => {
    const now = clock.now()
    const resting = signing.state === CircuitState.Open && now < restsUntil
    return published !== undefined && now - published.at <= ageMsMax && !resting
  }
  // Levels also end by growing old, which nothing announces.
  let wasOffering = false
  let turns = 0
  const revision = () => {
    if (isOffering() !== wasOffering) {
      wasOffering = !wasOffering
      turns += 1
    }
    return inventory.version() + polls + turns
  }

  const sidesAt = (expirySeconds: number): readonly BookSide[] => {
    if (published === undefined || !isOffering()) return []
    // The next longer one: the maker has charged for at least the time it gives.
    const chosen = published.books.find((each) => each.expirySeconds >= expirySeconds)
    const [shortest] = published.books
    if (chosen === undefined || shortest === undefined) return []
    return chosen.books.flatMap((book, index): readonly BookSide[] => {
      const { base, quote, minimumWei } = book
      const { bid, ask: asks } = levelsToOffer(book, {
        levels: book.levels,
        timeless: shortest.books[index]?.levels ?? book.levels,
        free: { base: inventory.free(base.address), quote: inventory.free(quote.address) },
      })
      const sides: readonly BookSide[] = [
        { base, quote, minimumWei, side: 'bid', levels: bid },
        { base, quote, minimumWei, side: 'ask', levels: asks },
      ]
      return sides.filter(sideOffer.isEnough)
    })
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
      return {
        offers: (expirySeconds) =>
          sidesAt(expirySeconds).map((side) => sideOffer.offer(side, { name, desk })),
        rows: (expirySeconds) => sidesAt(expirySeconds).map(sideOffer.row),
      }
    },
  }
  return {
    venue,
    async close() {
      stop.abort()
      await following
      await http.close()
    },
  }
}

function breakerOf(restMs: number): CircuitBreakerPolicy {
  return circuitBreaker(handleAll, {
    halfOpenAfter: restMs,
    breaker: new ConsecutiveBreaker(failuresMax),
  })
}

function bodyOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    // Not JSON: its reader will report what it should have been.
    return undefined
  }
}
