import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Failure } from '../api/failure.ts'
import type { Rpc } from '../chain/rpc/rpc.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError } from '../core/errors.ts'
import { createKeyring } from './createKeyring.ts'
import { createOrderIds } from './createOrderIds.ts'
import { createSnapshots } from './createSnapshots.ts'
import { listChains } from './endpoints/listChains.ts'
import { listLevels } from './endpoints/listLevels.ts'
import type { Desk, Operation, Query } from './endpoints/operation.ts'
import { quoteFirmly } from './endpoints/quoteFirmly.ts'
import { quoteIndicatively } from './endpoints/quoteIndicatively.ts'
import { QuoteRefused } from './errors.ts'
import type { Market } from './market.ts'

/** The quoting service: listens when told, answers until closed. */
export type Service = {
  /** Port 0: a free one. Answers with the base URL, without the `/v1`. */
  listen(at?: { port?: number; host?: string }): Promise<string>
  /** Ends with the requests it has. The {@link Rpc} stays the caller's. */
  close(): Promise<void>
}

export type ServiceOptions = {
  readonly market: Market
  readonly rpc: Rpc
  /** Empty: no key is needed. */
  readonly apiKeys: readonly string[]
  readonly clock: Clock
  readonly log: Logger
}

const operations: readonly Operation[] = [listChains, listLevels, quoteIndicatively, quoteFirmly]

/** Builds the service over one chain. */
export function createService({ market, rpc, apiKeys, clock, log }: ServiceOptions): Service {
  const { venues, blockTimeSeconds } = market
  const snapshots = createSnapshots({ rpc, venues, blockTimeSeconds, clock, log })
  const desk: Desk = { market, snapshots, clock, nextOrderId: createOrderIds(clock) }
  const keyring = createKeyring(apiKeys)

  const app = fastify({ genReqId: () => randomUUID(), forceCloseConnections: true })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  app.get('/healthz', async () => ({ ok: true }))
  for (const operation of operations)
    app.get(operation.path, async (request) => {
      keyring.check(request.headers)
      return operation.answer(desk, readQuery(request.query))
    })
  reportFailures(app, log)

  return {
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      try {
        return await app.listen({ port, host })
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw cause
        throw new BallastError(`Port ${port} is in use.`, {
          code: 'PORT_IN_USE',
          remedy: 'halt',
          fault: 'usage',
          facts: { port },
          cause,
        })
      }
    },
    async close() {
      await app.close()
      await snapshots.close()
    },
  }
}

/** A repeated parameter has no single meaning: proxies and parsers disagree which one counts. */
function readQuery(query: unknown): Query {
  for (const [name, value] of Object.entries(query as Record<string, unknown>))
    if (typeof value !== 'string')
      throw new QuoteRefused('INVALID_PARAMETER', `${name.slice(0, 64)} is given more than once.`)
  return query as Query
}

function reportFailures(app: FastifyInstance, log: Logger): void {
  app.setNotFoundHandler((request, reply) => {
    const refused = new QuoteRefused('NOT_FOUND', 'There is no such operation.')
    return reply.code(refused.status).send(failureOf(refused, request.id))
  })
  app.setErrorHandler((err, request, reply) => {
    const refused = err instanceof QuoteRefused ? err : foreign(err)
    const event = { requestId: request.id, path: request.url.split('?')[0], code: refused.code }
    if (refused.code === 'INTERNAL') log.error({ ...event, err }, 'failed')
    else log.info({ ...event, reason: refused.summary }, 'refused')
    return reply.code(refused.status).send(failureOf(refused, request.id))
  })
}

/** What the HTTP server refused itself is the caller's mistake; anything else is ours, and its text stays here. */
function foreign(err: unknown): QuoteRefused {
  const status = (err as { statusCode?: number }).statusCode ?? 500
  return status >= 400 && status < 500
    ? new QuoteRefused('UNREADABLE_PARAMETER', 'The request could not be read.')
    : new QuoteRefused('INTERNAL', 'Internal Server Error')
}

function failureOf({ number, status, summary }: QuoteRefused, requestId: string): Failure {
  return {
    success: false,
    code: number,
    message: summary,
    errorMessage: summary,
    statusCode: status,
    requestId,
  }
}
