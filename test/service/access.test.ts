import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { failure } from '../../src/api/failure.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'
import { createRateLimiter } from '../../src/service/createRateLimiter.ts'
import type { Service, ServiceOptions } from '../../src/service/createService.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { serveDesk } from '../support/serveDesk.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
})
afterAll(() => fork?.close())

const open: Service[] = []
afterEach(async () => {
  for (const service of open.splice(0)) await service.close()
})
const serve = async (options: Partial<ServiceOptions>) => {
  const served = await serveDesk(fork, options)
  open.push(served.service)
  return served
}

const operations = ['chains', 'orderbook', 'indicative-quote', 'firm-quote']
const good = () => ({
  chain: 'local',
  token_in: fork.ready.tokens.WETH?.address,
  token_out: fork.ready.tokens.USDC?.address,
  amount: '1',
  from_address: fork.ready.wallets.treasury?.address,
})
const key = 'a-key-of-the-tests-1'
const other = 'a-key-of-the-tests-2'

describe('keys', () => {
  test('none configured: none needed', async () => {
    const { serviceUrl } = await serve({})
    for (const path of operations) expect((await ask(serviceUrl, path, good())).status).toBe(200)
  })

  test.for([
    ['plain', (text: string) => text],
    ['hashed', (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`],
  ] as const)(
    '%s: needed by every operation, in any spelling of the header',
    async ([, written]) => {
      const { serviceUrl } = await serve({ apiKeys: [written(other), written(key)] })
      for (const path of operations) {
        for (const headers of [
          { apiKey: key },
          { apikey: key },
          { api_key: key },
          { APIKEY: other },
        ])
          expect((await ask(serviceUrl, path, good(), headers)).status).toBe(200)
        for (const headers of [{}, { apiKey: '' }, { apiKey: `${key}x` }, { authorization: key }]) {
          const answer = await ask(serviceUrl, path, good(), headers)
          expect(answer.status).toBe(401)
          expect(failure.parse(answer.body)).toMatchObject({ code: 201001, statusCode: 401 })
          expect(answer.body.message).toContain('apiKey')
        }
      }
    },
  )

  test('the hash of a key is no key', async () => {
    const hash = createHash('sha256').update(key).digest('hex')
    const { serviceUrl } = await serve({ apiKeys: [`sha256:${hash}`] })
    for (const apiKey of [hash, `sha256:${hash}`])
      expect((await ask(serviceUrl, 'chains', {}, { apiKey })).status).toBe(401)
  })

  test('are replaced without a restart, and taking all of them away opens nothing', async () => {
    const { service, serviceUrl } = await serve({ apiKeys: [key] })
    const status = async (apiKey?: string) =>
      (await ask(serviceUrl, 'chains', {}, apiKey === undefined ? {} : { apiKey })).status
    expect([await status(key), await status(other)]).toEqual([200, 401])
    service.replaceKeys([other])
    expect([await status(key), await status(other)]).toEqual([401, 200])
    service.replaceKeys([])
    expect([await status(key), await status(other), await status()]).toEqual([401, 401, 401])
  })
})

describe('rate limit', () => {
  let now = 1_000_000
  const clock: Clock = { now: () => now, sleep: systemClock.sleep }

  test('a burst, then a steady rate, then a burst again', () => {
    const limiter = createRateLimiter({ perSecond: 10, burst: 20, clock })
    const granted = (count: number) =>
      Array.from({ length: count }, () => limiter.take('a')).filter((wait) => wait === undefined)
        .length
    expect(granted(30)).toBe(20)
    expect(limiter.take('a')).toBe(100)
    now += 99
    expect(limiter.take('a')).toBe(1)
    now += 1
    expect(granted(5)).toBe(1)
    now += 1_000
    expect(granted(30)).toBe(10)
    now += 3_600_000
    expect(granted(30)).toBe(20)
  })

  test('nobody pays for another', () => {
    const limiter = createRateLimiter({ perSecond: 1, burst: 1, clock })
    expect(limiter.take('a')).toBeUndefined()
    expect(limiter.take('a')).toBe(1_000)
    expect(limiter.take('b')).toBeUndefined()
  })

  test('a clock that is set back locks nobody out', () => {
    const limiter = createRateLimiter({ perSecond: 1, burst: 2, clock })
    limiter.take('a')
    limiter.take('a')
    now -= 86_400_000
    expect(limiter.take('a')).toBeUndefined()
  })

  test('remembers a bounded number of callers', () => {
    const limiter = createRateLimiter({ perSecond: 1, burst: 1, clock })
    for (let caller = 0; caller < 50_000; caller += 1) limiter.take(`from ${caller}`)
    expect(limiter.size).toBe(20_000)
    expect(limiter.take('from 49999')).toBe(1_000)
  })

  test('429 says when to come back; strangers share the allowance of their address', async () => {
    const { serviceUrl } = await serve({ rateLimit: { perSecond: 1, burst: 3 }, clock })
    const statuses: number[] = []
    for (let count = 0; count < 4; count += 1)
      statuses.push((await ask(serviceUrl, 'chains')).status)
    expect(statuses).toEqual([200, 200, 200, 429])
    const refused = await ask(serviceUrl, 'chains')
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(failure.parse(refused.body)).toMatchObject({ code: 201005, statusCode: 429 })
    now += 1_000
    expect((await ask(serviceUrl, 'chains')).status).toBe(200)
  })

  test('each key has its own; guessing keys is slow and costs nobody else', async () => {
    const rateLimit = { perSecond: 1, burst: 2 }
    const { serviceUrl } = await serve({ rateLimit, apiKeys: [key, other], clock })
    const status = async (apiKey: string) =>
      (await ask(serviceUrl, 'chains', {}, { apiKey })).status
    expect([await status('x1'), await status('x2'), await status('x3')]).toEqual([401, 401, 429])
    expect([await status(key), await status(key), await status(key)]).toEqual([200, 200, 429])
    expect(await status(other)).toBe(200)
  })
})

test('native200: every refusal of the API is an envelope at status 200', async () => {
  const { serviceUrl } = await serve({ errorStyle: 'native200', apiKeys: [key] })
  const refused = await ask(serviceUrl, 'chains')
  expect(refused).toMatchObject({
    status: 200,
    body: { success: false, code: 201001, message: expect.stringContaining('apiKey') },
  })
  const without = { ...good(), amount: undefined }
  expect(await ask(serviceUrl, 'firm-quote', without, { apiKey: key })).toMatchObject({
    status: 200,
    body: { success: false, code: 131004, errorMessage: expect.stringContaining('amount') },
  })
  expect(await ask(serviceUrl, 'chains', {}, { apiKey: key })).toMatchObject({
    status: 200,
    body: [{ chain: 'local' }],
  })
})
