import pRetry from 'p-retry'
import type { z } from 'zod'
import { type ChainListing, chains } from '../../../api/chains.ts'
import type { Endpoint } from '../../../api/endpoint.ts'
import { type FirmQuery, type FirmQuote, firmQuote } from '../../../api/firmQuote.ts'
import {
  type IndicativeClaim,
  type IndicativeQuery,
  indicativeClaim,
} from '../../../api/indicativeQuote.ts'
import { type OpaqueQuote, opaqueQuote } from '../../../api/opaqueQuote.ts'
import { bookClaim, type PublishedPair } from '../../../api/orderbook.ts'
import { createHttp, type Http, type HttpAnswer, type HttpRequest } from '../../../chain/http.ts'
import type { Clock } from '../../../core/clock.ts'
import { formatDecimal } from '../../../core/decimal.ts'
import { BallastError, ballastError } from '../../../core/errors.ts'
import { type JsonDefect, jsonDefect } from '../../../core/jsonDefect.ts'
import type { Secret } from '../../../core/secret.ts'
import { type Appraised, pass, type Quoted } from '../../stages.ts'
import { bookBody, firmBody, foreignOrder, indicativeBody } from './bodies.ts'
import { createBookDecoder } from './createBookDecoder.ts'
import { malformed, refusalOf, requestIdOf, unreachable } from './refusalOf.ts'

/** An answer of the service: read, and as it came. A claim in either form. */
type ApiAnswer<value> = {
  readonly value: value
  /** The body, byte for byte, for the journal. */
  readonly text: string
  readonly requestId: string | undefined
  /** Milliseconds since the epoch. */
  readonly receivedAt: number
}

/** Amounts go out in the smallest unit only: `amount` passes through a float at some services. */
type IndicativeAsk = Omit<IndicativeQuery, 'amount' | 'amount_wei'> & {
  readonly amount_wei: string
}
type FirmAsk = Omit<FirmQuery, 'amount' | 'amount_wei'> & { readonly amount_wei: string }

/** The quoting API as the bot uses it. Every operation is a read and may be repeated. */
export type QuoteApi = {
  /** Scheme and host, safe to print. */
  readonly label: string
  chains(signal?: AbortSignal): Promise<ApiAnswer<readonly ChainListing[]>>
  orderbook(chain: string, signal?: AbortSignal): Promise<ApiAnswer<readonly PublishedPair[]>>
  indicative(ask: IndicativeAsk, signal?: AbortSignal): Promise<ApiAnswer<IndicativeClaim>>
  firm(ask: FirmAsk, signal?: AbortSignal): Promise<ApiAnswer<FirmQuote>>
  /** The same of a service whose router is not ours: only what every generation of this API has is read. */
  opaque(ask: FirmAsk, signal?: AbortSignal): Promise<ApiAnswer<OpaqueQuote>>
  close(): Promise<void>
}

type Connection = {
  /** Without the `/v1`. */
  readonly url: string
  readonly apiKey: Secret | undefined
  /** For one operation with all its attempts. */
  readonly timeoutMs: number
  readonly clock: Clock
  /** Receives the time of the service's clock, and of this one then; milliseconds since the epoch. */
  readonly onDate?: (date: { readonly saidAt: number; readonly receivedAt: number }) => void
}

/** The parts of a request and of reading its answer that every operation shares. */
type Wire = {
  readonly headers: Record<string, string>
  readonly clock: Clock
  readonly onDate: Connection['onDate']
}

type Operation<query extends z.ZodType, value> = {
  readonly endpoint: Endpoint<query, z.ZodType<value>>
  readonly query: z.input<query>
  readonly http: Http
  /** JSON text as the first generation of this API would have sent it. */
  readonly read: (text: string) => unknown
  /** Takes most good answers without reading every part of them as the schema does. */
  readonly reader?: {
    decode(bytes: Buffer): string
    read(text: string): value | undefined
    keep(text: string, value: value): void
  }
  readonly signal: AbortSignal | undefined
}

/** A quote is a few kilobytes; a book of every pair of a chain has tens of thousands of levels. */
const quoteBytesMax = 256 * 1024
const bookBytesMax = 32 * 1024 * 1024

const attemptsMax = 3

