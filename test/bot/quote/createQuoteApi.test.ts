import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createQuoteApi, type QuoteApi } from '../../../src/bot/quote/api/createQuoteApi.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { BallastError } from '../../../src/core/errors.ts'
import { secret } from '../../../src/core/secret.ts'
import { heldDeadlines } from '../../support/heldDeadlines.ts'
import { until } from '../../support/until.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const cleanUp: (() => Promise<void>)[] = []
afterAll(() => Promise.all(cleanUp.map((step) => step())))

const apiKey = 'a-key-for-the-tests'

/** A real server that answers as told, and a client of it. */
async function serve(
  handler: Handler,
  {
    timeoutMs = 60_000,
    basePath = '',
    clock = systemClock,
    onDate = (_: { saidAt: number; receivedAt: number }) => {},
  } = {},
) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const api = createQuoteApi({
    url: `http://127.0.0.1:${port}${basePath}`,
    apiKey: secret(apiKey),
    timeoutMs,
    clock,
    onDate: (date) => void onDate(date),
  })
  cleanUp.push(async () => {
    server.closeAllConnections()
    server.close()
    await api.close()
  })
  return { api, requests, port }
}

/** Answers each request with the next body, then with the last one again. */
function answers(
  ...list: readonly { status?: number; body: unknown; headers?: Record<string, string> }[]
): Handler {
  let count = 0
  return (_, response) => {
    const {
      status = 200,
      body,
      headers = {},
    } = list[Math.min(count, list.length - 1)] ?? {
      body: '',
    }
    count += 1
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

async function failureOf(promise: Promise<unknown>): Promise<BallastError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof BallastError) return error
    throw error
  }
  throw new Error('expected a failure')
}

const weth = '0x5fbdb2315678afecb367f032d93f642f64180aa7'
const usdc = '0x5fbdb2315678afecb367f032d93f642f64180aa8'
const wallet = '0x5fbdb2315678afecb367f032d93f642f64180aa9'

const ask = {
  chain: 'local',
  token_in: weth,
  token_out: usdc,
  amount_wei: '1000000000000000000',
  from_address: wallet,
} as const

const firmAsk = {
  src_chain: 'local',
  dst_chain: 'local',
  token_in: weth,
  token_out: usdc,
  amount_wei: '1000000000000000000',
  from_address: wallet,
  to_address: wallet,
  expiry_time: '30',
  slippage: '0.1',
} as const

const indicative = {
  success: true,
  buyerToken: usdc,
  sellerToken: weth,
  buyerTokenAmount: 3000,
  buyerTokenAmountWei: '3000000000',
  sellerTokenAmount: '1',
  sellerTokenAmountWei: '1000000000000000000',
  price: 3000,
  widgetFeeUsd: 0,
  liquidityProviderFeeUsd: 0,
  totalFeeUsd: 0,
  routes: ['maker-a'],
}

const order = {
  id: 7,
  signer: wallet,
  buyer: wallet,
  seller: wallet,
  buyerToken: usdc,
  sellerToken: weth,
  buyerTokenAmount: '3000000000',
  sellerTokenAmount: '1000000000000000000',
  caller: wallet,
  quoteId: '3e4f21b0-8c8a-4c39-a2a1-2e9df0f0a3bd',
  deadlineTimestamp: 1_900_000_000,
}

const firm = {
  success: true,
  orders: [order],
  widgetFee: { signer: wallet, feeRecipient: wallet, feeRate: 0 },
  widgetFeeSignature: '0xabcd',
  recipient: wallet,
  calldata: '0x1234',
  amountIn: '1000000000000000000',
  amountOut: '3000000000',
  toWrap: false,
  toUnwrap: false,
  fallbackSwapDataArray: ['0x'],
  source: 'maker-a',
  txRequest: { target: wallet, calldata: '0x1234', value: '0' },
}

