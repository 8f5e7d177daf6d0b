import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { loadEngine } from '../../../chain/crypto/recoverSigner.ts'
import type { Order } from '../../../chain/settlement/order.ts'
import type { Clock } from '../../../core/clock.ts'
import { requestBounds } from '../../../core/requestBounds.ts'
import { type Address, sameAddress } from '../../../core/token.ts'
import { createKeyring } from '../../createKeyring.ts'
import type { Snapshot, Snapshots } from '../../createSnapshots.ts'
import { QuoteRefused } from '../../refusal/errors.ts'
import type { Offer } from '../../venues/venue.ts'
import { MakerDeclined } from '../errors.ts'
import { type LevelsAnswer, orderInJson, paths, signQuestion } from './protocol.ts'

/** A maker as a process of its own: publishes its levels and signs what they promise. */
export type MakerServer = {
  /** Port 0: a free one. Answers with the base URL. */
  listen(at?: { port?: number; host?: string }): Promise<string>
  close(): Promise<void>
}

type Options = {
  readonly address: Address
  readonly chainId: number
  readonly router: Address
  /** Of the maker's own venue, and of nothing else. */
  readonly snapshots: Snapshots
  readonly expiryMaxSeconds: number
  /** Absent: all that reach it are served. */
  readonly apiKey?: string | undefined
  /** The last look: a reason not to sign this order after all. */
  readonly refuses?: (order: Order) => string | undefined
  readonly clock: Clock
  readonly log: Logger
}

/** Levels a maker has published are honoured this long, while its prices move on. */
const honouredMs = 3_000
const rememberedMax = 16

/** The clock of a quoting service may be this far ahead of ours: time is part of the price, and a second would refuse it. */
const clockSlackSeconds = 2

/**
 * Serves one maker to quoting services.
 *
 * It signs no price but its own: an order must be filled by the levels of one of the last blocks, for the time that is
 * left to its deadline, out of what is still free. The caller decides nothing else.
 */
export function createMakerServer({
  address,
  chainId,
  router,
  snapshots,
  expiryMaxSeconds,
  apiKey,
  refuses = () => undefined,
  clock,
  log,
}: Options): MakerServer {
  const answer = answerRefusals(log)
  const app = fastify({
    ...requestBounds,
    forceCloseConnections: true,
    bodyLimit: 16 * 1024,
    // Of a URL that cannot be read: no handler sees it.
    frameworkErrors: answer,
  })
  const keyring = createKeyring(apiKey === undefined ? [] : [apiKey])
  const levels = createHonoured(snapshots, clock)

  app.addHook('onRequest', async (request) => {
    keyring.identify(request.headers)
  })

  app.get(paths.levels, async (request): Promise<LevelsAnswer> => {
    const expiries = readExpiries(request.query)
    const { states } = await levels.publish()
    return {
      maker: address,
      books: expiries
        .filter((seconds) => seconds > 0 && seconds <= expiryMaxSeconds)
        .map((expirySeconds) => ({
          expirySeconds,
          rows: states.flatMap((state) => state.rows(expirySeconds)),
        })),
    }
  })

  app.post(paths.sign, async (request) => {
    const order = readOrder(request.body, { address, chainId, router })
    const snapshot = await levels.publish()
    const now = Math.max(snapshot.block.timestamp, Math.floor(clock.now() / 1_000))
    const seconds = Number(order.deadlineTimestamp) - now
    if (seconds > expiryMaxSeconds + clockSlackSeconds || seconds <= 0)
      throw new Refused(409, 'BAD_DEADLINE', 'The deadline has passed or is too far away.')

    const offer = levels.offerFor(order, Math.max(1, seconds - clockSlackSeconds))
    if (offer?.settlement.kind !== 'maker')
      throw new Refused(409, 'PRICE_MOVED', 'No level of the last blocks pays that.')
    const reason = refuses(order)
    if (reason !== undefined) throw new Refused(409, 'LAST_LOOK', reason)
    // Nothing is awaited between looking at what is free and reserving it.
    const signature = await offer.settlement.desk.sign(order)
    return { order: orderInJson(order), signature }
  })

  app.get('/healthz', async () => ({ ok: true }))

  app.setNotFoundHandler(async () => {
    throw new Refused(404, 'NOT_FOUND', 'There is no such operation.')
  })
  app.setErrorHandler(answer)

  return {
    async listen({ port = 0, host = '127.0.0.1' } = {}) {
      // Not when the first order is signed: a maker is not waited for that long.
      await loadEngine()
      return app.listen({ port, host })
    },
    close: () => app.close(),
  }
}

