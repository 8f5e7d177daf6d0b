import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Clock } from '../core/clock.ts'
import { display, displayJson, foreignMax } from '../core/display.ts'
import { parseDuration } from '../core/duration.ts'
import { BallastError, ballastError } from '../core/errors.ts'
import { withoutSecrets } from '../core/secret.ts'
import { botMetrics } from './botMetrics.ts'
import { type AccessTokens, createAccess, roleOfPeer } from './createAccess.ts'
import { createDoor, type Door, type Place } from './createDoor.ts'
import { type Html, html, printHtml } from './html.ts'
import { favicon, layout, style } from './layout.ts'
import { overview } from './overview.ts'
import type { Health, LockView, Queries } from './queries.ts'
import { swapPage } from './swapPage.ts'

type Options = Place & {
  readonly queries: Queries
  readonly health: () => Promise<Health>
  /** Signs nothing any more until a person resumes at the command line; the one thing a request may change. */
  readonly halt: (reason: string) => Promise<LockView>
  readonly clock: Clock
  /** Without them, and without `tls`, everybody who reaches it sees the pages and may halt. */
  readonly tokens?: AccessTokens | undefined
}

/** The pages and the API, not yet listening. */
export type Dashboard = {
  readonly app: FastifyInstance
  /** Throws PORT_IN_USE, or what the socket cannot be. */
  listen(): Promise<{ readonly url: string }>
  close(): Promise<void>
}

const swapsPerPage = 50

const id = z.string().regex(/^[\w-]{1,64}$/, 'is not the id of a swap')
const page = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(swapsPerPage),
  before: id.optional(),
})

/** Span of the plan on the page, and of the answer of `/api/plan` where no other is requested. */
const weekMs = 7 * 86_400_000

const span = z.object({
  next: z
    .string()
    .transform((text, context) => {
      try {
        return parseDuration(text)
      } catch (error) {
        if (!(error instanceof BallastError)) throw error
        context.addIssue(error.summary)
        return z.NEVER
      }
    })
    .default(weekMs),
})

const halting = z.strictObject({ reason: z.string().trim().min(1).max(500) })

/** Text of a refused halt, so that no reader believes in one that did not happen. */
const nothingHalted =
  'NOTHING WAS HALTED: send POST /api/halt without a body, or with {"reason":"…"} as application/json, from no page of another site.'

/** The page needs a style sheet and an icon. It has no script, and none is allowed to appear. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(printHtml(style)).digest('base64')}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Read-only pages over the journal: no request changes anything, except that `POST /api/halt` halts.
 * Where tokens are set, every request needs one of them, and a halt the operator's; with `tls` a certificate likewise.
 *
 * A request is answered only under a name it is known by: a page of another site that points its own name at this
 * address (DNS rebinding) is turned away.
 */
export function createDashboard(options: Options): Dashboard {
  const door = createDoor(options)
  const { tokens, clock, tls } = options
  const app = Fastify({
    ...door.server,
    logger: false,
    forceCloseConnections: true,
    bodyLimit: 1_024,
    // A path that cannot be decoded reaches no handler; fastify's own answer would repeat it.
    frameworkErrors(error, _request, reply) {
      const { status, body } = failureOf(error)
      const bare = reply as unknown as FastifyReply
      bare.code(status).send({ error: body })
    },
  })
  guard(app, door)
  if (tokens !== undefined) admitTokens(app, { door, access: createAccess(tokens, clock) })
  if (tls !== undefined) admitPeers(app, tls.operators)
  addPages(app, options)
  addApi(app, { ...options, door })
  app.setNotFoundHandler(() => {
    throw notFound('There is no such page.')
  })
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = failureOf(error)
    reply.code(status)
    if (!isPage(request.url)) return reply.send({ error: body })
    return send(reply, failurePage(body.message))
  })

  return { app, close: () => app.close(), listen: async () => ({ url: await door.listen(app) }) }
}

/** Headers for browsers on every answer; a request under an unknown host name is refused. */
function guard(app: FastifyInstance, door: Door): void {
  // Readers undo JSON's escapes, and some of them are terminals.
  app.setReplySerializer((payload) => displayJson(JSON.stringify(payload)))
  // JSON alone: a form of another site can send the other kinds without a prior check.
  app.removeContentTypeParser('text/plain')
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': contentSecurityPolicy,
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    if (!door.knows(request.headers.host?.toLowerCase() ?? '', app))
      throw ballastError('UNKNOWN_HOST', 'The dashboard is not known by this host name.')
  })
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

function addPages(app: FastifyInstance, { queries, health, clock }: Options): void {
  app.get('/', async (request, reply) => {
    const { limit, before } = read(page, request.query)
    const [state, locks, strategies, plan, swaps] = await Promise.all([
      health(),
      queries.locks(),
      queries.strategies(),
      // Where a plan cannot be made, the page is needed all the more.
      queries.plan(weekMs).catch((error: unknown) => failureOf(error).body),
      queries.swaps({ limit, ...(before === undefined ? {} : { before }) }),
    ])
    const older = swaps.length === limit ? swaps.at(-1)?.id : undefined
    return send(
      reply,
      overview({ health: state, locks, strategies, plan, swaps, now: clock.now(), older }),
    )
  })
  app.get('/swaps/:id', async (request, reply) => {
    const [swap, state, locks] = await Promise.all([
      findSwap(queries, request.params),
      health(),
      queries.locks(),
    ])
    return send(reply, swapPage(swap, { health: state, locks, now: clock.now() }))
  })
  app.get('/favicon.svg', (_request, reply) => reply.type('image/svg+xml').send(favicon))
}

/** Whether people read it: what programs read fails as JSON. */
const isPage = (url: string) => !/^\/(?:api\/|healthz|readyz|metrics)/.test(url)

