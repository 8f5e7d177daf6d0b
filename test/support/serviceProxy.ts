import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An answer of the quoting service, as it passed. */
export type ServiceAnswer = {
  readonly path: string
  readonly status: number
  readonly body: string
}

/**
 * Stands between the bot and the quoting service, changes nothing, and keeps every answer: a tape of the service's word.
 * A call that arrives calls `hold`, and what that returns when the caller has its answer, or is gone.
 */
export async function startServiceProxy(upstream: string, hold: () => () => void) {
  const tape: ServiceAnswer[] = []
  const server = createServer((request, response) => {
    response.once('close', hold())
    void (async () => {
      const path = request.url ?? '/'
      const answer = await fetch(`${upstream}${path}`)
      const body = await answer.text()
      tape.push({ path, status: answer.status, body })
      const type = answer.headers.get('content-type') ?? 'application/json'
      const date = answer.headers.get('date')
      response
        .writeHead(answer.status, { 'content-type': type, ...(date === null ? {} : { date }) })
        .end(body)
    })().catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    tape,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
