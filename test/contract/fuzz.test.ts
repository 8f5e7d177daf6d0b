import fc from 'fast-check'
import { Pool } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chains } from '../../src/api/chains.ts'
import { failure } from '../../src/api/failure.ts'
import { firmQuote } from '../../src/api/firmQuote.ts'
import { indicativeQuote } from '../../src/api/indicativeQuote.ts'
import { orderbook } from '../../src/api/orderbook.ts'
import { parseJson } from '../../src/core/json.ts'
import { nativeAddress } from '../../src/core/token.ts'
import type { Service } from '../../src/service/createService.ts'
import { anyText } from '../support/anyText.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { serveDesk } from '../support/serveDesk.ts'

/** `npm run test:fuzz` sends ten times as many. */
const requestsTotal = Number(process.env.FUZZ_REQUESTS ?? 1_500)
const atOnce = 50
/** A hundred times what the slowest takes on a quiet machine. */
const hangMs = 60_000

let fork: Fork
let service: Service
let pool: Pool
beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
  const served = await serveDesk(
    fork,
    {},
    {
      hubs: ['WETH', 'USDC'],
      takers: { balance: 'ignored' },
    },
  )
  service = served.service
  pool = new Pool(served.serviceUrl, {
    connections: 20,
    headersTimeout: hangMs,
    bodyTimeout: hangMs,
  })
})
afterAll(async () => {
  await pool?.close()
  await service?.close()
  await fork?.close()
})

const endpoints = [chains, orderbook, indicativeQuote, firmQuote]

const names = [
  'chain',
  'src_chain',
  'dst_chain',
  'token_in',
  'token_out',
  'amount',
  'amount_wei',
  'from_address',
  'address',
  'to_address',
  'beneficiary_address',
  'expiry_time',
  'slippage',
  'deadline_timestamp',
  'version',
  'apiKey',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'amount[]',
  'amount[0]',
  'AMOUNT',
]

/** What breaks parsers, and what almost is right. */
const nasty = fc.constantFrom(
  '',
  '0',
  '00',
  '-0',
  '1',
  '-1',
  '+1',
  '1.',
  '.1',
  '1e3',
  '1E400',
  '1e-400',
  'NaN',
  'Infinity',
  '0x',
  '0x0',
  '0X1',
  '0b1',
  '1_000',
  '1,5',
  '1 ',
  ' 1',
  '\t1',
  '1\n',
  '١',
  '１',
  '９９',
  '1\u0000',
  '\u202e1',
  '9'.repeat(77),
  '9'.repeat(78),
  '9'.repeat(79),
  '9'.repeat(500),
  `0.${'0'.repeat(400)}1`,
  '1.0000000000000000001',
  '340282366920938463463374607431768211456',
  'null',
  'undefined',
  'true',
  '[]',
  '{}',
  '[object Object]',
  '%',
  '%00',
  '%zz',
  '%ff%fe',
  '../..',
  "' OR 1=1 --",
  '<script>',
  `0x${'0'.repeat(40)}`,
  `0x${'f'.repeat(40)}`,
  `0x${'e'.repeat(40)}`,
  `0x${'E'.repeat(40)}`,
  `0X${'e'.repeat(40)}`,
  `0x${'aB'.repeat(20)}`,
  `0x${'a'.repeat(41)}`,
  `0x${'g'.repeat(40)}`,
  'local',
  'LOCAL',
  'ｌｏｃａｌ',
  '31337',
  '1',
  '120',
  '121',
  '2147483648',
  '9007199254740993',
  '1692085583',
  '49.99',
  '50',
  '100',
  '0.1%',
  '1e-7',
)

const anything = fc.oneof(
  { weight: 4, arbitrary: nasty },
  { weight: 2, arbitrary: fc.string({ maxLength: 40 }) },
  { weight: 1, arbitrary: anyText({ maxLength: 40 }) },
  { weight: 2, arbitrary: fc.integer().map(String) },
  { weight: 2, arbitrary: fc.double().map(String) },
  { weight: 1, arbitrary: fc.bigInt({ min: -(2n ** 260n), max: 2n ** 260n }).map(String) },
)

const token = fc.nat().map((index) => {
  const known = [...Object.values(fork.ready.tokens).map(({ address }) => address), nativeAddress]
  return known[index % known.length] ?? nativeAddress
})