/** Client of the quoting API of one service. Accepts the answers and the refusals of both known generations. */
export function createQuoteApi({ url, apiKey, timeoutMs, clock, onDate }: Connection): QuoteApi {
  const service = { url, name: 'quoting service', setBy: 'service.url or QUOTE_API_URL', timeoutMs }
  const quotes = createHttp({ ...service, maxBytes: quoteBytesMax })
  const books = createHttp({ ...service, maxBytes: bookBytesMax })
  const reader = createBookDecoder()
  const key = apiKey === undefined ? {} : { apiKey: apiKey.reveal() }
  const headers = { accept: 'application/json', 'cache-control': 'no-cache', ...key }
  const wire: Wire = { headers, clock, onDate }
  const answered = new Set<string>()

  async function ask<query extends z.ZodType, value>(
    operation: Operation<query, value>,
  ): Promise<ApiAnswer<value>> {
    const deadline = AbortSignal.timeout(timeoutMs)
    const endsAt = clock.now() + timeoutMs
    const { signal: caller, http } = operation
    const signal = caller === undefined ? deadline : AbortSignal.any([deadline, caller])
    let lastFailure: unknown
    try {
      const answer = await pRetry(() => attempt(wire, operation, signal), {
        retries: attemptsMax - 1,
        minTimeout: 100,
        maxTimeout: 1_000,
        randomize: true,
        signal,
        shouldRetry: ({ error }) =>
          error instanceof BallastError &&
          error.remedy === 'retry' &&
          // Waiting past the deadline would only replace what is known by a timeout.
          clock.now() + waitOf(error) < endsAt,
        onFailedAttempt: async ({ error, retriesLeft }) => {
          lastFailure = error
          if (retriesLeft > 0 && clock.now() + waitOf(error) < endsAt)
            await clock.sleep(waitOf(error), signal)
        },
      })
      answered.add(operation.endpoint.name)
      return answer
    } catch (error) {
      if (error instanceof BallastError)
        throw answered.has(operation.endpoint.name) ? passingOf(error) : error
      if (caller?.aborted === true) throw caller.reason
      if (deadline.aborted) throw lastFailure ?? unreachable(http.label, timeoutMs)
      throw error
    }
  }

  return {
    label: quotes.label,
    chains: (signal) =>
      ask({ endpoint: chains, query: {}, http: quotes, read: JSON.parse, signal }),
    orderbook: (chain, signal) =>
      ask({ endpoint: bookClaim, query: { chain }, http: books, read: bookBody, reader, signal }),
    indicative: (query, signal) =>
      ask({ endpoint: indicativeClaim, query, http: quotes, read: indicativeBody, signal }),
    firm: (query, signal) =>
      ask({ endpoint: firmQuote, query, http: quotes, read: firmBody, signal }),
    opaque: (query, signal) =>
      ask({ endpoint: opaqueQuote, query, http: quotes, read: firmBody, signal }),
    async close() {
      await Promise.all([quotes.close(), books.close()])
    },
  }
}

async function attempt<query extends z.ZodType, value>(
  { headers, clock, onDate }: Wire,
  operation: Operation<query, value>,
  signal: AbortSignal,
): Promise<ApiAnswer<value>> {
  const { endpoint, query, http, reader } = operation
  const decode = reader === undefined ? {} : { decode: reader.decode }
  const path = `${endpoint.path}${searchOf(endpoint.query.parse(query))}`
  const sentAt = clock.now()
  const answer = await send(http, { path, headers, signal, ...decode })
  const receivedAt = clock.now()
  const ageMs = ageOf(answer)
  const saidAt = Date.parse(answer.headers.date ?? '') + ageMs
  // Said at any time between the request and the end of its answer, it is the time of this clock.
  if (!Number.isNaN(saidAt))
    onDate?.({ saidAt, receivedAt: Math.min(Math.max(saidAt, sentAt), receivedAt) })
  if (ageMs > ageMsMax && isGood(answer) && endpoint.name !== chains.name)
    throw ballastError('QUOTE_UNAVAILABLE', fromCache, { endpoint: endpoint.name, ageMs })
  const known = isGood(answer) ? reader?.read(answer.text) : undefined
  if (known === undefined) return { ...judged(operation, answer), text: answer.text, receivedAt }
  const requestId = requestIdOf({ headers: answer.headers, body: known })
  return { value: known, text: answer.text, requestId, receivedAt }
}

/** A cache for a second or two in front of a service does no harm. */
const ageMsMax = 2_000

const fromCache =
  'The answer of the quoting service is an old one of a cache on the way: let no cache or CDN keep its quotes.'

/** Milliseconds since a cache on the way had the answer from the service (RFC 9111, `Age` in seconds). */
const ageOf = ({ headers }: HttpAnswer) => {
  const seconds = headers.age ?? ''
  return /^\d{1,10}$/.test(seconds) ? Number(seconds) * 1_000 : 0
}

