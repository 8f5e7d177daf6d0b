import { afterEach, describe, expect, test } from 'vitest'
import { secret } from '../../src/core/secret.ts'
import { createDashboard, type Dashboard } from '../../src/dashboard/createDashboard.ts'
import { quietHealth, quietQueries } from '../support/noFigures.ts'

const operator = 'o'.repeat(32)
const viewer = 'v'.repeat(32)
const host = 'localhost:8787'

const running: Dashboard[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close()))
})

/** A dashboard with tokens, at a clock that a test moves. */
function guarded({ viewers = true } = {}) {
  const halts: string[] = []
  const time = { now: Date.UTC(2026, 4, 4, 12) }
  const unused = async () => []
  const made = createDashboard({
    queries: {
      ...quietQueries,
      ...{ swaps: unused, strategies: unused, locks: unused, swap: async () => undefined },
      plan: async () => {
        throw new Error('no plan')
      },
    },
    health: async () => quietHealth,
    async halt({ reason, by }) {
      halts.push(`${reason}, by ${by}`)
      return {
        ...{ id: 1, kind: 'halt', scope: 'all', code: 'BY_API', reason },
        ...{ openedAt: new Date(time.now).toISOString(), expiresAt: null },
      }
    },
    clock: { now: () => time.now, sleep: async () => {} },
    host: '127.0.0.1',
    port: 8787,
    tokens: {
      operator: secret(operator),
      viewer: viewers ? secret(viewer) : undefined,
    },
  })
  running.push(made)
  const send = async (
    method: 'GET' | 'POST',
    url: string,
    headers: Record<string, string> = {},
  ) => {
    const answer = await made.app.inject({ method, url, headers: { host, ...headers } })
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      code: answer.body.startsWith('{"error"') ? answer.json().error.code : undefined,
    }
  }
  return {
    ...{ halts, time },
    get: (url: string, headers?: Record<string, string>) => send('GET', url, headers),
    halt: (headers?: Record<string, string>) => send('POST', '/api/halt', headers),
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a dashboard with tokens', () => {
  test('shows nothing without one, whatever the path and the address', async () => {
    const { get } = guarded()
    for (const url of ['/', '/swaps/x', '/favicon.svg', '/none', '/?limit=1']) {
      const { status, text } = await get(url)
      expect([url, status]).toEqual([url, 401])
      expect(text).not.toContain('local (31337)')
    }
    for (const url of ['/healthz', '/readyz', '/metrics', '/api/health', '/api/ready', '/api/halt'])
      expect(await get(url)).toMatchObject({ status: 401, code: 'ACCESS_DENIED' })
  })

  test.each([
    ['another', 'w'.repeat(32)],
    ['a shorter', viewer.slice(1)],
    ['a longer', `${viewer}v`],
    ['none', ''],
  ])('refuses %s token', async (_, token) => {
    expect((await guarded().get('/api/ready', bearer(token))).status).toBe(401)
  })

  test('shows everything to viewers and operators', async () => {
    for (const token of [operator, viewer])
      for (const url of ['/', '/api/health', '/api/swaps', '/favicon.svg'])
        expect((await guarded().get(url, bearer(token))).status).toBe(200)
  })

  test('halts for the operator alone, and says what else does', async () => {
    const { halt, halts } = guarded()
    const byFile =
      'NOTHING WAS HALTED: create a file HALT beside the database, or beside ballast.yaml where that is a server.'
    for (const [headers, status, code] of [
      [{}, 401, 'ACCESS_DENIED'],
      [bearer('w'.repeat(32)), 401, 'ACCESS_DENIED'],
      [bearer(viewer), 403, 'OPERATOR_ONLY'],
    ] as const) {
      const answer = await halt(headers)
      expect(answer).toMatchObject({ status, code })
      expect(answer.text).toContain(byFile)
    }
    expect(halts).toEqual([])
    expect((await halt(bearer(operator))).status).toBe(200)
    expect(halts).toEqual(["by API, by operator's token from 127.0.0.1"])
  })

  test('stays closed to pages of other sites and unknown names, with every token', async () => {
    const { halt, get, halts } = guarded()
    expect((await halt({ ...bearer(operator), origin: 'http://evil.example' })).status).toBe(403)
    expect((await get('/', { ...bearer(operator), host: 'evil.example' })).status).toBe(421)
    expect(halts).toEqual([])
  })
})

describe('a browser', () => {
  const cookieOf = async (token: string, { get } = guarded()) => {
    const answer = await get(`/?token=${token}`)
    return { answer, cookie: String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? '', get }
  }

  test('exchanges a token for a cookie that no script and no other site can use', async () => {
    const { answer, cookie, get } = await cookieOf(viewer)
    expect([answer.status, answer.headers.location, answer.text]).toEqual([303, '/', ''])
    expect(String(answer.headers['set-cookie'])).toMatch(
      /^ballast-8787=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    expect(cookie).not.toContain(viewer)
    expect((await get('/', { cookie: `other=1; ${cookie}` })).status).toBe(200)
  })

  test('has the rights of its token', async () => {
    const door = guarded()
    const { cookie } = await cookieOf(viewer, door)
    expect(await door.halt({ cookie })).toMatchObject({ status: 403, code: 'OPERATOR_ONLY' })
    const { cookie: own } = await cookieOf(operator, door)
    expect((await door.halt({ cookie: own })).status).toBe(200)
  })

  test('gets none for a wrong token, and none of another process is good', async () => {
    const { answer } = await cookieOf('w'.repeat(32))
    expect([answer.status, answer.headers['set-cookie']]).toEqual([401, undefined])
    const { cookie } = await cookieOf(operator)
    const { get } = guarded()
    expect((await get('/', { cookie })).status).toBe(401)
    expect((await get('/', { cookie: 'ballast-8787=zz' })).status).toBe(401)
  })
})

test('ten wrong tokens of an address: no other wrong one is answered, and the right one halts', async () => {
  const { get, halt, halts, time } = guarded()
  const wrong = (n: number) => bearer(`${n}`.padStart(32, 'x'))
  for (let n = 0; n < 10; n++) expect((await get('/api/ready', wrong(n))).status).toBe(401)
  const limited = { status: 429, code: 'ACCESS_LIMITED' }
  expect(await get('/api/ready', wrong(10))).toMatchObject(limited)
  expect((await halt(wrong(11))).status).toBe(429)
  expect(halts).toEqual([])
  // All clients of a proxy have one address, and any page of the web can send wrong ones.
  expect((await get('/api/ready', bearer(viewer))).status).toBe(200)
  expect((await halt(bearer(operator))).status).toBe(200)
  expect(halts).toHaveLength(1)
  time.now += 60_000
  expect((await get('/api/ready', wrong(12))).status).toBe(401)
})

test('no page of another site logs a browser in', async () => {
  const { get } = guarded()
  const link = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  for (const path of [`/?token=${viewer}`, `/?x=1&token=${viewer}`]) {
    expect((await get(path, { ...link, 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await get(path, { ...link, 'sec-fetch-site': 'none' })).status).not.toBe(403)
  }
})

test('without viewers there is one token', async () => {
  const { get } = guarded({ viewers: false })
  expect((await get('/api/ready', bearer(viewer))).status).toBe(401)
  expect((await get('/api/ready', bearer(operator))).status).toBe(200)
})
