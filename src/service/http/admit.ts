import type { FastifyInstance, FastifyRequest } from 'fastify'
import { QuoteRefused } from '../refusal/errors.ts'

/** Number of requests being answered. */
type Admission = {
  open(): number
  /** From now on every new request is refused; those inside are finished. */
  shut(): void
}

/** Shorter than the time most quotes take: a client that is turned away finds room soon. */
const busyRetryMs = 250

/** The door: every answer has its request id, and what is too long, too much or has a body does not come in. */
export function admit(
  app: FastifyInstance,
  { concurrentMax }: { concurrentMax: number },
): Admission {
  /** Those whose answer is not made yet: one that is not fetched costs its socket alone, which is given up in time. */
  const inside = new WeakSet<FastifyRequest>()
  let open = 0
  let closing = false
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    open += 1
    inside.add(request)
    if (closing) {
      reply.header('connection', 'close')
      return done(new QuoteRefused('BUSY', 'The service is closing.'))
    }
    if (open > concurrentMax)
      return done(
        new QuoteRefused('BUSY', 'The service is answering as many requests as it can.', {
          retryAfterMs: busyRetryMs,
        }),
      )
    const refused = refusalOf(request)
    // The rest of this connection is a body that stays unread.
    if (refused?.code === 'BODY_REFUSED') reply.header('connection', 'close')
    return done(refused)
  })
  // Also where the client went away meanwhile.
  app.addHook('onSend', async (request) => {
    if (inside.delete(request)) open -= 1
  })
  return {
    open: () => open,
    shut() {
      closing = true
    },
  }
}

function refusalOf({ raw }: FastifyRequest): QuoteRefused | undefined {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers
  if (length !== '0' || encoding !== undefined)
    return new QuoteRefused('BODY_REFUSED', 'A request has no body: parameters go into the URL.')
  if (raw.headers.host === undefined && raw.httpVersion === '1.1')
    return new QuoteRefused('UNREADABLE_PARAMETER', 'The request has no Host header.')
  const urlLength = raw.url?.length ?? 0
  if (urlLength > limits.urlLengthMax)
    return new QuoteRefused(
      'REQUEST_TOO_LARGE',
      `The URL is longer than ${limits.urlLengthMax} characters.`,
    )
  return undefined
}

/** The most any one client may cost. */
export const limits = {
  /** The longest sensible request has eleven parameters: about a kilobyte. */
  urlLengthMax: 4_096,
  /** Node counts the request line among the headers. */
  headerBytesMax: 8_192,
  /** A firm quote is answered by then; its own requests to others have less. */
  answerMs: 15_000,
  /** Of a service that closes, for clients that are still reading. */
  fetchMs: 5_000,
  keepAliveMs: 30_000,
  /** A connection on which nothing moves for longer is closed, an answer that nobody fetches with it. */
  silentMs: 60_000,
  connectionsMax: 2_000,
} as const
