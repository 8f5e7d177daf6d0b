import { once } from 'node:events'
import { createServer, request as httpRequest, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { failure } from '../../src/api/failure.ts'
import { marketOf } from '../../src/app/service/marketOf.ts'
import { createRpc } from '../../src/chain/rpc/createRpc.ts'
import { readServiceConfig } from '../../src/config/service/readServiceConfig.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { requestBounds } from '../../src/core/requestBounds.ts'
import type { Service } from '../../src/service/createService.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startRpcProxy } from '../support/rpcProxy.ts'
import { serveDesk } from '../support/serveDesk.ts'
import { silent } from '../support/silent.ts'
import { writeDesk } from '../support/writeDesk.ts'

let shiftMs = 0
const clock: Clock = { now: () => systemClock.now() + shiftMs, sleep: systemClock.sleep }

let fork: Fork
let service: Service
let serviceUrl: string
/** A server of the same limit for requests, which Node looks at as often as it does by itself. */
let usual: Server
beforeAll(async () => {
  const { requestTimeout } = requestBounds
  usual = createServer({ requestTimeout, headersTimeout: requestTimeout }).listen(0)
  fork = await forkOrigin({ mining: 'auto' })
  const served = await serveDesk(fork, { clock })
  service = served.service
  serviceUrl = served.serviceUrl
})
afterAll(async () => {
  usual.close()
  await service?.close()
  await fork?.close()
})

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const parameters = () => ({
  chain: 'local',
  token_in: fork.ready.tokens.WETH?.address,
  token_out: fork.ready.tokens.USDC?.address,
  amount: '1',
  from_address: fork.ready.wallets.treasury?.address,
})

/** Bytes as they are, past every client library. */
async function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(serviceUrl)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.on('error', () => undefined)
  socket.write(bytes)
  await once(socket, 'close')
  return answer
}

test('HEAD signs and reserves nothing', async () => {
  const query = new URLSearchParams({ src_chain: 'local', dst_chain: 'local' })
  const answer = await fetch(`${serviceUrl}/v1/firm-quote?${query}`, { method: 'HEAD' })
  expect(answer.status).toBe(404)
})

describe('order book', () => {
  test('is sent once: whoever has this version gets 304 and no body', async () => {
    const first = await ask(serviceUrl, 'orderbook', { chain: 'local' })
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[\w-]{22}"$/)
    for (const known of [etag, `W/${etag}`, `"old", ${etag}`, '*']) {
      const url = `${serviceUrl}/v1/orderbook?chain=local`
      const again = await fetch(url, { headers: { 'if-none-match': known } })
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
      expect(again.headers.get('x-request-id')).toMatch(uuid)
    }
    const other = await ask(serviceUrl, 'orderbook', { chain: 'local' }, { 'if-none-match': '"x"' })
    expect([other.status, other.body]).toEqual([200, first.body])
  })

  test('is the same bytes until something in it changes', async () => {
    const read = async () => (await fetch(`${serviceUrl}/v1/orderbook?chain=local`)).text()
    expect(await read()).toBe(await read())
  })
})

describe('request ids', () => {
  test.for(['/v1/chains', '/v1/nothing', '/healthz', '/readyz', '/metrics', '/docs/json'])(
    '%s has one',
    async (path) => {
      const answer = await fetch(`${serviceUrl}${path}`)
      expect(answer.headers.get('x-request-id')).toMatch(uuid)
      await answer.text()
    },
  )

  test.for([
    ['GET /v1/chains HTTP/1.1\r\n', 400],
    ['GET /v1/chains HTTP/1.1\r\nhost: x\r\nexpect: nonsense\r\n', 200],
    ['GET /v1/chains HTTP/1.0\r\n', 200],
  ] as const)('what Node would refuse by itself has one: %j', async ([head, status]) => {
    const [headers = '', body = ''] = (await raw(`${head}connection: close\r\n\r\n`)).split(
      '\r\n\r\n',
    )
    expect(headers).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    const [, id] = /^x-request-id: (.*)$/im.exec(headers) ?? []
    expect(id).toMatch(uuid)
    if (status !== 200) expect(failure.parse(JSON.parse(body)).requestId).toBe(id)
  })

  test('are our own, whatever the caller sends', async () => {
    const { headers } = await ask(serviceUrl, 'chains', {}, { 'x-request-id': 'forged' })
    expect(headers.get('x-request-id')).toMatch(uuid)
  })
})