type Api = Options & { readonly door: Door }

function addApi(app: FastifyInstance, { queries, health, halt, door, clock }: Api): void {
  app.get('/healthz', async () => ({ ok: true }))
  app.get('/api/health', async () => ({ ok: true, ...(await health()) }))
  for (const url of ['/readyz', '/api/ready'])
    app.get(url, async (_request, reply) => {
      const { ready, attention } = await health()
      const codes = [...new Set(attention.map(({ code }) => code))]
      const problems = attention.map(({ sentence }) => sentence)
      return reply.code(ready ? 200 : 503).send({ ready, codes, problems })
    })
  app.get('/metrics', async (_request, reply) => {
    const [state, locks, strategies, figures] = await Promise.all([
      health(),
      queries.locks(),
      queries.strategies(),
      queries.figures(),
    ])
    const measured = { health: state, locks, strategies, figures, now: clock.now() }
    const { text, contentType } = await botMetrics(measured)
    return reply.type(contentType).send(text)
  })
  app.get('/api/strategies', () => queries.strategies())
  app.get('/api/swaps', (request) => {
    const { limit, before } = read(page, request.query)
    return queries.swaps({ limit, ...(before === undefined ? {} : { before }) })
  })
  app.get('/api/locks', () => queries.locks())
  app.get('/api/plan', (request) => queries.plan(read(span, request.query).next))
  app.register((scope) => addHalt(scope, { halt, door }))
  app.get('/api/swaps/:id', (request) => findSwap(queries, request.params))
}

/** Refused for who sends it: another body would not help. */
const atTheDoor: ReadonlySet<string> = new Set(['ACCESS_DENIED', 'ACCESS_LIMITED', 'OPERATOR_ONLY'])

const notDurable = 'NOTHING WAS HALTED: create a file HALT beside the database.'

/**
 * A program of this machine halts with any body: an operator in a hurry writes no JSON. A browser states which page
 * sends the request, and must send what only our own page can.
 */
async function addHalt(
  scope: FastifyInstance,
  { halt, door }: Pick<Api, 'halt' | 'door'>,
): Promise<void> {
  const halted = async (reason: string) => ({ halted: true, lock: await halt(reason) })
  scope.addContentTypeParser('*', { parseAs: 'string' }, (request, body, done) => {
    if (isBrowser(request.headers)) done(unreadable(415))
    else done(null, body)
  })
  scope.post('/api/halt', (request) => {
    assertOwnPage(request.headers, door)
    if (isBrowser(request.headers)) return halted(read(halting, request.body).reason)
    const { data } = halting.safeParse(request.body)
    return halted(data?.reason ?? 'by API')
  })
  scope.setErrorHandler(async (error, request, reply) => {
    let refusal = error
    // Fastify's own complaint about the body; ours, such as a foreign origin, stand.
    if (!(error instanceof BallastError) && !isBrowser(request.headers) && isOfRequest(error))
      try {
        return await reply.code(200).send(await halted('by API'))
      } catch (failure) {
        refusal = failure
      }
    const { status, body } = failureOf(refusal)
    const isOurs = status >= 500 || atTheDoor.has(body.code)
    const message = `${body.message} ${isOurs ? notDurable : nothingHalted}`
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
  const foreign =
    (origin !== undefined && origin.toLowerCase() !== `${scheme}://${host?.toLowerCase()}`) ||
    (site !== undefined && site !== 'same-origin')
  if (foreign)
    throw ballastError('FOREIGN_ORIGIN', 'The request comes from a page of another site.')
}

async function findSwap(queries: Queries, params: unknown) {
  const { id: asked } = read(z.object({ id }), params)
  const swap = await queries.swap(asked)
  if (swap === undefined) throw notFound('There is no such swap.')
  return swap
}

function read<schema extends z.ZodType>(schema: schema, input: unknown): z.output<schema> {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw ballastError('USAGE', `${issue?.path.join('.')}: ${issue?.message}`)
}

type Reply = { type(name: string): Reply; send(body: string): unknown }

function send(reply: Reply, document: Html): unknown {
  return reply.type('text/html; charset=utf-8').send(printHtml(document))
}

const statuses: Readonly<Record<string, number>> = {
  UNKNOWN_HOST: 421,
  FOREIGN_ORIGIN: 403,
  ACCESS_DENIED: 401,
  ACCESS_LIMITED: 429,
  OPERATOR_ONLY: 403,
  NOT_FOUND: 404,
  USAGE: 400,
}

/** The part of a failure a stranger may learn: ours state it themselves, of others only that they happened. */
function failureOf(error: unknown) {
  if (error instanceof BallastError) {
    const { code, summary, remedy, facts, fault } = error
    const status = statuses[code] ?? (fault === 'upstream' ? 503 : 500)
    const shown = Object.entries(facts).map(([name, value]) => [
      name,
      display(withoutSecrets(`${value}`), foreignMax),
    ])
    const body = {
      code,
      message: withoutSecrets(summary),
      facts: Object.fromEntries(shown),
      remedy,
    }
    return { status, body }
  }
  const { statusCode } = error as { statusCode?: number }
  const status =
    statusCode !== undefined && statusCode >= 400 && statusCode < 500 ? statusCode : 500
  const message = status === 500 ? 'Something unexpected happened.' : 'The request is not valid.'
  const code = status === 500 ? 'UNEXPECTED' : 'USAGE'
  return { status, body: { code, message, facts: {}, remedy: 'skip' } }
}

function failurePage(message: string): Html {
  return layout({
    title: 'Ballast',
    body: html`<header><h1><a href="/">Ballast</a></h1></header><p class="banner">${message}</p>`,
  })
}

function notFound(summary: string): BallastError {
  return ballastError('NOT_FOUND', summary)
}
