import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One JSON-RPC call as it passes. */
export type PassingCall = { readonly method: string; readonly params: readonly unknown[] }

type Hooks = {
  /** Before the node sees it. Returning 'drop' swallows the call: the caller never gets an answer. */
  readonly before?: (call: PassingCall) => 'drop' | undefined
  /** When a call arrives. @returns what is called when the caller has its answer, or is gone. */
  readonly hold?: () => () => void
  /** Awaited before anything is passed on. */
  readonly ready?: (calls: readonly PassingCall[]) => Promise<void>
  /** After the node answered, before the caller hears of it. */
  readonly after?: (call: PassingCall) => 'drop' | undefined
}

/**
 * Stands between the bot and its node: counts what passes, and loses what a test wants lost.
 * The node behind it is a real one.
 */
export async function startRpcProxy(upstream: string, hooks: Hooks = {}) {
  const seen: PassingCall[] = []
  const server: Server = createServer((request, response) => {
    if (hooks.hold !== undefined) response.once('close', hooks.hold())
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      const body = JSON.parse(text) as PassingCall | PassingCall[]
      const calls = Array.isArray(body) ? body : [body]
      seen.push(...calls)
      await hooks.ready?.(calls)
      if (calls.some((call) => hooks.before?.(call) === 'drop')) return request.socket.destroy()
      const answer = await fetch(upstream, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: text,
      })
      const answered = await answer.text()
      if (calls.some((call) => hooks.after?.(call) === 'drop')) return request.socket.destroy()
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answered)
      return undefined
    })().catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** Every call that passed, in order. */
    seen,
    count: (method: string) => seen.filter((call) => call.method === method).length,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
