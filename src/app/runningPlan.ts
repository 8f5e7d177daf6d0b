import { z } from 'zod'
import { createHttp } from '../chain/http.ts'
import type { Config } from '../config/config.ts'
import { BallastError } from '../core/errors.ts'
import { parseJson } from '../core/json.ts'
import type { PlanView } from '../dashboard/planView.ts'

/** A person waits for it, and no bot is there most of the time. */
const timeoutMs = 1_000

/** A hundred strategies of a thousand slots each, as JSON. */
const maxBytes = 64 * 1024 * 1024

const amount = z.object({ token: z.string(), wei: z.string(), text: z.string() })

/** The part of it that a comparison reads; the rest is carried along. */
const view = z.looseObject({
  from: z.string(),
  until: z.string(),
  strategies: z.array(
    z.looseObject({
      name: z.string(),
      schedule: z.string(),
      slots: z.number(),
      asks: z.array(
        z.looseObject({
          at: z.string(),
          local: z.string(),
          kind: z.string(),
          swaps: z.array(
            z.looseObject({ sell: amount, buy: z.string(), blockedBy: z.array(z.string()) }),
          ),
        }),
      ),
    }),
  ),
  blocks: z.array(
    z.looseObject({ strategy: z.string(), rule: z.string(), at: z.string(), local: z.string() }),
  ),
})

/** The plan of the bot of this machine that serves the configured dashboard, or why it is not known. */
export async function runningPlan(
  { dashboard: { host, port, socket, tokens, tls } }: Config,
  { spanMs }: { spanMs: number },
): Promise<{ readonly at: string; readonly plan: PlanView } | { readonly reason: string }> {
  const name = loopbackOf(host)
  if (name === undefined)
    return { reason: `The dashboard is at ${host}, not on this machine: it was not called.` }
  if (tls !== undefined)
    return { reason: 'The dashboard wants a client certificate: it was not called.' }
  const url = socket === undefined ? `http://${name}:${port}` : `unix:${socket}`
  const http = createHttp({
    ...(socket === undefined ? { url } : { url: 'http://localhost', socketPath: socket }),
    ...{ timeoutMs, maxBytes },
  })
  try {
    const { status, text } = await http.send({
      method: 'GET',
      path: `/api/plan?next=${Math.round(spanMs / 1_000)}s`,
      headers:
        tokens === undefined
          ? {}
          : { authorization: `Bearer ${(tokens.viewer ?? tokens.operator).reveal()}` },
    })
    if (status !== 200) return { reason: `What answers at ${url} has no plan (HTTP ${status}).` }
    const read = view.safeParse(parsed(text))
    if (!read.success) return { reason: `What answers at ${url} is no bot of this version.` }
    return { at: url, plan: read.data as unknown as PlanView }
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    return { reason: `No bot answered at ${url} within ${timeoutMs / 1_000} s: it is not running.` }
  } finally {
    await http.close()
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    // Any such text is no plan: the schema refuses it.
    return undefined
  }
}

/** The name under which this machine reaches its own dashboard; undefined for an address of another. */
function loopbackOf(host: string): string | undefined {
  if (host === '0.0.0.0' || host === 'localhost' || host.startsWith('127.')) return '127.0.0.1'
  return host === '::' || host === '::1' ? '[::1]' : undefined
}
