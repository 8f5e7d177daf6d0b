import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Clock } from '../core/clock.ts'
import { display, displayJson } from '../core/display.ts'
import { ballastError } from '../core/errors.ts'
import { printHtml } from '../core/html.ts'
import { requestBounds } from '../core/requestBounds.ts'
import { type AccessTokens, createAccess, nameOfPeer, roleOfPeer } from './createAccess.ts'
import { createDoor, type Door, type Place } from './createDoor.ts'
import { failureOf, notFound } from './failures.ts'
import { failureLayout } from './layout.ts'
import { pagePolicy } from './pagePolicy.ts'

export type FrontOptions = Place & {
  readonly clock: Clock
  /** Without them, and without `tls`, everybody who reaches it sees the pages and may halt. */
  readonly tokens?: AccessTokens | undefined
  /** The front that its requests come through, which has admitted them. */
  readonly behind?: Front | undefined
}

/** Where requests come in and are admitted, not yet listening. */
export type Front = {
  readonly app: FastifyInstance
  readonly door: Door
  /** Who sends a request, as far as the door knows: a token, a certificate, or nobody but this machine. */
  readonly senderOf: (request: FastifyRequest) => string
  /** Throws PORT_IN_USE, or what the socket cannot be. */
  listen(): Promise<{ readonly url: string }>
  close(): Promise<void>
}

/**
 * Where tokens are set, every request needs one of them, and one that changes anything the operator's; with `tls` a
 * certificate likewise.
 *
 * A request is answered only under a name it is known by: a page of another site that points its own name at this
 * address (DNS rebinding) is turned away.
 */
export function createFront(options: FrontOptions): Front {
  const { tokens, clock, tls, behind } = options
  const door = behind?.door ?? createDoor(options)
  const app: FastifyInstance = Fastify({
    ...door.server,
    logger: false,
    // A connection that is kept takes a place of another.
    keepAliveTimeout: requestBounds.requestTimeout,
    forceCloseConnections: true,
    bodyLimit: 1_024,
    // A path that cannot be decoded reaches no handler; fastify's own answer would repeat it.
    frameworkErrors(error, _request, reply) {
      const { status, body } = failureOf(error)
      const bare = reply as unknown as FastifyReply
      bare.code(status).send({ error: body })
    },
  })
  guard(app, { door, listening: behind?.app ?? app })
  if (behind === undefined && tokens !== undefined)
    admitTokens(app, { door, access: createAccess(tokens, clock) })
  if (behind === undefined && tls !== undefined) admitPeers(app, tls.operators)
  app.setNotFoundHandler(() => {
    throw notFound('There is no such page.')
  })
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = failureOf(error)
    reply.code(status)
    if (!isPage(request.url)) return reply.send({ error: body })
    return reply.type('text/html; charset=utf-8').send(printHtml(failureLayout(body.message)))
  })
  return {
    app,
    door,
    senderOf: behind?.senderOf ?? senderOf(options),
    close: () => app.close(),
    listen: async () => ({ url: await door.listen(app) }),
  }
}

/** Who sends a request, as far as the door knows: a token, a certificate, or nobody but this machine. */
const senderOf =
  ({ tokens, tls, socket }: FrontOptions) =>
  ({ raw, ip }: FastifyRequest): string => {
    if (tls !== undefined) return `certificate ${display(nameOfPeer(raw.socket), 64)}`
    if (tokens !== undefined) return `operator's token from ${ip}`
    return socket === undefined ? 'a program of this machine' : 'a program at the socket'
  }

/** Headers for browsers on every answer; a request under an unknown host name is refused. */
function guard(
  app: FastifyInstance,
  { door, listening }: { readonly door: Door; readonly listening: FastifyInstance },
): void {
  // Readers undo JSON's escapes, and some of them are terminals.
  app.setReplySerializer((payload) => displayJson(JSON.stringify(payload)))
  // JSON alone: a form of another site can send the other kinds without a prior check.
  app.removeContentTypeParser('text/plain')
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': pagePolicy,
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    if (isForeign(request))
      throw ballastError('FOREIGN_ORIGIN', 'The request comes from a page of another site.')
    if (!door.knows(request.headers.host?.toLowerCase() ?? '', listening))
      throw ballastError('UNKNOWN_HOST', 'The dashboard is not known by this host name.')
  })
}

/**
 * Whether a page of another site sends it, as browsers say of each request. A person may follow a link from there to a
 * page; what programs read, and what costs the bot work, no other site may request.
 */
function isForeign({ headers, url, method }: FastifyRequest): boolean {
  const {
    'sec-fetch-site': site = 'none',
    'sec-fetch-mode': mode,
    'sec-fetch-dest': dest,
  } = headers
  if (site === 'same-origin' || site === 'none') return false
  const isLink = method === 'GET' && mode === 'navigate' && dest === 'document'
  // Nor may it log a browser in: as a viewer, say, in the place of the operator.
  return !isLink || !isPage(url) || /^\/(?:reports\/|market\?|\?(?:.*&)?token=)/.test(url)
}

/** Every request needs a token, and one that changes anything the operator's. */
function admitTokens(
  app: FastifyInstance,
  { door, access }: { door: Door; access: ReturnType<typeof createAccess> },
): void {
  app.addHook('onRequest', async (request, reply) => {
    // Browsers share the cookies of all ports of a host.
    const cookieName = `ballast-${door.portOf(app)}`
    const { headers, ip: address, method } = request
    const token = exchanged(request)
    if (token !== undefined) {
      reply.header('set-cookie', access.cookieFor(token, { address, cookieName }))
      return reply.redirect('/', 303)
    }
    const role = access.identify({ headers, address }, cookieName)
    if (role !== 'operator' && changes(method))
      throw ballastError('OPERATOR_ONLY', "Only the operator's token may do this.")
  })
}

/** Every request needs a certificate of our authority, and one that changes anything an operator's. */
function admitPeers(app: FastifyInstance, operators: readonly string[]): void {
  app.addHook('onRequest', async ({ raw, method }) => {
    if (roleOfPeer(raw.socket, operators) !== 'operator' && changes(method))
      throw ballastError(
        'OPERATOR_ONLY',
        'Only a certificate whose common name stands in dashboard.tls.operators may do this.',
      )
  })
}

const changes = (method: string) => method !== 'GET' && method !== 'HEAD'

/** The token that a browser brings once, at `/?token=…`. */
function exchanged({ method, url, query }: FastifyRequest): string | undefined {
  if (method !== 'GET' || !url.startsWith('/?')) return undefined
  const { data } = z.object({ token: z.string() }).safeParse(query)
  return data?.token
}

/** Whether people read it: what programs read fails as JSON. */
const isPage = (url: string) => !/^(?:\/w\/[^/?]+)?\/(?:api\/|healthz|readyz|metrics)/.test(url)
