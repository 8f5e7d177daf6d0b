import type { Hex } from '../../../chain/calls/fields.ts'
import { createDigests } from '../../../chain/crypto/createDigests.ts'
import { recoverSigner } from '../../../chain/crypto/recoverSigner.ts'
import { createHttp, type Http, type HttpAnswer, type HttpRequest } from '../../../chain/http.ts'
import type { Order } from '../../../chain/settlement/order.ts'
import { BallastError } from '../../../core/errors.ts'
import { compactJson, parseJson } from '../../../core/json.ts'
import { type Address, sameAddress, type Token } from '../../../core/token.ts'
import type { MakerEvent } from '../../venues/makerEvents.ts'
import { type DeclineReason, MakerDeclined } from '../errors.ts'
import type { MakerCounts } from '../makerFigures.ts'
import { levelsAnswer, makerRefusal, orderInJson, paths, signAnswer } from './protocol.ts'
import { type ForeignBook, readRows } from './readRows.ts'

/** The address of a foreign maker and the trades it may make here. */
export type MakerConnection = {
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
  /** For one answer. */
  readonly timeoutMs?: number
}

/** The books of a maker by expiry, shortest first. */
export type PublishedBooks = readonly {
  readonly expirySeconds: number
  readonly books: readonly ForeignBook[]
}[]

/** Both calls throw a {@link MakerDeclined} for everything but a good answer: breakers see one kind of failure. */
export type MakerClient = {
  levels(signal: AbortSignal): Promise<PublishedBooks>
  /** A signature of the maker's address over exactly this order. */
  sign(order: Order): Promise<Hex>
  close(): Promise<void>
}

const bytesMax = 1024 * 1024

/** Calls a maker over HTTP and checks its answers. */
export function createMakerClient(
  {
    name,
    url,
    apiKey,
    address: maker,
    chainId,
    router,
    pairs,
    expiries,
    timeoutMs = 500,
  }: MakerConnection,
  counts: MakerCounts,
): MakerClient {
  const http = createHttp({ url, timeoutMs, maxBytes: bytesMax })
  const headers = { ...(apiKey === undefined ? {} : { apikey: apiKey }) }
  const digests = createDigests({ chainId, router })
  const wire: Wire = { name, http, headers, counts }
  return {
    levels: (signal) =>
      ask(
        wire,
        { method: 'GET', path: `${paths.levels}?expiries=${expiries.join(',')}`, signal },
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
    sign(order) {
      const asked = orderInJson(order)
      return ask(
        wire,
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
    },
    close: http.close,
  }
}

type Wire = {
  readonly name: string
  readonly http: Http
  readonly headers: Readonly<Record<string, string>>
  readonly counts: MakerCounts
}

async function ask<answer>(
  { name, http, headers, counts }: Wire,
  request: HttpRequest,
  { refused, read }: { refused: MakerEvent; read: (body: unknown) => Promise<answer> | answer },
): Promise<answer> {
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

function bodyOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    // Not JSON: its reader will report what it should have been.
    return undefined
  }
}