describe('a right answer', () => {
  test('is read, and kept as it came', async () => {
    const text = JSON.stringify(indicative, null, 1)
    const { api, requests } = await serve(
      answers({ body: text, headers: { 'x-request-id': 'r-1' } }),
    )
    const before = Date.now()
    const answer = await api.indicative(ask)
    expect(answer.value).toEqual(indicative)
    expect(answer).toMatchObject({ text, requestId: 'r-1' })
    expect(answer.receivedAt).toBeGreaterThanOrEqual(before)
    const url = new URL(requests[0]?.url ?? '', 'http://host')
    expect(url.pathname).toBe('/v1/indicative-quote')
    expect(Object.fromEntries(url.searchParams)).toEqual(ask)
    expect(requests[0]?.headers).toMatchObject({ apikey: apiKey, 'accept-encoding': 'identity' })
  })

  test('chains and order book', async () => {
    const chain = { chainId: 1, chain: 'ethereum', label: '', token: 'ETH', isMainnet: true }
    const pair = {
      base_symbol: 'WETH',
      base_address: weth,
      quote_symbol: 'USDC',
      quote_address: usdc,
      levels: [[10, 3000.5]],
      side: 'bid',
      minimum_in_base: 0.01,
    }
    const { api, requests } = await serve((request, response) =>
      answers({ body: request.url === '/v1/chains' ? [chain] : [pair] })(request, response),
    )
    expect((await api.chains()).value).toEqual([chain])
    expect((await api.orderbook('local')).value).toEqual([pair])
    expect(requests.map(({ url }) => url)).toEqual(['/v1/chains', '/v1/orderbook?chain=local'])
  })

  test('below a path of the base URL', async () => {
    const { api, requests } = await serve(answers({ body: [] }), { basePath: '/swap-api' })
    await api.chains()
    expect(requests[0]?.url).toBe('/swap-api/v1/chains')
  })

  test('an order id beyond 2^53 keeps every digit', async () => {
    const body = JSON.stringify(firm).replace('"id":7', '"id":1644529534389398715')
    const { api } = await serve(answers({ body }))
    expect((await api.firm(firmAsk)).value.orders[0]?.id).toBe(1_644_529_534_389_398_715n)
  })

  test('display numbers beyond 2^53 do no harm', async () => {
    const body = JSON.stringify(indicative).replace('"price":3000', '"price":12345678901234567890')
    const { api } = await serve(answers({ body }))
    expect((await api.indicative(ask)).value).toMatchObject({
      price: expect.closeTo(1.2345678901234567e19),
    })
  })

  test('what is for display may be anything: only the amounts and their tokens count', async () => {
    const body = {
      ...indicative,
      ...{ price: '3000', widgetFeeUsd: null, routes: [{ name: 'maker-a' }] },
      ...{ code: 200, error: '' },
    }
    const { api } = await serve(answers({ body }))
    expect((await api.indicative(ask)).value).toMatchObject({
      buyerTokenAmountWei: '3000000000',
      routes: [],
    })
  })

  test('an order book is read without its odd rows; one of those alone is refused', async () => {
    const good = {
      ...{ base_symbol: 'WETH', base_address: weth, quote_symbol: 'USDC', quote_address: usdc },
      ...{ levels: [[10, 3000.5]], side: 'bid', minimum_in_base: 0.01 },
    }
    const odd = { ...good, base_address: wallet, minimum_in_base: null }
    const { api } = await serve(answers({ body: [good, odd] }, { body: [odd] }))
    expect((await api.orderbook('local')).value).toEqual([good])
    expect((await failureOf(api.orderbook('local'))).code).toBe('QUOTE_MALFORMED')
  })

  test('a key in the query of the address goes with every request', async () => {
    const { api, requests } = await serve(
      (request, response) =>
        answers({ body: request.url?.startsWith('/api/v1/chains') ? [] : indicative })(
          request,
          response,
        ),
      { basePath: '/api?key=abc' },
    )
    await api.chains()
    await api.indicative(ask)
    expect(requests[0]?.url).toBe('/api/v1/chains?key=abc')
    expect(requests[1]?.url).toMatch(/^\/api\/v1\/indicative-quote\?chain=local&.*&key=abc$/)
  })

  test('an answer from a cache is asked for again, and refused where it is old', async () => {
    const old = { body: indicative, headers: { age: '20' } }
    const { api, requests } = await serve(answers(old, { ...old, headers: { age: '1' } }, old))
    expect((await api.indicative(ask)).value).toEqual(indicative)
    expect(requests.map(({ headers }) => headers['cache-control'])).toEqual([
      'no-cache',
      'no-cache',
    ])
    expect(await failureOf(api.indicative(ask))).toMatchObject({
      code: 'QUOTE_UNAVAILABLE',
      facts: { ageMs: 20_000 },
    })
  })

  test('a list of chains may be kept by a cache, and a refusal from one keeps its words', async () => {
    const headers = { age: '86400' }
    const { api } = await serve((request, response) =>
      answers(
        request.url === '/v1/chains'
          ? { body: [], headers }
          : { ...envelope(171011, 'pair not found'), status: 404, headers },
      )(request, response),
    )
    expect((await api.chains()).value).toEqual([])
    expect((await failureOf(api.indicative(ask))).code).toBe('PAIR_UNSUPPORTED')
  })

  test('the time of the service is that of its answer, not that of the cache or of a slow body', async () => {
    const begunAt = 1_800_000_000_000
    let now = begunAt
    const clock = { ...systemClock, now: () => now }
    const said: (readonly [saidAt: number, receivedAt: number])[] = []
    const onDate = ({ saidAt, receivedAt }: { saidAt: number; receivedAt: number }) =>
      said.push([saidAt - begunAt, receivedAt - begunAt])
    const dated = (seconds: number, age: number) => ({
      body: [],
      headers: { date: new Date(begunAt + seconds * 1_000).toUTCString(), age: String(age) },
    })
    // Five seconds pass while each of them is read.
    const list = [dated(2, 0), dated(-18, 20), dated(60, 0), dated(-60, 0)]
    const { api } = await serve(
      (request, response) => {
        now = begunAt + 5_000
        answers(list.shift() ?? dated(0, 0))(request, response)
      },
      { clock, onDate },
    )
    for (const _ of [1, 2, 3, 4]) {
      now = begunAt
      await api.chains()
    }
    expect(said).toEqual([
      [2_000, 2_000],
      [2_000, 2_000],
      [60_000, 5_000],
      [-60_000, 0],
    ])
  })

  test('the second generation: a list of one', async () => {
    const { api } = await serve(answers({ body: [indicative] }))
    expect((await api.indicative(ask)).value).toEqual(indicative)
  })

  test('the second generation: null fallbacks, bare signature, list of sources, hex value', async () => {
    const body = {
      ...firm,
      fallbackSwapDataArray: null,
      widgetFeeSignature: 'abcd',
      source: [100, 7],
      txRequest: { ...firm.txRequest, value: '0x0de0b6b3a7640000' },
    }
    const { api } = await serve(answers({ body }))
    expect((await api.firm(firmAsk)).value).toMatchObject({
      fallbackSwapDataArray: [],
      widgetFeeSignature: '0xabcd',
      source: '100,7',
      txRequest: { value: '1000000000000000000' },
    })
  })
})