const isGood = ({ status }: HttpAnswer) => status >= 200 && status < 300

/** The value of an answer that keeps to the contract. Throws what any other means. */
function judged<query extends z.ZodType, value>(
  { endpoint: { name, response }, read, reader }: Operation<query, value>,
  answer: HttpAnswer,
): Pick<ApiAnswer<value>, 'value' | 'requestId'> {
  const defect = jsonDefect(answer.text)
  const body = defect === undefined ? parse(answer.text, read) : undefined
  // The inside of a failure's page does not matter: its status is enough.
  if (defect !== undefined && isGood(answer))
    throw malformed({ endpoint: name, answer, body, issues: [issueOf(defect)] })
  const refusal = refusalOf({ endpoint: name, answer, body })
  if (refusal !== undefined) throw refusal
  const parsed = response.safeParse(body)
  if (!parsed.success)
    throw (
      foreignOrder({ endpoint: name, answer, body }) ??
      malformed({ endpoint: name, answer, body, issues: parsed.error.issues })
    )
  reader?.keep(answer.text, parsed.data)
  return { value: parsed.data, requestId: requestIdOf({ headers: answer.headers, body }) }
}

/**
 * A refusal that would end the bot, of a service that has answered the same kind of request before: it has changed, for
 * an hour or for good, and not this configuration. Without access nobody gets a quote; the rest is about one request.
 */
function passingOf(refusal: BallastError): BallastError {
  if (refusal.remedy !== 'halt') return refusal
  const hasAccess = refusal.code !== 'UNAUTHORIZED'
  return ballastError(
    hasAccess ? 'QUOTE_REFUSED' : 'QUOTE_UNAVAILABLE',
    hasAccess
      ? 'The quoting service refuses a request of a kind that it answered before.'
      : 'The quoting service refuses the API key that it accepted before; if that lasts, set QUOTE_API_KEY and restart.',
    { ...refusal.facts, refusal: refusal.code },
    refusal,
  )
}

/** The failures of the transport, in the words of this API. */
async function send(http: Http, request: Omit<HttpRequest, 'method'>): Promise<HttpAnswer> {
  try {
    return await http.send({ method: 'GET', ...request })
  } catch (cause) {
    if (!(cause instanceof BallastError)) throw cause
    const { summary, code, remedy, facts } = cause
    throw new BallastError(summary, {
      code: code === 'HTTP_TOO_LARGE' ? 'QUOTE_MALFORMED' : 'QUOTE_UNAVAILABLE',
      remedy: code === 'HTTP_TOO_LARGE' ? 'requote' : remedy,
      fault: 'upstream',
      facts,
      cause,
    })
  }
}

function searchOf(query: unknown): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query as Record<string, unknown>))
    if (typeof value === 'string') search.set(name, value)
  return search.size === 0 ? '' : `?${search}`
}

const issueOf = ({ path, reason }: JsonDefect) => ({ path: [path], message: reason })

/** Undefined for what is not JSON. */
function parse(text: string, read: (text: string) => unknown): unknown {
  try {
    return read(text)
  } catch {
    return undefined
  }
}

function waitOf(error: Error): number {
  const wait = error instanceof BallastError ? error.facts.retryAfterMs : undefined
  return typeof wait === 'number' ? wait : 0
}

/** The part of the quoting API this stage needs. */
type FirmQuotes = {
  firm(
    query: FirmQuery,
  ): Promise<{ readonly value: FirmQuote | OpaqueQuote; readonly text: string }>
}

/**
 * Requests a firm quote with the plan's own expiry and slippage.
 *
 * Amounts go as `amount_wei` only: in this API family `amount` passes through a float.
 */
export function createRequestQuote({
  quotes,
  chain,
  clock,
}: {
  quotes: FirmQuotes
  chain: string
  clock: Clock
}) {
  return async function requestQuote(appraised: Appraised): Promise<Quoted> {
    const { intent, wallet, recipient, expirySeconds, slippageBps } = appraised
    const request: FirmQuery = {
      src_chain: chain,
      dst_chain: chain,
      token_in: intent.sell.token.address,
      token_out: intent.buy.address,
      amount_wei: intent.sell.wei.toString(),
      from_address: wallet,
      to_address: recipient,
      expiry_time: expirySeconds.toString(),
      slippage: formatDecimal(BigInt(slippageBps), 2),
    }
    const requestedAt = clock.now()
    const { value, text } = await quotes.firm(request)
    const answered = { request, quote: value, body: text, requestedAt, receivedAt: clock.now() }
    return pass<Quoted>({ ...appraised, ...answered })
  }
}
