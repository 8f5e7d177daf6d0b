import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createHttp } from '../../src/chain/http.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** What a client makes of one answer. */
async function answered(status: number, body = '', maxBytes = 100) {
  const server = createServer((_, response) =>
    response.writeHead(status, { location: 'http://127.0.0.1:9/' }).end(body),
  )
  servers.push(server)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const http = createHttp({ url: `http://127.0.0.1:${port}`, timeoutMs: 5_000, maxBytes })
  try {
    return await http.send({ method: 'GET', path: '/' })
  } finally {
    await http.close()
  }
}

describe('http', () => {
  test.each([300, 301, 302, 303, 304, 307, 308, 399])('%i is a redirect', async (status) => {
    await expect(answered(status)).rejects.toMatchObject({ code: 'HTTP_REDIRECT' })
  })

  test.each([299, 400])('%i is an answer', async (status) => {
    expect((await answered(status)).status).toBe(status)
  })

  test('a body of exactly the limit is read, and one byte more is not', async () => {
    expect((await answered(200, 'x'.repeat(100))).text).toHaveLength(100)
    await expect(answered(200, 'x'.repeat(101))).rejects.toMatchObject({ code: 'HTTP_TOO_LARGE' })
  })
})
