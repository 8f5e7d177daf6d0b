import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createListener } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { unpacked } from '../../src/bot/journal/store/packed.ts'
import { createQuoteApi } from '../../src/bot/quote/api/createQuoteApi.ts'
import { systemClock } from '../../src/core/clock.ts'
import { BallastError } from '../../src/core/errors.ts'
import { failedChecks } from '../support/failedChecks.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { heldDeadlines } from '../support/heldDeadlines.ts'
import { openBot } from '../support/openBot.ts'
import { startBallast } from '../support/runBallast.ts'
import { until } from '../support/until.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

type Handler = (request: IncomingMessage, response: ServerResponse, nth: number) => void

/** A real server that answers as told. */
async function serve(handler: Handler, port = 0) {
  let count = 0
  const server = createServer((request, response) => {
    count += 1
    handler(request, response, count)
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  cleanUp.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    server,
    port: (server.address() as AddressInfo).port,
    count: () => count,
  }
}

function apiAt(port: number, timeoutMs = 60_000) {
  const url = `http://127.0.0.1:${port}`
  const api = createQuoteApi({ url, apiKey: undefined, timeoutMs, clock: systemClock })
  cleanUp.push(() => api.close())
  return api
}

const json = (response: ServerResponse, body: unknown, status = 200, headers = {}) =>
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(typeof body === 'string' ? body : JSON.stringify(body))

const chain = (name: string) => [
  { chainId: 1, chain: name, label: '', token: 'ETH', isMainnet: true },
]
const failed = async (asked: Promise<unknown>): Promise<BallastError> => {
  const failure = await asked.then(
    () => expect.unreachable('was answered'),
    (error: unknown) => error,
  )
  if (!(failure instanceof BallastError)) throw failure
  return failure
}

describe('the connection to the service', () => {
  test('[API-01] refused at first: is tried again within its time, and answered', async () => {
    // A port that is free: whoever listens there was not there before.
    const free = createListener()
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve))
    const { port } = free.address() as AddressInfo
    await new Promise((resolve) => free.close(resolve))
    const asked = apiAt(port).chains()
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow()
    await serve((_, response) => json(response, chain('late')), port)
    expect((await asked).value).toEqual(chain('late'))
  })

  test('[API-02] [API-41] the late answer to a question that was given up is nobody’s', async () => {
    let late: ServerResponse | undefined
    const { port, count } = await serve((_, response, nth) => {
      if (nth === 1) late = response
      else {
        // Both are on their way at once: the older answer goes first.
        if (late !== undefined) json(late, chain('of the first'))
        json(response, chain('of the second'))
      }
    })
    const deadlines = heldDeadlines()
    const api = apiAt(port)
    const givenUp = failed(api.chains())
    await until(() => late !== undefined)
    deadlines.pass(60_000)
    expect(await givenUp).toMatchObject({ code: 'QUOTE_UNAVAILABLE', remedy: 'retry' })
    expect((await api.chains()).value).toEqual(chain('of the second'))
    expect(count()).toBe(2)
  })

  test('[API-36] kept open and closed at its reuse: asked again', async () => {
    const { port, count } = await serve((request, response, nth) => {
      if (nth === 2) request.socket.resetAndDestroy()
      else json(response, chain(`answer ${nth}`))
    })
    const api = apiAt(port)
    expect((await api.chains()).value).toEqual(chain('answer 1'))
    expect((await api.chains()).value).toEqual(chain('answer 3'))
    expect(count()).toBe(3)
  })
})

describe('what the service asks for', () => {
  const date = 'Mon, 04 May 2026 12:00:00 GMT'
  const forms: Readonly<Record<string, [after: string, waits: number | undefined]>> = {
    seconds: ['1', 1_000],
    'a fraction of a second': ['0.3', 300],
    'a date': ['Mon, 04 May 2026 12:00:01 GMT', 1_000],
    'a date in a year': ['Tue, 04 May 2027 12:00:00 GMT', 2_000],
    'a date that has passed': ['Mon, 04 May 2026 11:59:00 GMT', undefined],
    'thirty years': ['999999999', 2_000],
    'a negative number': ['-5', undefined],
    'what is neither': ['soon', undefined],
  }
  test.each(Object.entries(forms))('[API-04] Retry-After as %s', async (_, [after, waits]) => {
    const { port, count } = await serve((_request, response) => {
      response.sendDate = false
      json(response, {}, 429, { 'retry-after': after, date })
    })
    // What has to be waited for longer than there is time is not.
    const { code, facts } = await failed(apiAt(port, 800).chains())
    expect({ code, waits: facts.retryAfterMs }).toEqual({ code: 'RATE_LIMITED', waits })
    expect(count()).toBeLessThanOrEqual(3)
  })

  test('[API-05] 500 again and again: three attempts, each a little later, then unavailable', async () => {
    const { port, count } = await serve((_, response) => json(response, {}, 500))
    const timers = vi.spyOn(globalThis, 'setTimeout')
    expect(await failed(apiAt(port).chains())).toMatchObject({ code: 'QUOTE_UNAVAILABLE' })
    expect(count()).toBe(3)
    // Between 100 and 200 ms, then between 200 and 400: half of it is chance.
    const pauses = timers.mock.calls.flatMap(([, ms = 0]) => (ms >= 100 && ms <= 400 ? [ms] : []))
    expect(pauses).toHaveLength(2)
    expect(pauses[1]).toBeGreaterThanOrEqual(200)
  })
})

