import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { BallastError, ballastError } from '../core/errors.ts'
import type { Door } from './createDoor.ts'
import { failureOf } from './failures.ts'
import { readRequest } from './readRequest.ts'
import type { LockView } from './views.ts'

type Halting = {
  readonly halt: (why: { readonly reason: string; readonly by: string }) => Promise<LockView>
  readonly door: Door
  /** Who sends a request, as the journal keeps it. */
  readonly senderOf: (request: FastifyRequest) => string
}

const halting = z.strictObject({ reason: z.string().trim().min(1).max(500) })

/** Text of a refused halt, so that no reader believes in one that did not happen. */
const nothingHalted =
  'NOTHING WAS HALTED: send POST /api/halt without a body, or with {"reason":"…"} as application/json, from no page of another site.'

/** Refused for who sends it: another body would not help. */
const atTheDoor: ReadonlySet<string> = new Set(['ACCESS_DENIED', 'ACCESS_LIMITED', 'OPERATOR_ONLY'])

const byFile =
  'create a file HALT beside the database, or beside ballast.yaml where that is a server.'
/** A commit without an answer may have been made. */
const unsure = (code: string) =>
  code === 'COMMIT_UNKNOWN' ? 'IT MAY NOT BE HALTED' : 'NOTHING WAS HALTED'

/**
 * A program of this machine halts with any body: an operator in a hurry writes no JSON. A browser states which page
 * sends the request, and must send what only our own page can.
 */
export async function addHalt(
  scope: FastifyInstance,
  { halt, door, senderOf }: Halting,
): Promise<void> {
  const halted = async (reason: string, request: FastifyRequest) => ({
    halted: true,
    lock: await halt({ reason, by: senderOf(request) }),
  })
  scope.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    if (isBrowser(request.headers)) done(unreadable(415))
    else done(null, body)
  })
  scope.post('/api/halt', (request) => {
    assertOwnPage(request.headers, door)
    if (isBrowser(request.headers))
      return halted(readRequest(halting, request.body).reason, request)
    const { data } = halting.safeParse(request.body)
    return halted(data?.reason ?? 'by API', request)
  })
  scope.setErrorHandler(async (error, request, reply) => {
    let refusal = error
    // Fastify's own complaint about the body; ours, such as a foreign origin, stand.
    if (!(error instanceof BallastError) && !isBrowser(request.headers) && isOfRequest(error))
      try {
        return await reply.code(200).send(await halted('by API', request))
      } catch (failure) {
        refusal = failure
      }
    const { status, body } = failureOf(refusal)
    const isOurs = status >= 500 || atTheDoor.has(body.code)
    // Some wallets of a fleet are halted: the sentence says which are not.
    const isPart = body.code === 'HALT_INCOMPLETE'
    const message = isPart
      ? body.message
      : `${body.message} ${isOurs ? `${unsure(body.code)}: ${byFile}` : nothingHalted}`
    return reply.code(status).send({ error: { ...body, message } })
  })
}

const isBrowser = ({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders) =>
  origin !== undefined || site !== undefined

function isOfRequest(error: unknown): boolean {
  const { statusCode = 500 } = error as { statusCode?: number }
  return statusCode >= 400 && statusCode < 500
}

const unreadable = (statusCode: number) =>
  Object.assign(new Error('The body cannot be read.'), { statusCode })

/**
 * A browser states which page a request comes from: only our own may change anything. A sender of no such header is a
 * program: of this machine, which could open the journal as well, or with the operator's token or certificate.
 */
function assertOwnPage(
  { origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders,
  { scheme }: Door,
): void {
  // Behind a proxy that brings TLS the page has another origin than we know: the browser itself says whose it is. An older
  // browser does not.
  const isOwn =
    site === undefined
      ? origin === undefined || origin.toLowerCase() === `${scheme}://${host?.toLowerCase()}`
      : site === 'same-origin'
  if (!isOwn) throw ballastError('FOREIGN_ORIGIN', 'The request comes from a page of another site.')
}
