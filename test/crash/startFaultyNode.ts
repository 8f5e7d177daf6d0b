import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttp } from '../../src/chain/http.ts'
import { until } from '../support/until.ts'
import type { Answered } from './driveChain.ts'

export type Call = { readonly id: number; readonly method: string; readonly params: Answered[] }

/** One exchange on its way to the node. */
export type Exchange = {
  readonly calls: readonly Call[]
  /** Lets the node have it, and gives its answers. Each time it is called. */
  forward(): Promise<Answered[]>
}

/** What the caller gets in place of the node's answers. */
export type Reply =
  | 'drop'
  | 'hang'
  /** Headers, and then a byte now and again. */
  | 'drip'
  | { readonly answers: readonly Answered[] }
  | { readonly status: number; readonly headers?: Record<string, string>; readonly text: string }
  /** The body ends in the middle, and the connection with it. */
  | { readonly cut: readonly Answered[] }
  /** So many bytes of nothing. */
  | { readonly bytes: number }

export type Bend = (exchange: Exchange) => Promise<Reply | undefined>

/** A real node behind one that fails in ways a test names. Undefined from the bend is the truth. */
export async function startFaultyNode(upstream: string) {
  const node = createHttp({ url: upstream, timeoutMs: 30_000, maxBytes: 64 * 1_024 * 1_024 })
  let bend: Bend = async () => undefined
  let [seen, inHand] = [0, 0]
  const server = createServer((request, response) => {
    inHand += 1
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      const asked = JSON.parse(body) as Call | Call[]
      const calls = [asked].flat()
      seen += 1
      const forward = async () => {
        const { text } = await node.send({
          method: 'POST',
          path: '',
          headers: { 'content-type': 'application/json' },
          body,
        })
        return [JSON.parse(text)].flat() as Answered[]
      }
      const reply = (await bend({ calls, forward })) ?? { answers: await forward() }
      give(response, reply, Array.isArray(asked))
    })()
      .catch(() => request.socket.destroy())
      .finally(() => {
        inHand -= 1
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What it does from now on. */
    bend(next: Bend) {
      bend = next
    },
    /** Exchanges so far. */
    seen: () => seen,
    /** Nothing that was asked before is still done to the chain: whoever asked may be dead. */
    idle: () => until(() => inHand === 0),
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await node.close()
    },
  }
}

function give(response: ServerResponse, reply: Reply, isBatch: boolean): void {
  const text = (answers: readonly Answered[]) => JSON.stringify(isBatch ? answers : answers[0])
  const json = { 'content-type': 'application/json' }
  if (reply === 'drop') response.socket?.destroy()
  else if (reply === 'hang') return
  else if (reply === 'drip') {
    response.writeHead(200, json)
    const drip = setInterval(() => response.write(' '), 100)
    response.on('close', () => clearInterval(drip))
  } else if ('answers' in reply) response.writeHead(200, json).end(text(reply.answers))
  else if ('cut' in reply) {
    const whole = text(reply.cut)
    response.writeHead(200, { ...json, 'content-length': whole.length })
    response.write(whole.slice(0, Math.floor(whole.length / 2)), () => response.socket?.destroy())
  } else if ('bytes' in reply) response.writeHead(200, json).end(Buffer.alloc(reply.bytes, ' '))
  else response.writeHead(reply.status, { ...json, ...reply.headers }).end(reply.text)
}
