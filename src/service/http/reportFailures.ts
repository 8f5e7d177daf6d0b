import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Failure } from '../../api/failure.ts'
import { QuoteRefused } from '../refusal/errors.ts'

/** How a refusal is dressed: with its HTTP status, or always as 200 as the second generation of this API does. */
export type ErrorStyle = 'status' | 'native200'

/** How failures reach the caller, and where they are logged. */
export type Reporting = {
  readonly errorStyle: ErrorStyle
  readonly log: Logger
}

const statusOf: Readonly<Record<ErrorStyle, (refused: QuoteRefused) => number>> = {
  status: ({ status }) => status,
  native200: () => 200,
}

/** Gives every failure of the server its one form. */
export function reportFailures(app: FastifyInstance, reporting: Reporting): void {
  app.setNotFoundHandler((request, reply) =>
    refuse(reporting, {
      request,
      reply,
      refused: new QuoteRefused('NOT_FOUND', 'There is no such operation.'),
    }),
  )
  app.setErrorHandler((err, request, reply) => {
    const refused = refusedOf(err)
    if (refused.code === 'INTERNAL') reporting.log.error({ requestId: request.id, err }, 'failed')
    return refuse(reporting, { request, reply, refused })
  })
}

/** For what the framework refuses before any handler, such as a path that is not UTF-8. */
export function refuse(
  { errorStyle, log }: Reporting,
  {
    request,
    reply,
    refused,
  }: { request: FastifyRequest; reply: FastifyReply; refused: QuoteRefused },
): FastifyReply {
  const path = request.url.split('?')[0]?.slice(0, 96)
  log.info({ requestId: request.id, path, code: refused.code, reason: refused.summary }, 'refused')
  if (refused.retryAfterMs !== undefined)
    reply.header('retry-after', Math.max(1, Math.ceil(refused.retryAfterMs / 1_000)))
  return reply
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .code(statusOf[errorStyle](refused))
    .send(failureOf(refused, request.id))
}

/** A refusal by the HTTP server itself is the caller's mistake; anything else is ours, and its text stays here. */
export function refusedOf(err: unknown): QuoteRefused {
  if (err instanceof QuoteRefused) return err
  const { statusCode = 500, code } = err as { statusCode?: number; code?: string }
  if (code === 'FST_ERR_HANDLER_TIMEOUT')
    return new QuoteRefused('BUSY', 'The service did not find an answer in time.')
  return statusCode >= 400 && statusCode < 500
    ? new QuoteRefused('UNREADABLE_PARAMETER', 'The URL of the request cannot be read.')
    : new QuoteRefused('INTERNAL', 'Internal Server Error')
}

/**
 * Answers what is not even HTTP, in the same form. Its status is always its own: there is no API call to dress up. Behind a
 * request whose answer is among `unsent`, the refusal would be taken for that answer: the connection ends with it instead.
 */
export function refuseConnection(
  err: NodeJS.ErrnoException,
  socket: Socket,
  unsent: ReadonlySet<ServerResponse>,
): void {
  if (err.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const last = [...unsent].findLast(({ req }) => req.socket === socket)
  if (last !== undefined) {
    // The end of the connection is known already: more of what cannot be read adds nothing.
    if (!last.shouldKeepAlive) return
    last.shouldKeepAlive = false
    last.once('close', () => socket.end())
    return
  }
  const refused = unreadable(err.code)
  const requestId = randomUUID()
  const body = JSON.stringify(failureOf(refused, requestId))
  socket.end(
    [
      `HTTP/1.1 ${refused.status} ${statusText[refused.status] ?? 'Bad Request'}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

const statusText: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

function unreadable(code: string | undefined): QuoteRefused {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new QuoteRefused('HEADERS_TOO_LARGE', 'URL and headers are too long together.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new QuoteRefused('REQUEST_TIMEOUT', 'The request did not arrive in time.')
  return new QuoteRefused('UNREADABLE_PARAMETER', 'This is not an HTTP request.')
}

/** The body of a refusal, whatever the status it is sent with. */
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
