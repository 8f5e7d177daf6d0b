import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer as createHttpServer, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { type AddressInfo, connect, createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import { listenPrivately } from '../../src/bot/sign/process/listenPrivately.ts'
import { ballastError } from '../../src/core/errors.ts'
import { requestBounds } from '../../src/core/requestBounds.ts'
import { secret } from '../../src/core/secret.ts'
import { roleOfPeer } from '../../src/dashboard/createAccess.ts'
import { createDashboard } from '../../src/dashboard/createDashboard.ts'
import { connectionsMax, type Place } from '../../src/dashboard/createDoor.ts'
import { type Certified, createAuthority } from '../support/certificates.ts'
import { quietHealth, quietQueries } from '../support/noFigures.ts'
import { type Sent, sendRequest } from '../support/sendRequest.ts'

const closing: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** A dashboard that listens, and what it halted. */
async function open(place: Partial<Place>) {
  const halts: string[] = []
  const none = async () => []
  const dashboard = createDashboard({
    queries: {
      ...quietQueries,
      ...{ swaps: none, strategies: none, locks: none, swap: async () => undefined },
      plan: async () => {
        throw new Error('no plan')
      },
    },
    health: async () => quietHealth,
    async halt({ reason, by }) {
      halts.push(`${reason}, by ${by}`)
      return {
        ...{ id: 1, kind: 'halt', scope: 'all', code: 'BY_API', reason },
        ...{ openedAt: new Date(0).toISOString(), expiresAt: null },
      }
    },
    clock: { now: () => 0, sleep: async () => {} },
    host: '127.0.0.1',
    port: 0,
    ...place,
  })
  closing.push(dashboard.close)
  return { app: dashboard.app, halts, url: (await dashboard.listen()).url }
}

describe('a dashboard at every address', () => {
  const statusUnder = async (host: string, name: (port: string) => string) => {
    const { app, url } = await open({ host })
    const headers = { host: name(new URL(url).port) }
    return (await app.inject({ url: '/healthz', headers })).statusCode
  }

  test.each([
    [200, '0.0.0.0', (port: string) => `10.1.2.3:${port}`],
    [200, '0.0.0.0', (port: string) => `[fd00::7]:${port}`],
    [200, '0.0.0.0', (port: string) => `localhost:${port}`],
    [421, '0.0.0.0', () => '10.1.2.3:1'],
    [421, '0.0.0.0', () => '10.1.2.3'],
    [421, '0.0.0.0', (port: string) => `evil.example:${port}`],
    [421, '0.0.0.0', (port: string) => `10.1.2.3.evil.example:${port}`],
    [421, '127.0.0.1', (port: string) => `10.1.2.3:${port}`],
  ])('answers %i at %s under %o', async (status, host, name) => {
    expect(await statusUnder(host, name)).toBe(status)
  })
})

describe('a dashboard that strangers reach', () => {
  const held = async (port: string, bytes: string) => {
    const socket = connect(Number(port), '127.0.0.1')
      .on('error', () => undefined)
      .resume()
    socket.write(bytes)
    closing.push(() => socket.destroy())
    await once(socket, 'connect')
    return socket
  }

  test('waits for no request that comes too slowly, in its head or in its body', async () => {
    // A server of the same limit, which Node looks at as often as it does by itself.
    const { requestTimeout } = requestBounds
    const usual = createHttpServer({ requestTimeout, headersTimeout: requestTimeout }).listen(0)
    closing.push(() => usual.close())
    const { port } = new URL((await open({})).url)
    const head = `POST /api/halt HTTP/1.1\r\nhost: localhost:${port}\r\n`
    const control = await held(String((usual.address() as AddressInfo).port), head)
    const slow = [
      ...[await held(port, ''), await held(port, head)],
      await held(port, `${head}content-length: 9\r\n\r\n{`),
    ]
    await Promise.all(slow.map((socket) => once(socket, 'close')))
    expect(control.closed).toBe(false)
  })

  test('keeps no connection for long that has had its answer', async () => {
    const { port } = new URL((await open({})).url)
    const idle = await held(port, 'GET /healthz HTTP/1.1\r\nhost: elsewhere\r\n\r\n')
    const usual = createHttpServer({}, (_, answer) => answer.end()).listen(0)
    closing.push(() => usual.close())
    // Fastify's own patience.
    usual.keepAliveTimeout = 72_000
    const control = await held(
      String((usual.address() as AddressInfo).port),
      'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
    )
    await once(idle, 'close')
    expect(control.closed).toBe(false)
  })

  test('holds a bounded number of connections, and the bot keeps the files that it needs', async () => {
    const { url } = await open({})
    const { port, host } = new URL(url)
    const answered = () => sendRequest(plainRequest, { host: '127.0.0.1', port, headers: { host } })
    const sockets = await Promise.all(Array.from({ length: connectionsMax }, () => held(port, '')))
    expect(await answered()).toEqual({ failed: expect.any(String) })
    for (const socket of sockets) socket.destroy()
    await expect.poll(async () => (await answered()).status).toBe(200)
  })
})

describe('a dashboard at a Unix socket', () => {
  const inUse = ballastError('SOCKET_UNUSABLE', 'in use')
  function place() {
    const folder = mkdtempSync(join(tmpdir(), 'ballast-door-'))
    closing.push(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'dashboard.sock')
    const socket = {
      path,
      bind: (listen: () => Promise<unknown>) => listenPrivately(path, { listen, inUse }),
    }
    const over = (sent: Sent) =>
      sendRequest(plainRequest, {
        socketPath: path,
        ...sent,
        headers: { ...local, ...sent.headers },
      })
    return { path, socket, over }
  }
  const local = { host: 'localhost' }

  test('answers and halts without a token, for this account alone', async () => {
    const { path, socket, over } = place()
    const { url, halts } = await open({ socket })
    expect([url, statSync(path).mode & 0o777]).toEqual([`unix:${path}`, 0o600])
    expect(await over({})).toMatchObject({ status: 200, body: expect.stringContaining('local') })
    expect((await over({ method: 'POST', path: '/api/halt' })).status).toBe(200)
    expect(halts).toEqual(['by API, by a program at the socket'])
  })

  test('knows the names of this machine, whatever port a tunnel gave them, and no other', async () => {
    const { socket, over } = place()
    await open({ socket })
    for (const host of ['localhost:9000', '127.0.0.1', '[::1]:80'])
      expect((await over({ headers: { host } })).status).toBe(200)
    for (const host of ['evil.example', 'evil.example:9000', 'localhost.evil.example'])
      expect((await over({ headers: { host } })).status).toBe(421)
  })

  test('keeps pages of other sites from halting through a tunnel', async () => {
    const { socket, over } = place()
    const { halts } = await open({ socket })
    const halt = { method: 'POST', path: '/api/halt' }
    const headers = { host: 'localhost:9000', origin: 'http://localhost:3000' }
    expect((await over({ ...halt, headers })).status).toBe(403)
    expect(halts).toEqual([])
  })

  test('leaves no socket behind, and takes the place of one whose process died', async () => {
    const { path, socket, over } = place()
    const died = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
    expect(spawnSync(process.execPath, ['-e', died]).signal).toBe('SIGKILL')
    expect(existsSync(path)).toBe(true)
    await open({ socket })
    expect((await over({})).status).toBe(200)
    await closing.pop()?.()
    expect(existsSync(path)).toBe(false)
  })

  test('leaves the socket of a living process alone', async () => {
    const { path, socket } = place()
    const other = createServer().listen(path)
    closing.push(() => other.close())
    await expect(open({ socket })).rejects.toBe(inUse)
    expect(statSync(path).isSocket()).toBe(true)
  })
})

describe('a dashboard with client certificates', () => {
  const [ours, foreign] = [createAuthority('Treasury clients'), createAuthority('Treasury clients')]
  const server = ours.issue('dashboard')
  const [desk, watcher] = [ours.issue('night-desk'), ours.issue('watcher')]
  const tls = {
    cert: server.cert,
    key: secret(server.key),
    clientCa: ours.cert,
    operators: ['night-desk'],
  }

  async function guarded() {
    const { url, halts } = await open({ tls })
    const { port } = new URL(url)
    type Client = Partial<Certified> & { session?: Buffer }
    const as = (client: Client, sent: Sent = {}, request = tlsRequest as typeof plainRequest) =>
      sendRequest(request, {
        ...{ host: '127.0.0.1', port, ca: ours.cert, servername: 'localhost' },
        ...{ ...client, ...sent, headers: { host: `localhost:${port}`, ...sent.headers } },
      })
    return { url, halts, port, as }
  }
  const halt = { method: 'POST', path: '/api/halt' }

  test('shows everything to each certificate of its authority', async () => {
    const { url, as } = await guarded()
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    for (const client of [desk, watcher])
      expect(await as(client)).toMatchObject({
        status: 200,
        body: expect.stringContaining('local'),
      })
  })

  test.each([
    ['no certificate', {}],
    ['one of another authority by that name', foreign.issue('night-desk')],
    ['one that signed itself', createAuthority('night-desk')],
  ])('answers nothing to %s', async (_, client) => {
    const { as, halts } = await guarded()
    expect(await as(client)).toEqual({ failed: expect.any(String) })
    expect(await as(client, halt)).toEqual({ failed: expect.any(String) })
    expect(halts).toEqual([])
    expect((await as(watcher)).status).toBe(200)
  })

  test('waits for no handshake that does not come', async () => {
    // A server that waits for one as long as Node does by itself.
    const usual = createTlsServer(server).listen(0)
    closing.push(() => usual.close())
    const silent = (at: number) => {
      const socket = connect(at, '127.0.0.1')
        .on('error', () => undefined)
        .resume()
      closing.push(() => socket.destroy())
      return socket
    }
    const control = silent((usual.address() as AddressInfo).port)
    await once(silent(Number((await guarded()).port)), 'close')
    expect(control.closed).toBe(false)
  })

  test('speaks no plain http', async () => {
    const { port, as } = await guarded()
    const { status } = await sendRequest(plainRequest, { host: '127.0.0.1', port })
    expect(status).not.toBe(200)
    expect((await as(watcher)).status).toBe(200)
  })

  test('halts for an operator, and for no viewer', async () => {
    const { as, halts } = await guarded()
    const refused = await as(watcher, halt)
    expect(refused).toMatchObject({ status: 403, body: expect.stringContaining('OPERATOR_ONLY') })
    expect(refused.body).toContain(
      'NOTHING WAS HALTED: create a file HALT beside the database, or beside ballast.yaml where that is a server.',
    )
    expect(halts).toEqual([])
    expect((await as(desk, halt)).status).toBe(200)
    expect(halts).toEqual(['by API, by certificate night-desk'])
  })

  test('lets no certificate with several names pass for an operator', async () => {
    const { as, halts } = await guarded()
    for (const names of [
      ['night-desk', 'watcher'],
      ['watcher', 'night-desk'],
    ])
      expect((await as(ours.issue(...names), halt)).status).toBe(403)
    expect((await as(ours.issue('Night-Desk'), halt)).status).toBe(403)
    expect(halts).toEqual([])
  })

  test('knows a client that resumes by the certificate that it came with', async () => {
    const { as, halts } = await guarded()
    const sessionOf = async (client: Certified) => {
      const { promise, resolve } = Promise.withResolvers<Buffer>()
      const watched = (...args: Parameters<typeof plainRequest>) =>
        tlsRequest(...args).once('socket', (socket) => socket.once('session', resolve))
      await as(client, {}, watched as typeof plainRequest)
      return promise
    }
    for (const [client, status] of [
      [watcher, 403],
      [desk, 200],
    ] as const)
      expect((await as({ session: await sessionOf(client) }, halt)).status).toBe(status)
    expect(halts).toEqual(['by API, by certificate night-desk'])
  })

  test('is known by the names of its certificate, and by its own pages alone', async () => {
    const { as, port, halts } = await guarded()
    for (const host of [`127.0.0.1:${port}`, 'localhost', 'localhost:9000'])
      expect((await as(desk, { headers: { host } })).status).toBe(200)
    for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.2', '[::1]'])
      expect((await as(desk, { headers: { host } })).status).toBe(421)
    const own = `localhost:${port}`
    const from = (origin: string) => as(desk, { ...halt, headers: { host: own, origin } })
    for (const origin of ['https://evil.example', `http://${own}`, 'null'])
      expect((await from(origin)).status).toBe(403)
    // Of our own page the body is read, and there is none.
    expect((await from(`https://${own}`)).status).toBe(400)
    expect(halts).toEqual([])
  })

  test('knows nobody who came by another way than TLS', async () => {
    const { app, halts } = await open({ tls })
    const headers = { host: 'localhost' }
    const answer = await app.inject({ method: 'POST', url: '/api/halt', headers })
    expect([answer.statusCode, answer.json().error.code]).toEqual([401, 'ACCESS_DENIED'])
    expect((await app.inject({ url: '/', headers })).statusCode).toBe(401)
    const unchecked = () => roleOfPeer(new TLSSocket(new Socket()), ['night-desk'])
    expect(unchecked).toThrow(expect.objectContaining({ code: 'ACCESS_DENIED' }))
    expect(halts).toEqual([])
  })
})