describe('probes', () => {
  test('ready while the chain moves and somebody offers something', async () => {
    const answer = await fetch(`${serviceUrl}/readyz`)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({
      ready: true,
      block: expect.any(Number),
      sources: expect.any(Number),
    })
  })

  test('not ready when the chain stands still, alive all the same', async () => {
    shiftMs = 86_400_000
    const answer = await fetch(`${serviceUrl}/readyz`)
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ ready: false, reason: expect.any(String) })
    expect((await fetch(`${serviceUrl}/healthz`)).status).toBe(200)
    shiftMs = 0
  })

  test('not ready when nobody offers anything', async () => {
    const config = readServiceConfig({ ...writeDesk(fork), cwd: fork.dataDir })
    const { market } = marketOf(config, { clock: systemClock, log: silent })
    const { service: empty, serviceUrl: url } = await serveDesk(fork, {
      market: { ...market, venues: [] },
    })
    const answer = await fetch(`${url}/readyz`)
    expect([answer.status, await answer.json()]).toMatchObject([503, { ready: false, sources: 0 }])
    await empty.close()
  })

  test('metrics count requests by operation and outcome, routes and signatures', async () => {
    await ask(serviceUrl, 'indicative-quote', parameters())
    expect((await ask(serviceUrl, 'firm-quote', parameters())).status).toBe(200)
    await ask(serviceUrl, 'firm-quote', { ...parameters(), amount: 'x' })
    const answer = await fetch(`${serviceUrl}/metrics`)
    expect(answer.headers.get('content-type')).toContain('text/plain')
    const text = await answer.text()
    for (const line of [
      /^quote_latency_count\{kind="firm-quote",outcome="ok"\} 1$/m,
      /^quote_latency_count\{kind="firm-quote",outcome="UNREADABLE_PARAMETER"\} 1$/m,
      /^route_sources\{source="maker-a"\} 1$/m,
      /^signatures_total 2$/m,
      /^firm_vs_indicative_bps_sum 0$/m,
      /^firm_vs_indicative_bps_count 1$/m,
      /^head_age \d/m,
      /^book_age \d/m,
      /^requests_open \d/m,
      /^# TYPE maker_requested_total counter$/m,
      /^# TYPE reserved_inventory gauge$/m,
    ])
      expect(text).toMatch(line)
  })
})