describe('an order book', () => {
  const token = (digit: string) => `0x5fbdb2315678afecb367f032d93f642f64180a${digit}`
  const bookOf = (levels: string) =>
    `[{"base_symbol":"WETH","base_address":"${token('a7')}","quote_symbol":"USDC","quote_address":"${token('a8')}","side":"bid","minimum_in_base":0,"levels":${levels}}]`
  const absurd = {
    'a number that is none': '[[NaN, 3000]]',
    'a number beyond all': '[[1, 1e999]]',
    'a negative price': '[[1, -3000]]',
    'a negative amount': '[[-1, 3000]]',
    'a price as text': '[[1, "3000"]]',
    'half a level': '[[1]]',
    null: 'null',
  }
  test.each(Object.entries(absurd))('[API-40] with %s is none', async (_, levels) => {
    const { port } = await serve((_request, response) => json(response, bookOf(levels)))
    expect(await failed(apiAt(port).orderbook('local'))).toMatchObject({ code: 'QUOTE_MALFORMED' })
  })
})

describe('the bot', () => {
  let fork: Fork
  let bot: Awaited<ReturnType<typeof openBot>>
  const bodies: string[] = []
  let replayed: string | undefined
  const between = createServer((request, response) => {
    const isFirm = request.url?.startsWith('/v1/firm-quote') === true
    if (isFirm && replayed !== undefined) return json(response, replayed)
    return fetch(`${fork.ready.serviceUrl}${request.url}`)
      .then(async (answer) => {
        const text = await answer.text()
        if (isFirm) bodies.push(text)
        json(response, text, answer.status)
      })
      .catch(() => request.socket.destroy())
  })
  beforeAll(async () => {
    fork = await forkOrigin()
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
    const { port } = between.address() as AddressInfo
    const config = join(fork.dataDir, 'through-a-proxy.yaml')
    const yaml = readFileSync(fork.ready.config, 'utf8')
    writeFileSync(config, yaml.replace(fork.ready.serviceUrl, `http://127.0.0.1:${port}`))
    bot = await openBot({ ...fork, ready: { ...fork.ready, config } })
  })
  afterAll(async () => {
    await bot?.close()
    between.closeAllConnections()
    between.close()
    await fork?.close()
  })

  const wish = { sell: '1 WETH', buy: 'USDC', floor: '2900 USDC' }

  test('[API-38] two answers to one question differ: the last one is kept as it came, and signed', async () => {
    // The examination before the approval asks for a quote as well.
    const { record, swapId } = await bot.swap(wish)
    expect(record.state).toBe('SETTLED')
    const last = bodies.at(-1) ?? ''
    expect(bodies.length).toBeGreaterThanOrEqual(2)
    expect(new Set(bodies).size).toBe(bodies.length)
    const { attempts } = await bot.journal.swaps.load(swapId)
    const { calldata } = JSON.parse(last).txRequest
    expect(attempts.at(-1)?.bytes.transaction.data).toBe(calldata.toLowerCase())
    const file = new DatabaseSync(join(fork.dataDir, 'ballast.db'), { readOnly: true })
    const rows = file.prepare('select body from quote where swap_id = ?').all(swapId)
    file.close()
    expect(rows.map(({ body }) => unpacked(body as Uint8Array))).toEqual([last])
  })

  test('[API-29] the quote of an earlier swap once more: refused, nothing is signed', async () => {
    replayed = bodies.at(-1)
    const { record, failure } = await bot.swap(wish)
    expect(failedChecks(failure)).toEqual(['policy.quote-unseen'])
    expect(record.attempts).toEqual([])
  })

  test('[API-03] 401: the bot ends and says why, after a request or two', async () => {
    const { port, count } = await serve((_, response) =>
      json(response, { code: 201_001, message: 'api key is invalid' }, 401),
    )
    // One at a time spends from a journal.
    await bot.close()
    const { ended } = startBallast(['run', '--port', '0', '--config', fork.ready.config], {
      env: { QUOTE_API_URL: `http://127.0.0.1:${port}` },
    })
    const { code, stderr } = await ended
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('UNAUTHORIZED') })
    expect(count()).toBeLessThanOrEqual(2)
  })

  test('[API-03] 401 from a service that has answered: the bot goes on', async () => {
    const answered = new Set<string>()
    let refused = 0
    const { port } = await serve(async ({ url = '' }, response) => {
      const [path = ''] = url.split('?')
      if (answered.has(path)) {
        refused += 1
        json(response, { code: 201_001, message: 'api key is invalid' }, 401)
        return
      }
      const answer = await fetch(`${fork.ready.serviceUrl}${url}`)
      json(response, await answer.text(), answer.status)
      answered.add(path)
    })
    const { child, ended } = startBallast(['run', '--port', '0', '--config', fork.ready.config], {
      env: { QUOTE_API_URL: `http://127.0.0.1:${port}` },
    })
    await Promise.race([until(() => refused >= 5), ended])
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0 })
  })
})
