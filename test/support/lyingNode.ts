import type { ServerResponse } from 'node:http'
import { serveBodies } from './serveBodies.ts'

/** One question on its way to the node: `nth` counts those of its method in the same exchange, from 0. */
export type Asked = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly nth: number
}

// biome-ignore lint/suspicious/noExplicitAny: a lie may have any shape.
export type Answer = any

/** What a node lies about. It may be changed while the node runs. */
export type Lies = {
  /** Bends one answer, `{ id, result }` or `{ id, error }`, in place or by giving another. */
  readonly bend?: (asked: Asked, answer: Answer) => Answer
  /** Answers the whole exchange in its own way; true when it did. */
  readonly respond?: (answers: readonly Answer[], response: ServerResponse) => boolean
}

/** A node without the state of old blocks. */
export const pruned: Lies = {
  bend: ({ method, params }, answer) =>
    (method === 'eth_getBalance' && /^0x/.test(String(params[1]))) ||
    method === 'debug_traceTransaction'
      ? { ...answer, result: undefined, error: { code: -32_000, message: 'missing trie node' } }
      : answer,
}

/** A real node behind a liar. Counts what passes; the bytes of every answer are made here, so any of them can be wrong. */
export async function startLyingNode(upstream: string, lies: Lies = {}) {
  const seen: { method: string; params: readonly unknown[] }[] = []
  /** The methods of each exchange: one list for a batch. */
  const exchanges: string[][] = []
  let current = lies
  const server = await serveBodies(async (text, response) => {
    const body = JSON.parse(text)
    const calls: { id: number; method: string; params: unknown[] }[] = [body].flat()
    seen.push(...calls)
    exchanges.push(calls.map(({ method }) => method))
    const answered: Answer[] = [
      await (
        await fetch(upstream, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: text,
        })
      ).json(),
    ].flat()
    const counts = new Map<string, number>()
    const bent = calls.map(({ id, method, params }) => {
      const nth = counts.get(method) ?? 0
      counts.set(method, nth + 1)
      const answer = answered.find((one) => one.id === id)
      return current.bend?.({ method, params, nth }, answer) ?? answer
    })
    if (current.respond?.(bent, response) === true) return
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(Array.isArray(body) ? bent : bent[0]))
  })
  return {
    url: server.url,
    seen,
    exchanges,
    count: (method: string) => seen.filter((call) => call.method === method).length,
    lie: (next: Lies) => {
      current = next
    },
    close: server.close,
  }
}
