import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createHttp } from '../../src/chain/http.ts'
import type { BallastError } from '../../src/core/errors.ts'
import { createAuthority } from '../support/certificates.ts'
import { heldDeadlines } from '../support/heldDeadlines.ts'

const servers: Server[] = []
afterEach(() => {
  vi.unstubAllEnvs()
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

/** A proxy that answers for every host, and keeps what it was asked for. */
async function startProxy() {
  const asked: string[] = []
  const proxy = createServer(({ url }, response) => {
    asked.push(url ?? '')
    response.end('by proxy')
  }).on('connect', ({ url }, client) => {
    asked.push(url ?? '')
    client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
  })
  servers.push(proxy)
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked }
}

describe('http', () => {
  test('what is beyond this machine goes through the proxy of the environment, and nothing else does', async () => {
    const server = createServer((_, response) => response.end('here'))
    servers.push(server)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const proxy = await startProxy()
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) {
      vi.stubEnv(name, proxy.url)
      vi.stubEnv(name.toLowerCase(), proxy.url)
    }
    vi.stubEnv('NO_PROXY', 'direct.invalid')
    vi.stubEnv('no_proxy', 'direct.invalid')
    const sent = async (url: string) => {
      const http = createHttp({ url, timeoutMs: 5_000, maxBytes: 100 })
      try {
        return (await http.send({ method: 'GET', path: '/a' })).text
      } catch (error) {
        return String((error as BallastError).facts.reason)
      } finally {
        await http.close()
      }
    }
    expect(await sent('http://node.invalid/')).toBe('by proxy')
    expect(await sent('https://node.invalid/')).toMatch(/^Proxy response \(407\)/)
    expect(proxy.asked).toEqual(['http://node.invalid/a', 'node.invalid:443'])
    expect(await sent(`http://127.0.0.1:${port}/`)).toBe('here')
    expect(await sent('http://direct.invalid/')).toMatch(/^(?:ENOTFOUND|EAI_AGAIN)$/)
    expect(proxy.asked).toHaveLength(2)
  })

  test('a proxy that is silent keeps no request beyond its deadline, and no close', async () => {
    const silent = createServer().on('connect', () => undefined)
    servers.push(silent)
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${(silent.address() as AddressInfo).port}`)
    vi.stubEnv('https_proxy', process.env.HTTPS_PROXY)
    const deadlines = heldDeadlines()
    const http = createHttp({ url: 'https://node.invalid', timeoutMs: 5_000, maxBytes: 100 })
    const connected = once(silent, 'connect')
    const sent = http.send({ method: 'GET', path: '/' }).catch(({ code }) => code)
    await connected
    deadlines.pass(5_000)
    expect(await sent).toBe('UNREACHABLE')
    const closed = http.close()
    deadlines.pass(3_000)
    await closed
    silent.closeAllConnections()
  })

  test('a proxy that is none is named by its variable, without its value', () => {
    vi.stubEnv('HTTPS_PROXY', 'me:secret@proxy:3128')
    vi.stubEnv('https_proxy', 'me:secret@proxy:3128')
    const open = () => createHttp({ url: 'https://node.invalid', timeoutMs: 5_000, maxBytes: 100 })
    expect(open).toThrow(/^HTTPS_PROXY or HTTP_PROXY is no address of a proxy/)
    expect(open).not.toThrow(/secret/)
  })

  test('a certificate that is not trusted is named as that', async () => {
    const certified = createAuthority('unknown').issue('localhost')
    const server = createSecureServer(certified, (_, response) => response.end())
    servers.push(server)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const http = createHttp({ url: `https://127.0.0.1:${port}`, timeoutMs: 5_000, maxBytes: 100 })
    await expect(http.send({ method: 'GET', path: '/' })).rejects.toMatchObject({
      code: 'UNREACHABLE',
      summary: expect.stringMatching(/certificate that this machine does not trust.*NODE_EXTRA_CA/),
    })
    await http.close()
  })

  test.each([
    ['', '', '/'],
    ['/?token=1', '', '/?token=1'],
    ['/hook/', '', '/hook/'],
    ['/hook/?token=1', '', '/hook/?token=1'],
    ['/v2/?key=1', '/look?x=2', '/v2/look?x=2&key=1'],
    ['/v2', '/look', '/v2/look'],
  ])('an address %s and a path %s: %s is requested', async (address, path, requested) => {
    const server = createServer(({ url }, response) => response.end(url))
    servers.push(server)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const url = `http://127.0.0.1:${port}${address}`
    const http = createHttp({ url, timeoutMs: 5_000, maxBytes: 100 })
    expect((await http.send({ method: 'GET', path })).text).toBe(requested)
    await http.close()
  })

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