/** Gives every refusal its one form, and its line in the log. */
function answerRefusals(log: Logger) {
  return (err: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refused = refusedOf(err)
    const event = { path: request.url.split('?')[0], code: refused.code }
    if (refused.status >= 500) log.error({ ...event, err }, 'failed')
    else log.info({ ...event, reason: refused.message }, 'refused')
    const { status, code, message } = refused
    return reply.code(status).send({ success: false, code, message })
  }
}

/** The snapshots whose levels the maker has published, as long as it honours them. */
function createHonoured(snapshots: Snapshots, clock: Clock) {
  const published: { readonly at: number; readonly snapshot: Snapshot }[] = []
  return {
    async publish(): Promise<Snapshot> {
      const snapshot = await snapshots.latest()
      const now = clock.now()
      if (published.at(-1)?.snapshot === snapshot) published.pop()
      published.push({ at: now, snapshot })
      while (published.length > rememberedMax || (published[0]?.at ?? now) < now - honouredMs)
        published.shift()
      return snapshot
    },
    /** The oldest offer of these levels that pays the order, for an expiry in seconds. */
    offerFor: (order: Order, seconds: number): Offer | undefined =>
      published
        .map(({ snapshot }) => matching(snapshot, { order, seconds }))
        .find((offer) => offer !== undefined && pays(offer, order)),
  }
}

function readExpiries(query: unknown): readonly number[] {
  const { expiries } = query as { expiries?: unknown }
  // A repeated one is a list, which a pattern would take as its text.
  if (typeof expiries !== 'string' || !/^\d{1,5}(?:,\d{1,5}){0,15}$/.test(expiries))
    throw new Refused(400, 'BAD_REQUEST', 'expiries is a list of up to 16 durations in seconds.')
  return expiries.split(',').map(Number)
}

/** An order of this maker for its router; refuses any other. */
function readOrder(
  body: unknown,
  { address, chainId, router }: { address: Address; chainId: number; router: Address },
): Order {
  const question = signQuestion.safeParse(body)
  if (!question.success)
    throw new Refused(400, 'BAD_REQUEST', question.error.issues[0]?.message ?? 'not an order')
  const { order } = question.data
  if (question.data.chainId !== chainId || !sameAddress(question.data.router, router))
    throw new Refused(409, 'OTHER_ROUTER', 'Orders of that router are not signed here.')
  if (!sameAddress(order.signer, address) || !sameAddress(order.buyer, address))
    throw new Refused(409, 'OTHER_MAKER', 'That is not this maker.')
  return order
}

function matching(
  { states }: Snapshot,
  { order, seconds }: { order: Order; seconds: number },
): Offer | undefined {
  return states
    .flatMap((state) => state.offers(seconds))
    .find(
      ({ sell, buy }) =>
        sameAddress(sell.address, order.sellerToken) && sameAddress(buy.address, order.buyerToken),
    )
}

function pays(offer: Offer, order: Order): boolean {
  const fill = offer.fill(order.sellerTokenAmount)
  return fill.kind === 'filled' && fill.buyWei >= order.buyerTokenAmount
}

/** A maker's refusal; its status and body. */
class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

function refusedOf(err: unknown): Refused {
  if (err instanceof Refused) return err
  if (err instanceof MakerDeclined)
    return new Refused(409, 'INVENTORY', 'That has been promised to somebody else.')
  if (err instanceof QuoteRefused) return new Refused(err.status, err.code, err.summary)
  const status = (err as { statusCode?: number }).statusCode ?? 500
  return status < 500
    ? new Refused(status, 'BAD_REQUEST', 'The request could not be read.')
    : new Refused(500, 'INTERNAL', 'Internal Server Error')
}