describe('description', () => {
  test('OpenAPI 3.1 with every operation, parameter and field', async () => {
    const body = (await (await fetch(`${serviceUrl}/docs/json`)).json()) as {
      openapi: string
      paths: Record<string, { get: Description }>
    }
    type Description = {
      parameters?: { name: string; required?: boolean }[]
      responses: Record<
        string,
        {
          content: Record<
            string,
            { schema: { properties?: object; items?: { properties: object } } }
          >
        }
      >
    }
    expect(body.openapi).toBe('3.1.0')
    expect(Object.keys(body.paths)).toEqual([
      '/v1/chains',
      '/v1/orderbook',
      '/v1/indicative-quote',
      '/v1/firm-quote',
      '/v1/firm-quote/calldata',
    ])
    const fieldsOf = (path: string) => {
      const schema = body.paths[path]?.get.responses['200']?.content['application/json']?.schema
      return Object.keys(schema?.properties ?? schema?.items?.properties ?? {})
    }
    expect(fieldsOf('/v1/orderbook')).toContain('levels')
    expect(fieldsOf('/v1/firm-quote')).toContain('fallbackSwapDataArray')
    const firm = body.paths['/v1/firm-quote']?.get
    expect(firm?.parameters?.map(({ name }) => name)).toEqual([
      'chain',
      'src_chain',
      'dst_chain',
      'from_address',
      'address',
      'to_address',
      'token_in',
      'token_out',
      'amount',
      'amount_wei',
      'beneficiary_address',
      'expiry_time',
      'slippage',
      'version',
    ])
    expect(Object.keys(firm?.responses ?? {})).toEqual(['200', '4XX', '5XX'])
  })

  /** As a proxy judges that lets through what the description of the service has. */
  async function judge(url: string) {
    const { paths } = (await (await fetch(`${url}/docs/json`)).json()) as Described
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    return async (path: string, query: Record<string, string | undefined>, headers = {}) => {
      const { parameters = [], responses } = paths[`/v1/${path}`]?.get ?? { responses: {} }
      const defects = parameters.flatMap(({ name, required, schema }) => {
        const value = query[name]
        return value === undefined
          ? required
            ? [name]
            : []
          : ajv.validate(schema, value)
            ? []
            : [name]
      })
      const search = new URLSearchParams(JSON.parse(JSON.stringify(query)))
      const answer = await fetch(`${url}/v1/${path}?${search}`, { headers })
      const text = await answer.text()
      const described =
        responses[answer.status] ?? responses[`${answer.status}`.replace(/..$/, 'XX')]
      const schema = described?.content?.['application/json']?.schema
      if (described === undefined || (schema === undefined) !== (text === ''))
        defects.push('status')
      else if (schema !== undefined && !ajv.validate(schema, JSON.parse(text)))
        defects.push(ajv.errorsText())
      return [answer.status, ...defects]
    }
  }
  type Described = {
    paths: Record<
      string,
      {
        get: {
          parameters?: { name: string; required?: boolean; schema: object }[]
          responses: Record<string, { content?: Record<string, { schema: object }> }>
        }
      }
    >
  }

  test('says what is answered, and what may be requested', async () => {
    const judged = await judge(serviceUrl)
    const { chain, from_address, ...asked } = parameters()
    const etag = (await ask(serviceUrl, 'orderbook', { chain })).headers.get('etag')
    expect(await judged('chains', {})).toEqual([200])
    expect(await judged('orderbook', { src_chain: chain, dst_chain: chain })).toEqual([200])
    expect(await judged('orderbook', { chain }, { 'if-none-match': etag })).toEqual([304])
    for (const path of ['indicative-quote', 'firm-quote', 'firm-quote/calldata'])
      for (const named of [
        { chain, address: from_address, to_address: '' },
        { src_chain: chain, dst_chain: chain, from_address, version: '2' },
      ])
        expect(await judged(path, { ...asked, ...named })).toEqual([200])
    expect(await judged('firm-quote', { ...asked, chain })).toEqual([400])
  })

  test('says that refusals come at 200 where they do', async () => {
    const { service: native, serviceUrl: url } = await serveDesk(fork, { errorStyle: 'native200' })
    const judged = await judge(url)
    expect(await judged('firm-quote', { ...parameters(), amount: undefined })).toEqual([200])
    expect(await judged('firm-quote', parameters())).toEqual([200])
    await native.close()
  })

  test('names no limit that a service may have set otherwise', async () => {
    const { service: brief, serviceUrl: url } = await serveDesk(
      fork,
      {},
      { expiry: { default: '20s', max: '30s' } },
    )
    const longer = { ...parameters(), expiry_time: '60' }
    expect((await ask(url, 'firm-quote', longer)).body.message).toContain('30s')
    expect(await (await fetch(`${url}/docs/json`)).text()).not.toMatch(/up to \d/)
    await brief.close()
  })

  test('a page to try it', async () => {
    const page = await fetch(`${serviceUrl}/docs`)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('swagger-ui')
  })
})