const unavailable = { code: 'QUOTE_UNAVAILABLE', fault: 'upstream', remedy: 'retry' }
const rateLimited = { code: 'RATE_LIMITED', fault: 'upstream', remedy: 'retry' }
const noLiquidity = { code: 'NO_LIQUIDITY', fault: 'refused', remedy: 'skip' }
const tooLong = { code: 'EXPIRY_TOO_LONG', fault: 'usage', remedy: 'halt' }
const belowMinimum = { code: 'BELOW_MINIMUM', fault: 'refused', remedy: 'skip' }
const unsupported = { code: 'PAIR_UNSUPPORTED', fault: 'refused', remedy: 'skip' }
const badRequest = { code: 'BAD_REQUEST', fault: 'internal', remedy: 'halt' }
const unauthorized = { code: 'UNAUTHORIZED', fault: 'usage', remedy: 'halt' }
const unexplained = { code: 'QUOTE_REFUSED', fault: 'upstream', remedy: 'skip' }
const malformed = { code: 'QUOTE_MALFORMED', fault: 'upstream', remedy: 'requote' }

const nest = (statusCode: number, message: unknown, error: string) => ({
  status: statusCode,
  body: { statusCode, message, error },
})
const envelope = (code: number, message: string) => ({ status: 200, body: { code, message } })

