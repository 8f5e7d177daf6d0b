import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a service answers to every request for a firm quote. */
export type FirmAnswer = {
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The embedded service, except that each firm quote is this answer, as HTTP 200. */
export async function startDecliningService(upstream: string, { body, headers = {} }: FirmAnswer) {
  const server = createServer((request, response) => {
    void (async () => {
      const type = { 'content-type': 'application/json' }
      if (request.url?.startsWith('/v1/firm-quote') === true) {
        response.writeHead(200, { ...type, ...headers }).end(JSON.stringify(body))
        return
      }
      const answer = await fetch(`${upstream}${request.url}`)
      response.writeHead(answer.status, type).end(await answer.text())
    })().catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