describe('limits', () => {
  test('a URL that is too long', async () => {
    const answer = await ask(serviceUrl, 'chains', { padding: 'x'.repeat(5_000) })
    expect(answer.status).toBe(414)
    expect(failure.parse(answer.body)).toMatchObject({ code: 131009 })
  })

  test('headers that are too long', async () => {
    const answer = await ask(serviceUrl, 'chains', {}, { padding: 'x'.repeat(9_000) })
    expect(answer.status).toBe(431)
    expect(failure.parse(answer.body)).toMatchObject({ code: 131009, statusCode: 431 })
    expect(answer.headers.get('x-request-id')).toBe(answer.body.requestId)
  })

  test('a body, whatever the method', async () => {
    for (const head of [
      'content-length: 5\r\n\r\nhello',
      'transfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ])
      for (const method of ['GET', 'POST', 'PUT']) {
        const answer = await raw(`${method} /v1/chains HTTP/1.1\r\nhost: x\r\n${head}`)
        expect(answer).toMatch(/^HTTP\/1\.1 400 /)
        expect(answer).toContain('"code":131010')
      }
  })

  test.for(['hello\r\n\r\n', 'GET /v1/chains HTTP/9.9\r\n\r\n', '\0\0\0\0'])(
    'what is not HTTP: %j',
    async (bytes) => {
      const answer = await raw(bytes)
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request/)
      expect(answer).toContain('"code":131003')
    },
  )

  test('what is not HTTP behind a request: its answer alone', async () => {
    const search = new URLSearchParams(parameters() as Record<string, string>)
    for (const path of [`firm-quote?${search}`, 'chains']) {
      const asked = `GET /v1/${path} HTTP/1.1\r\nhost: x\r\n\r\n`
      const answer = await raw(`${asked}garbage\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK/)
      expect(answer).toMatch(/connection: close/i)
      expect(answer).not.toContain('"success":false')
    }
  })

  test('a request that comes too slowly is refused before Node would look for it', async () => {
    const half = 'GET /v1/chains HTTP/1.1\r\nhost: x\r\n'
    const { port } = usual.address() as AddressInfo
    const held = connect(port, 'localhost')
      .on('error', () => undefined)
      .resume()
    held.write(half)
    const answer = await raw(half)
    expect(held.closed).toBe(false)
    held.destroy()
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout/)
    expect(answer).toContain('"code":131012')
  })

  test('a path that is not UTF-8', async () => {
    const answer = await raw('GET /v1/%ff HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('"code":131003')
    expect(answer).toMatch(/x-request-id: /i)
  })

  test('one connection that fetches none of its answers keeps nobody out', async () => {
    const { service: small, serviceUrl: url } = await serveDesk(fork, { concurrentMax: 50 })
    const { hostname, port } = new URL(url)
    const greedy = connect(Number(port), hostname)
    greedy.pause()
    await once(greedy, 'connect')
    greedy.write('GET /v1/nothing HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(20_000))
    // The kernel holds some answers; the rest waits in the service.
    await systemClock.sleep(300)
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(url, 'chains')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    greedy.destroy()
    await small.close()
  })

  test('more requests at once than it can answer', async () => {
    const proxy = await startRpcProxy(fork.ready.rpcUrl)
    const rpc = createRpc({ url: proxy.url })
    const { service: small, serviceUrl: url } = await serveDesk(fork, { rpc, concurrentMax: 2 })
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => ask(url, 'indicative-quote', parameters())),
    )
    const busy = answers.filter(({ status }) => status === 503)
    expect(busy.length).toBeGreaterThan(0)
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    for (const { body, headers } of busy) {
      expect(failure.parse(body)).toMatchObject({ code: 171010 })
      expect(headers.get('retry-after')).toBe('1')
    }
    expect((await ask(url, 'indicative-quote', parameters())).status).toBe(200)
    await small.close()
    await rpc.close()
    await proxy.close()
  })
})

test('close: lets a client that reads slowly have what was made for it', async () => {
  const { service: closing, serviceUrl: url } = await serveDesk(fork)
  const { hostname, port } = new URL(url)
  const slow = connect(Number(port), hostname)
  slow.pause()
  let text = ''
  slow.on('data', (chunk) => {
    text += chunk
  })
  slow.write('GET /docs/json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2_000))
  await systemClock.sleep(500)
  const closed = closing.close()
  await systemClock.sleep(100)
  slow.resume()
  await once(slow, 'close')
  await closed
  // Those it had not read when it began to close are refused.
  const answers = text.split('HTTP/1.1 ').filter((answer) => answer.startsWith('200'))
  expect(answers.length).toBeGreaterThan(10)
  for (const answer of answers) {
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(Buffer.byteLength(body)).toBe(Number(/content-length: (\d+)/i.exec(head)?.[1]))
  }
})

test('close: finishes what it has, refuses what comes', async () => {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let holding = false
  const reached = Promise.withResolvers<void>()
  const rpc = {
    ...fork.rpc,
    request: (async (call) => {
      if (holding) {
        reached.resolve()
        await held
      }
      return fork.rpc.request(call)
    }) as typeof fork.rpc.request,
  }
  const { service: closing, serviceUrl: url } = await serveDesk(fork, { rpc })
  await ask(url, 'indicative-quote', parameters())
  holding = true
  // Keeps its connection, as clients do.
  const search = new URLSearchParams(parameters() as Record<string, string>)
  const asked = httpRequest(`${url}/v1/firm-quote?${search}`).end()
  const answered = once(asked, 'response')
  await reached.promise
  const closed = closing.close()
  await systemClock.sleep(100)
  await expect(ask(url, 'chains')).rejects.toThrow()
  release()
  const [response] = await answered
  expect(response.statusCode).toBe(200)
  response.resume()
  await closed
})
