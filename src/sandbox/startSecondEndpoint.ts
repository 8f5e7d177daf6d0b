import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ballastError } from '../core/errors.ts'

/**
 * A second address of the sandbox's chain, for `chain.witness`. It passes everything on to the same anvil: it shows how
 * two endpoints are configured, and proves nothing. On a real chain the witness is a node of another operator.
 */
export async function startSecondEndpoint(rpcUrl: string, { port = 0 }: { port?: number } = {}) {
  const server = createServer((request, response) => {
    const { method, headers } = request
    const onward = ask(rpcUrl, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    // An exchange that breaks on either side ends on both.
    onward.on('error', () => request.socket.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(ballastError('PORT_IN_USE', `Port ${port} is in use.`, { port }, cause)),
    )
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
