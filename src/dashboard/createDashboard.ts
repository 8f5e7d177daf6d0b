import type { FastifyInstance } from 'fastify'
import { addApi } from './addApi.ts'
import { addEvents } from './addEvents.ts'
import { addHalt } from './addHalt.ts'
import { addPages } from './addPages.ts'
import { createFront, type FrontOptions } from './createFront.ts'
import type { Queries } from './queries.ts'
import type { Health, LockView } from './views.ts'

type Options = FrontOptions & {
  readonly queries: Queries
  readonly health: () => Promise<Health>
  /** Signs nothing any more until a person resumes at the command line; the one thing a request may change. */
  readonly halt: (why: { readonly reason: string; readonly by: string }) => Promise<LockView>
  /** Path of its pages behind another front; none without it. */
  readonly base?: string | undefined
}

/** The pages and the API, not yet listening. */
export type Dashboard = {
  readonly app: FastifyInstance
  /** Throws PORT_IN_USE, or what the socket cannot be. */
  listen(): Promise<{ readonly url: string }>
  close(): Promise<void>
}

/** Read-only pages over the journal: no request changes anything, except that `POST /api/halt` halts. */
export function createDashboard(options: Options): Dashboard {
  const { base } = options
  const { app, door, senderOf, ...front } = createFront(options)
  addPages(app, options)
  addApi(app, options)
  app.register((scope) => addHalt(scope, { halt: options.halt, door, senderOf }))
  addEvents(app, options)
  if (base !== undefined) putUnder(base, app)
  return { app, ...front }
}

/** Leads every link of the pages to the path that they are under. No text has the sign: it is written `&quot;` there. */
function putUnder(base: string, app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    const type = String(reply.getHeader('content-type'))
    if (typeof payload !== 'string' || !type.startsWith('text/html')) return payload
    return payload
      .replace('<html lang="en">', `<html lang="en" data-base="${base}">`)
      .replaceAll(/ (href|action|src)="\/(?!\/)/g, ` $1="${base}/`)
  })
}
