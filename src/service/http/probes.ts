import type { FastifyInstance } from 'fastify'
import type { Desk } from '../endpoints/operation.ts'
import { QuoteRefused } from '../refusal/errors.ts'

/** For monitors of the service: is it there, can it quote, what does it count. No key, no allowance. */
export function probes(app: FastifyInstance, { market, snapshots, metrics, clock }: Desk): void {
  const hidden = { schema: { hide: true } as object }
  app.get('/healthz', hidden, async () => ({ ok: true }))

  app.get('/readyz', hidden, async (_request, reply) => {
    try {
      const { block, states } = await snapshots.latest()
      const live = states.filter(
        (state) => state.offers(market.expiry.defaultSeconds).length > 0,
      ).length
      const ready = live > 0
      return reply.code(ready ? 200 : 503).send({
        ready,
        ...(ready ? {} : { reason: 'No source offers anything.' }),
        block: block.number,
        sources: live,
      })
    } catch (error) {
      // The one expected reason; anything else is a fault of ours and is reported as one.
      if (!(error instanceof QuoteRefused)) throw error
      return reply.code(503).send({ ready: false, reason: error.summary, ...error.facts })
    }
  })

  app.get('/metrics', hidden, async (_request, reply) => {
    metrics.headAge(await headAgeSeconds({ snapshots, clock }))
    return reply.type(metrics.contentType).send(await metrics.text())
  })
}

/** Of the newest block that is known, by its own time; when nothing came for too long, since it was first seen. */
async function headAgeSeconds({
  snapshots,
  clock,
}: Pick<Desk, 'snapshots' | 'clock'>): Promise<number> {
  try {
    const { block } = await snapshots.latest()
    return Math.max(0, clock.now() / 1_000 - block.timestamp)
  } catch (error) {
    if (!(error instanceof QuoteRefused)) throw error
    const { ageMs } = error.facts
    return typeof ageMs === 'number' ? ageMs / 1_000 : Number.NaN
  }
}
