import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { loadEngine } from '../chain/crypto/recoverSigner.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Clock } from '../core/clock.ts'
import { ballastError } from '../core/errors.ts'
import { requestBounds } from '../core/requestBounds.ts'
import { createBalances } from './createBalances.ts'
import { createKeyring } from './createKeyring.ts'
import { createMetrics, type Metrics } from './createMetrics.ts'
import { createOrderIds } from './createOrderIds.ts'
import { createPublishedBook } from './createPublishedBook.ts'
import { createRateLimiter, type RateLimit } from './createRateLimiter.ts'
import { createSnapshots } from './createSnapshots.ts'
import { createDrift } from './endpoints/createDrift.ts'
import { listChains, listLevels } from './endpoints/listings.ts'
import type { Desk, Operation, OperationAnswer } from './endpoints/operation.ts'
import { quoteCalldata, quoteFirmly } from './endpoints/quoteFirmly.ts'
import { quoteIndicatively } from './endpoints/quoteIndicatively.ts'
import { admit, limits } from './http/admit.ts'
import { createGate } from './http/createGate.ts'
import { describe, schemaOf } from './http/describe.ts'
import { probes } from './http/probes.ts'
import {
  type ErrorStyle,
  type Reporting,
  refuse,
  refuseConnection,
  refusedOf,
  reportFailures,
} from './http/reportFailures.ts'
import { exposeFigures } from './makers/makerFigures.ts'
import type { ServiceMarket } from './market.ts'
import { QuoteRefused } from './refusal/errors.ts'
import type { Query } from './request/readChain.ts'

/** The quoting service: listens on command, answers until closed. */
export type Service = {
  /** Port 0: a free one. Answers with the base URL, without the `/v1`. */
  listen(at?: { port?: number; host?: string }): Promise<string>
  /** From the next request on these keys count and no others; an empty list admits no caller. */
  replaceKeys(apiKeys: readonly string[]): void
  /** Takes no new requests and ends with those it has. The {@link Rpc} stays the caller's. */
  close(): Promise<void>
}

export type ServiceOptions = {
  readonly market: ServiceMarket
  readonly rpc: Rpc
  /** Plain, or as `sha256:` and hex. Empty: no key is needed. */
  readonly apiKeys: readonly string[]
  /** For each key, and for each address without one. Absent: no limit. */
  readonly rateLimit?: RateLimit
  readonly errorStyle?: ErrorStyle
  /** Requests answered at the same time. */
  readonly concurrentMax?: number
  /** Handed in by a caller that counts something of its own. */
  readonly metrics?: Metrics
  readonly clock: Clock
  readonly log: Logger
}

/** Every operation of the API, in the order of its description. */
export const operations: readonly Operation[] = [
  listChains,
  listLevels,
  quoteIndicatively,
  quoteFirmly,
  quoteCalldata,
]

/** Builds the service over one chain. */
export function createService({
  market,
  rpc,
  apiKeys,
  rateLimit,
  errorStyle = 'status',
  concurrentMax = 500,
  clock,
  metrics = createMetrics({ clock }),
  log,
}: ServiceOptions): Service {
  const { venues, blockTimeSeconds, expiry } = market
  const snapshots = createSnapshots({ rpc, venues, blockTimeSeconds, clock, log })
  const publish = createPublishedBook({
    expirySeconds: expiry.defaultSeconds,
    mirrored: market.asksAlone !== true,
    tokens: market.tokens,
    onWrite: metrics.published,
    revision: () => venues.reduce((sum, venue) => sum + (venue.revision?.() ?? 0), 0),
  })
  const desk: Desk = {
    market,
    snapshots,
    balanceOf: createBalances(rpc),
    clock,
    nextOrderId: createOrderIds(clock),
    bookOf: publish,
    metrics,
    drift: createDrift(),
    log,
  }
  exposeFigures(metrics.registry, venues)
  const keyring = createKeyring(apiKeys)
  const limiter = rateLimit && createRateLimiter({ ...rateLimit, clock })
  const gate = createGate({ keyring, limiter })
  const reporting = { errorStyle, log }

  const unsent = new Set<ServerResponse>()
  const app = createApp(reporting, { clock, unsent })
  const admission = admit(app, { concurrentMax })
  describe(app)
  app.register(async (scope) => {
    probes(scope, desk)
    for (const operation of operations)
      scope.get(operation.endpoint.path, routeOf(operation, errorStyle), (request, reply) =>
        timed(desk, operation, async () => {
          const caller = gate(request)
          const asked = { query: readQuery(request.query), requestId: request.id, caller }
          return send({ request, reply }, await operation.answer(desk, asked))
        }),
      )
  })
  reportFailures(app, reporting)
  metrics.requestsOpen(admission.open)

  return {
    replaceKeys: keyring.replace,
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      // Not when the first quote is signed: it would be late by the loading.
      await loadEngine()
      try {
        return await app.listen({ port, host })
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause
        throw ballastError('PORT_IN_USE', `Port ${port} is in use.`, { port }, cause)
      }
    },
    async close() {
      admission.shut()
      await fetched(unsent)
      await app.close()
      await snapshots.close()
    },
  }
}

