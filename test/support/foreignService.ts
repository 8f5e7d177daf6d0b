import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Body = { orders?: readonly Record<string, unknown>[] } & Record<string, unknown>

/**
 * The embedded service as a foreign one of the second generation would answer: other fields in its orders, and a
 * transaction that the bot is not meant to understand. What the transaction does is the real thing.
 */
export async function startForeignService(
  upstream: string,
  bend: (body: Body) => Body = (same) => same,
) {
  const server = createServer((request, response) => {
    void (async () => {
      const answer = await fetch(`${upstream}${request.url}`)
      const text = await answer.text()
      const body = JSON.parse(text) as Body
      const foreign =
        request.url?.startsWith('/v1/firm-quote') === true && body.orders !== undefined
          ? JSON.stringify(bend(translated(body)))
          : text
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(foreign)
    })().catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function translated({
  success,
  orders = [],
  amountIn,
  amountOut,
  recipient,
  txRequest,
}: Body): Body {
  return {
    success,
    router_version: 4,
    orders: orders.map(({ buyer, quoteId, deadlineTimestamp }) => ({
      pool: buyer,
      nonce: 1,
      multiHop: false,
      externalSwapCalldata: '0x',
      quoteId,
      deadlineTimestamp,
    })),
    amountIn,
    amountOut,
    recipient,
    txRequest,
  }
}
