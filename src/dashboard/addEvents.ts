import type { FastifyInstance } from 'fastify'
import type { Clock } from '../core/clock.ts'
import { ballastError } from '../core/errors.ts'
import { secondMs } from '../core/spans.ts'
import { createFeed } from './createFeed.ts'
import type { Queries } from './queries.ts'

/** Between two signs of life: a proxy closes what is silent, and a closed connection is noticed by the write. */
const aliveMs = 15 * secondMs

/** A reader who takes nothing is let go. */
const unreadBytesMax = 64 * 1_024

/**
 * `GET /api/events`: server-sent events, one for each time that the log has a newer entry than the reader knows. The id is
 * its number, so a browser that comes back with it hears at once whether it missed any.
 */
export function addEvents(
  app: FastifyInstance,
  { queries, clock }: { readonly queries: Pick<Queries, 'newest'>; readonly clock: Clock },
): void {
  const feed = createFeed({ newest: queries.newest, clock })
  app.addHook('preClose', async () => feed.close())
  app.get('/api/events', (request, reply) => {
    const { raw } = reply
    const site = request.headers['sec-fetch-site']
    // It could read nothing, and would take the place of a reader.
    if (site !== undefined && site !== 'same-origin')
      throw ballastError('FOREIGN_ORIGIN', 'The request comes from a page of another site.')
    const known = request.headers['last-event-id']
    const over = new AbortController()
    const write = (text: string) => {
      if (raw.writableLength > unreadBytesMax) raw.destroy()
      else raw.write(text)
    }
    if (feed.isFull())
      throw ballastError('TOO_MANY_READERS', 'Too many pages follow this bot: close some.')
    reply.hijack()
    raw.writeHead(200, { ...plain(reply.getHeaders()), 'content-type': 'text/event-stream' })
    write(`retry: ${2 * secondMs}\n\n`)
    const end = feed.subscribe((seq) => {
      if (String(seq) !== known) write(`id: ${seq}\ndata: ${seq}\n\n`)
    })
    raw.on('close', () => {
      over.abort()
      end()
    })
    void stayAlive({ clock, signal: over.signal, write })
  })
}

async function stayAlive({
  clock,
  signal,
  write,
}: {
  clock: Clock
  signal: AbortSignal
  write: (text: string) => void
}): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(aliveMs, signal).catch(() => undefined)
    if (!signal.aborted) write(':\n\n')
  }
}

const plain = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