/** Waits, for a while, until clients have the answers that are made: a server that closes takes their connections for idle. */
async function fetched(unsent: ReadonlySet<ServerResponse>): Promise<void> {
  const signal = AbortSignal.timeout(limits.fetchMs)
  const made = [...unsent].filter(({ writableEnded }) => writableEnded)
  await Promise.all(made.map((raw) => once(raw, 'close', { signal }))).catch(() => undefined)
}

/** The HTTP server with its limits, before it has any route. */
function createApp(
  reporting: Reporting,
  { clock, unsent }: { clock: Clock; unsent: Set<ServerResponse> },
): FastifyInstance {
  const app = fastify({
    genReqId: () => randomUUID(),
    // A HEAD of a firm quote would sign and reserve what nobody is told of.
    exposeHeadRoutes: false,
    // Those being answered are waited for; every call they make has a limit of its own.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    ...requestBounds,
    keepAliveTimeout: limits.keepAliveMs,
    connectionTimeout: limits.silentMs,
    bodyLimit: 1,
    // Node's own refusal of a request without Host has no body and no id.
    http: { ...requestBounds.http, maxHeaderSize: limits.headerBytesMax, requireHostHeader: false },
    clientErrorHandler: (err, socket) => refuseConnection(err, socket, unsent),
    frameworkErrors: (err, request, reply) => {
      refuse(reporting, { request, reply, refused: refusedOf(err) })
    },
  })
  app.server.maxConnections = limits.connectionsMax
  // An expectation may be passed over (RFC 9110); Node would refuse it, again with nothing but a status.
  app.server.on('checkExpectation', app.routing)
  // A client that compares clocks compares the one that deadlines are counted by.
  app.addHook('onRequest', async (_request, reply) => {
    unsent.add(reply.raw)
    reply.raw.once('close', () => unsent.delete(reply.raw))
    reply.header('date', new Date(clock.now()).toUTCString())
  })
  return app
}

/** A timer costs a fifth of a short answer: only an operation that waits for others has one. */
function routeOf(operation: Operation, errorStyle: ErrorStyle) {
  const { waitsForMakers = false } = operation
  return {
    schema: schemaOf(operation, errorStyle),
    ...(waitsForMakers ? { handlerTimeout: limits.answerMs } : {}),
  }
}

/** Counts how long an operation takes and how it ends. */
async function timed<result>(
  { clock, metrics }: Desk,
  { endpoint: { name } }: Operation,
  work: () => Promise<result>,
): Promise<result> {
  const startedAt = clock.now()
  const seconds = () => Math.max(0, clock.now() - startedAt) / 1_000
  try {
    const result = await work()
    metrics.answered(name, 'ok', seconds())
    return result
  } catch (error) {
    metrics.answered(name, error instanceof QuoteRefused ? error.code : 'INTERNAL', seconds())
    throw error
  }
}

/** A repeated parameter has no single meaning: proxies and parsers disagree which one counts. */
function readQuery(query: unknown): Query {
  for (const [name, value] of Object.entries(query as Record<string, unknown>))
    if (typeof value !== 'string')
      throw new QuoteRefused('INVALID_PARAMETER', `${name.slice(0, 64)} is given more than once.`)
  return query as Query
}

function send(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { value, book }: OperationAnswer,
): FastifyReply {
  reply.header('content-type', 'application/json; charset=utf-8')
  if (book === undefined)
    return reply.header('cache-control', 'no-store').send(JSON.stringify(value))
  reply.header('etag', book.etag).header('cache-control', 'no-cache')
  return isKnown(request.headers['if-none-match'], book.etag)
    ? reply.code(304).send()
    : reply.send(book.bytes)
}

/** A weak tag names the same content here: nothing else changes the body. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}