/** Refusals of both generations: bodies with a code at status 200, NestJS bodies, pages of gateways. */
const refusals: readonly (readonly [
  name: string,
  answer: { status?: number; body: unknown },
  expected: { code: string; fault: string; remedy: string },
])[] = [
  ['quote invalid', envelope(301016, 'quote invalid, risk management checks failed'), unavailable],
  ['risk checks', envelope(405030, 'risk management checks failed'), unavailable],
  ['server error in an envelope', envelope(171008, 'Internal Server Error'), unavailable],
  ['rate reach limit', envelope(201005, 'rate reach limit'), rateLimited],
  ['beyond the maximum', envelope(101010, 'quoted amount exceeds maximum available'), noLiquidity],
  ['orderbook empty', envelope(171037, 'orderbook empty'), noLiquidity],
  ['orderbook empty, old', envelope(101007, 'orderbook empty'), noLiquidity],
  ['pair not found', envelope(171011, 'pair not found'), unsupported],
  ['token not available', envelope(171015, 'token not available'), unsupported],
  ['parse failure', envelope(131003, 'parse'), badRequest],
  ['invalid parameter', envelope(131004, 'invalid parameter'), badRequest],
  ['invalid chain', envelope(131005, 'chain invalid'), badRequest],
  ['amount with a decimal point', envelope(131011, 'amount must be whole'), badRequest],
  ['an unknown parameter', envelope(171053, 'no such parameter'), badRequest],
  ['chain at a standstill', envelope(171009, 'chain stands still'), unavailable],
  ['service full', envelope(171010, 'too many quotes'), unavailable],
  ['across chains', envelope(131006, 'one chain'), unsupported],
  ['wrapping', envelope(131008, 'wrap it yourself'), unsupported],
  [
    'too little in the wallet',
    envelope(101012, 'balance'),
    { code: 'QUOTE_REFUSED', fault: 'upstream', remedy: 'skip' },
  ],
  ['expiry above the limit', envelope(171018, 'expire time exceeds global limit 120s'), tooLong],
  ['less than the minimum', envelope(101011, 'below minimum'), belowMinimum],
  ['[API-03] key invalid', envelope(201001, 'auth get api key is invalid'), unauthorized],
  ['no permission', envelope(201009, 'no auth to call'), unauthorized],
  ['a code as text', { body: { code: '201005', message: 'rate' } }, rateLimited],
  [
    'our own service',
    { status: 422, body: { success: false, code: 171011, message: 'x', statusCode: 422 } },
    unsupported,
  ],
  ['throttled', nest(429, 'ThrottlerException: Too Many Requests', ''), rateLimited],
  [
    'throttled at 200',
    { body: { success: false, errorMessage: 'Too Many Requests' } },
    rateLimited,
  ],
  ['all pricers failed', nest(400, 'All pricer failed', 'Bad Request'), noLiquidity],
  ['a list of messages', nest(400, ['amount_wei must be'], 'Bad Request'), unexplained],
  ['no liquidity in other words', nest(400, 'Insufficient liquidity', ''), noLiquidity],
  ['a token it does not have', nest(400, 'Token not supported', ''), unsupported],
  ['too little, in other words', nest(400, 'amount too small', ''), belowMinimum],
  ['a conflict', nest(409, 'quote is being made', ''), unexplained],
  ['a part of the request it does not know', nest(400, 'slippage not supported', ''), unexplained],
  ['an expiry it does not know', nest(400, 'expiry too small', ''), unexplained],
  ['a request that came too early', nest(425, 'Too Early', ''), unavailable],
  ['a request that came too slowly', nest(408, '', ''), unavailable],
  ['a server error that speaks of a key', nest(500, 'upstream: unauthorized', ''), unavailable],
  ['[API-03] forbidden', nest(403, 'Forbidden resource', 'Forbidden'), unauthorized],
  ['[API-05] server error', nest(500, 'Internal server error', ''), unavailable],
  ['unknown path', nest(404, 'Cannot GET /v1/chains', 'Not Found'), unavailable],
  ['a gateway in a deployment', nest(404, 'no Route matched with those values', ''), unavailable],
  ['text of a gateway', { status: 502, body: 'bad gateway' }, unavailable],
  ['a page for 429', { status: 429, body: '<html>slow down</html>' }, rateLimited],
  ['[API-03] a page for 401', { status: 401, body: '<html>login</html>' }, unauthorized],
  ['a page for 403, as of a firewall', { status: 403, body: '<html>wait</html>' }, unavailable],
  ['a page for 404, as of a deployment', { status: 404, body: '<html>none</html>' }, unavailable],
  ['[API-07] a page at 200', { body: '<html>welcome</html>' }, malformed],
  ['nothing at 200', { body: '' }, malformed],
  ['an error as an object', { body: { error: { message: 'pair not found' } } }, unsupported],
  ['[API-11] a refusal nobody explained', { body: { success: false } }, unexplained],
  ['an unknown code', envelope(999999, 'new reason'), unexplained],
  ['[API-12] success that is not true', { body: { ...indicative, success: 'true' } }, unexplained],
  ['[API-12] no success at all', { body: { ...indicative, success: undefined } }, malformed],
  ['two quotes', { body: [indicative, indicative] }, malformed],
  ['null', { body: 'null' }, malformed],
  [
    '[API-08] an amount as a number',
    { body: { ...indicative, buyerTokenAmountWei: 3000000000 } },
    malformed,
  ],
  [
    '[API-08] an amount in scientific notation',
    { body: { ...indicative, buyerTokenAmountWei: '3e9' } },
    malformed,
  ],
]