/** A request that may well be answered. */
const sane = fc
  .record({
    token_in: token,
    token_out: token,
    amount: fc.oneof(
      fc.integer({ min: 1, max: 500_000 }).map(String),
      fc.double({ min: 0.000001, max: 1_000, noNaN: true }).map((value) => value.toFixed(6)),
    ),
    expiry_time: fc.option(fc.integer({ min: 0, max: 125 }).map(String), { nil: undefined }),
    slippage: fc.option(fc.constantFrom('0', '0.5', '12.345', '49.9'), { nil: undefined }),
  })
  .map((fields): [string, string][] =>
    Object.entries({
      chain: 'local',
      from_address: fork.ready.wallets.treasury?.address ?? '',
      ...fields,
    }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

type Mutation = (parameters: [string, string][]) => [string, string][]

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(fc.nat(), anything).map(
    ([at, value]): Mutation =>
      (all) =>
        all.map((each, index) => (index === at % all.length ? [each[0], value] : each)),
  ),
  fc.nat().map(
    (at): Mutation =>
      (all) =>
        all.filter((_, index) => index !== at % all.length),
  ),
  fc.nat().map(
    (at): Mutation =>
      (all) =>
        all.flatMap((each, index) => (index === at % all.length ? [each, each] : [each])),
  ),
  fc.tuple(fc.constantFrom(...names), anything).map(
    ([name, value]): Mutation =>
      (all) => [...all, [name, value]],
  ),
)

const wellFormed = fc
  .tuple(sane, fc.array(mutation, { maxLength: 3 }))
  .map(([parameters, mutations]) =>
    new URLSearchParams(
      mutations.reduce((all, mutate) => (all.length === 0 ? all : mutate(all)), parameters),
    ).toString(),
  )

/** Characters a client library would never send, but a socket can. */
const malformed = fc
  .array(
    fc.constantFrom(
      '%',
      '%0',
      '%zz',
      '%C0%80',
      '%u0041',
      '&',
      '=',
      ';',
      '+',
      '?',
      '[',
      ']',
      'amount',
      'chain',
      '1',
      ...names,
    ),
    {
      maxLength: 60,
    },
  )
  .map((parts) => parts.join('').replace(/[^\x21-\x7e]/g, ''))

const request = fc.record({
  endpoint: fc.constantFrom(...endpoints, firmQuote, indicativeQuote),
  query: fc.oneof({ weight: 5, arbitrary: wellFormed }, { weight: 1, arbitrary: malformed }),
  headers: fc.oneof(
    { weight: 5, arbitrary: fc.constant<Record<string, string>>({}) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Record<string, string>>(
        { 'if-none-match': '"x", W/"y",,,' },
        { 'if-none-match': '*' },
        { apiKey: 'x'.repeat(2_000) },
        { 'x-request-id': '\t' },
        { accept: 'text/html', 'accept-encoding': 'gzip, br' },
        { 'content-type': 'application/json' },
      ),
    },
  ),
})

/** From version 2 on a quote names its source by numbers; the rest is that of the first generation, and more. */
function inFirstGeneration(body: unknown): unknown {
  const source = (body as { source?: unknown } | null)?.source
  if (!Array.isArray(source)) return body
  expect(source.every((one) => Number.isInteger(one) && one >= 0)).toBe(true)
  return { ...(body as object), source: source.join('+') }
}

test(`${requestsTotal} random and mutated requests: each has a proper answer, and none hangs`, async () => {
  const statuses = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: atOnce, maxLength: atOnce }),
      async (requests) => {
        await Promise.all(
          requests.map(async ({ endpoint, query, headers }) => {
            const path = `${endpoint.path}?${query}`
            const answer = await pool.request({ method: 'GET', path, headers })
            const text = await answer.body.text()
            const context = { path, status: answer.statusCode, text: text.slice(0, 300) }
            const key = `${endpoint.name} ${answer.statusCode}`
            statuses.set(key, (statuses.get(key) ?? 0) + 1)
            expect(answer.headers['x-request-id'], JSON.stringify(context)).toMatch(
              /^[0-9a-f-]{36}$/,
            )
            if (answer.statusCode === 304) return
            const body = parseJson(text)
            if (answer.statusCode === 200) {
              const { error } = endpoint.response.safeParse(inFirstGeneration(body))
              expect(error, JSON.stringify(context)).toBeUndefined()
              return
            }
            const refused = failure.safeParse(body)
            expect(refused.error, JSON.stringify(context)).toBeUndefined()
            expect(refused.data?.statusCode).toBe(answer.statusCode)
            expect(refused.data?.message).not.toBe('')
            // Makers may have promised everything; nothing else is beyond the caller's own doing.
            expect(answer.statusCode, JSON.stringify(context)).toBeLessThan(500)
          }),
        )
      },
    ),
    {
      numRuns: Math.ceil(requestsTotal / atOnce),
      ...(process.env.FUZZ_SEED === undefined ? {} : { seed: Number(process.env.FUZZ_SEED) }),
    },
  )
  // A fuzzer whose requests are all refused at the door would prove little.
  expect(statuses.get('firm-quote 200')).toBeGreaterThan(requestsTotal / 100)
  expect(statuses.get('indicative-quote 200')).toBeGreaterThan(requestsTotal / 50)
}, 600_000)