// Beside each other: a third of them are read three times, with waits between.
describe.concurrent('a refusal', () => {
  test.for(refusals)('%s', async ([, answer, expected]) => {
    const { api, requests } = await serve(answers(answer))
    const error = await failureOf(api.indicative(ask))
    expect(error).toMatchObject(expected)
    expect(error.facts).toMatchObject({
      endpoint: 'indicative-quote',
      status: answer.status ?? 200,
    })
    expect(requests).toHaveLength(expected.remedy === 'retry' ? 3 : 1)
  })

  test('an object where a list belongs', async () => {
    const { api } = await serve(answers({ body: { pairs: [] } }))
    expect(await failureOf(api.orderbook('local'))).toMatchObject(malformed)
  })

  test('names the request and repeats what was said, harmlessly', async () => {
    const message = `no\u{1b}[2J\u{202e}way ${'x'.repeat(400)}`
    const { api } = await serve(
      answers({ body: { code: 171011, message, requestId: 'r-9' }, status: 200 }),
    )
    const { facts } = await failureOf(api.indicative(ask))
    expect(facts).toMatchObject({ apiCode: '171011', requestId: 'r-9' })
    expect(String(facts.apiMessage)).toMatch(/^no�\[2J�way x+…$/)
    expect(String(facts.apiMessage).length).toBeLessThanOrEqual(201)
  })

  test('never shows the key of the API', async () => {
    const { api } = await serve(answers({ status: 401, body: { code: 201001, message: 'bad' } }))
    const error = await failureOf(api.chains())
    expect(inspect(error, { depth: 10 })).not.toContain(apiKey)
    expect(inspect(api, { depth: 10 })).not.toContain(apiKey)
  })
})

const passing = {
  UNAUTHORIZED: { code: 'QUOTE_UNAVAILABLE', fault: 'upstream', remedy: 'retry' },
  BAD_REQUEST: { code: 'QUOTE_REFUSED', fault: 'upstream', remedy: 'skip' },
  EXPIRY_TOO_LONG: { code: 'QUOTE_REFUSED', fault: 'upstream', remedy: 'skip' },
}

describe('a refusal that ends the bot', () => {
  const halting = [
    ['UNAUTHORIZED', { status: 401, body: { code: 201001, message: 'no' } }],
    ['BAD_REQUEST', envelope(131003, 'no')],
    ['EXPIRY_TOO_LONG', envelope(171018, 'no')],
  ] as const

  test.each(halting)('%s, after an answer: later requests may pass', async (code, answer) => {
    const { api, requests } = await serve(answers({ body: indicative }, answer))
    await api.indicative(ask)
    const error = await failureOf(api.indicative(ask))
    expect(error).toMatchObject({ ...passing[code], facts: { refusal: code } })
    expect(requests).toHaveLength(2)
  })

  test('after an answer to another kind of request, ends it', async () => {
    const refused = { status: 401, body: { code: 201001, message: 'no' } }
    const { api } = await serve(answers({ body: indicative }, refused))
    await api.indicative(ask)
    expect(await failureOf(api.firm(firmAsk))).toMatchObject(unauthorized)
  })
})

describe('a body that can be read in two ways', () => {
  const twice = '{"success":true,"x":{"a":1,"\\u0061":2}}'
  test.each([
    ['chains', (api: QuoteApi) => api.chains(), `[${twice}]`, '[].x.a'],
    ['orderbook', (api: QuoteApi) => api.orderbook('local'), `[${twice}]`, '[].x.a'],
    ['indicative-quote', (api: QuoteApi) => api.indicative(ask), twice, 'x.a'],
    ['firm-quote', (api: QuoteApi) => api.firm(firmAsk), twice, 'x.a'],
  ] as const)('[API-09] %s', async (endpoint, send, body, field) => {
    const { api, requests } = await serve(answers({ body }))
    expect(await failureOf(send(api))).toMatchObject({
      code: 'QUOTE_MALFORMED',
      remedy: 'requote',
      facts: { endpoint, field, reason: 'is there twice', status: 200 },
    })
    expect(requests.length).toBe(1)
  })

  test('in a failure, is the failure its status names', async () => {
    const { api } = await serve(answers({ status: 401, body: twice }))
    expect(await failureOf(api.firm(firmAsk))).toMatchObject({ code: 'UNAUTHORIZED' })
  })
})

describe('asking again', () => {
  test('[API-05] a short failure is not noticed', async () => {
    const { api, requests } = await serve(
      answers(
        { status: 503, body: 'busy' },
        { body: envelope(301016, 'x').body },
        { body: indicative },
      ),
    )
    expect((await api.indicative(ask)).value).toEqual(indicative)
    expect(requests).toHaveLength(3)
  })

  test('[API-04] Retry-After is waited for', async () => {
    const slept = vi.fn(async () => {})
    const { api } = await serve(
      answers({ status: 429, body: '{}', headers: { 'retry-after': '1' } }, { body: indicative }),
      { clock: { ...systemClock, sleep: slept } },
    )
    await api.indicative(ask)
    expect(slept.mock.calls).toEqual([[1_000, expect.any(AbortSignal)]])
  })

  test('[API-04] a huge Retry-After costs two seconds at most, and nothing when there is no time', async () => {
    const slow = { status: 429, body: '{}', headers: { 'retry-after': '86400' } }
    const slept = vi.fn(async () => {})
    const { api, requests } = await serve(answers(slow), {
      timeoutMs: 1_500,
      clock: { now: () => 0, sleep: slept },
    })
    const error = await failureOf(api.indicative(ask))
    expect(error).toMatchObject({ code: 'RATE_LIMITED', facts: { retryAfterMs: 2_000 } })
    expect(slept).not.toHaveBeenCalled()
    expect(requests).toHaveLength(1)
  })

  test('a firm quote is a read: it is asked for again as well', async () => {
    const { api, requests } = await serve(answers({ status: 500, body: '' }, { body: firm }))
    await api.firm(firmAsk)
    expect(requests).toHaveLength(2)
  })
})

/** What a hostile or broken server may do to the connection itself. */
describe('the connection', () => {
  test('[API-06] a redirect is an error, and the key does not travel', async () => {
    const other = await serve(answers({ body: [] }))
    const { api, requests } = await serve((_, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${other.port}/v1/chains` }).end()
    })
    expect(await failureOf(api.chains())).toMatchObject({
      code: 'QUOTE_UNAVAILABLE',
      summary: expect.stringContaining('redirect'),
    })
    expect(requests).toHaveLength(1)
    expect(other.requests).toHaveLength(0)
  })

  test('[API-34] a body that is too long is cut off', async () => {
    const { api, requests } = await serve((_, response) => {
      response.writeHead(200)
      response.end(`"${'x'.repeat(300 * 1024)}"`)
    })
    expect(await failureOf(api.indicative(ask))).toMatchObject(malformed)
    expect(requests).toHaveLength(1)
  })

  test('an order book may be longer than that', async () => {
    const row = { base_symbol: 'A', base_address: weth, quote_symbol: 'B', quote_address: usdc }
    const levels = Array.from({ length: 40_000 }, (_, index) => [1, 3000 - index / 1_000])
    const { api } = await serve(
      answers({ body: [{ ...row, levels, side: 'bid', minimum_in_base: 0 }] }),
    )
    expect((await api.orderbook('local')).value[0]?.levels).toHaveLength(40_000)
  })

  test('a book that did not change has its own time, and a failure between changes nothing', async () => {
    const row = { base_symbol: 'A', base_address: weth, quote_symbol: 'B', quote_address: usdc }
    const body = [{ ...row, levels: [[1, 3000]], side: 'bid', minimum_in_base: 0 }]
    let now = 1_000
    const { api } = await serve(
      answers(
        { body, headers: { 'x-request-id': 'one' } },
        { body, headers: { 'x-request-id': 'two' } },
        { status: 401, body },
        { body },
      ),
      { clock: { ...systemClock, now: () => now } },
    )
    const first = await api.orderbook('local')
    now = 9_000
    const second = await api.orderbook('local')
    expect(second.value).toBe(first.value)
    expect([first, second]).toMatchObject([
      { receivedAt: 1_000, requestId: 'one' },
      { receivedAt: 9_000, requestId: 'two' },
    ])
    expect(await failureOf(api.orderbook('local'))).toMatchObject(passing.UNAUTHORIZED)
    expect((await api.orderbook('local')).value).toEqual(first.value)
  })

  test('[API-34] an endless body ends', async () => {
    const { api } = await serve((_, response) => {
      response.writeHead(200)
      const chunk = 'x'.repeat(64 * 1024)
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    expect(await failureOf(api.firm(firmAsk))).toMatchObject(malformed)
  })

  test('[API-35] one deadline for everything, a slow drip included', async () => {
    const deadlines = heldDeadlines()
    let dripped = 0
    const { api, requests } = await serve(
      (_, response) => {
        response.writeHead(200)
        const drip = setInterval(() => {
          dripped += 1
          response.write(' ')
        }, 5)
        response.on('close', () => clearInterval(drip))
      },
      { timeoutMs: 600 },
    )
    const failing = failureOf(api.chains())
    await until(() => dripped > 10)
    // None was set anew by a byte that came.
    expect(new Set(deadlines.lengths())).toEqual(new Set([600]))
    deadlines.pass(600)
    expect(await failing).toMatchObject(unavailable)
    expect([requests.length, deadlines.lengths()]).toEqual([1, []])
  })

  test('[API-02] silence ends at the deadline as well', async () => {
    const deadlines = heldDeadlines()
    const { api, requests } = await serve(() => undefined, { timeoutMs: 300 })
    const failing = failureOf(api.chains())
    await until(() => requests.length > 0)
    deadlines.pass(300)
    const error = await failing
    expect(error).toMatchObject(unavailable)
    expect(error.summary).toContain('did not answer within 300 ms')
  })

  test('[API-34] a compressed body was not asked for and is not unpacked', async () => {
    const { api } = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(Buffer.from('1f8b0800000000000003', 'hex'))
    })
    expect(await failureOf(api.chains())).toMatchObject(malformed)
  })

  test('a connection that breaks in the middle', async () => {
    const { api, requests } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('[', () => response.destroy())
    })
    expect(await failureOf(api.chains())).toMatchObject(unavailable)
    expect(requests).toHaveLength(3)
  })

  test('[API-01] nobody there', async () => {
    const api: QuoteApi = createQuoteApi({
      url: 'http://127.0.0.1:9',
      apiKey: undefined,
      timeoutMs: 60_000,
      clock: systemClock,
    })
    cleanUp.push(() => api.close())
    expect(await failureOf(api.chains())).toMatchObject({
      ...unavailable,
      facts: { reason: 'ECONNREFUSED' },
    })
  })

  test('the caller may stop waiting', async () => {
    const { api } = await serve(() => undefined)
    const stop = new AbortController()
    const asked = api.chains(stop.signal)
    const reason = new Error('enough')
    stop.abort(reason)
    await expect(asked).rejects.toBe(reason)
  })
})
