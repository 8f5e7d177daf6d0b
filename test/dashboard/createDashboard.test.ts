import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { BallastError, ballastError } from '../../src/core/errors.ts'
import type { ErrorCode } from '../../src/core/errorTable.ts'
import { secret } from '../../src/core/secret.ts'
import { createDashboard, type Dashboard } from '../../src/dashboard/createDashboard.ts'
import type { PlanView } from '../../src/dashboard/planView.ts'
import type {
  AttentionView,
  Health,
  LockView,
  StrategyView,
  SwapStoryView,
  SwapView,
  ValueView,
} from '../../src/dashboard/views.ts'
import { quietQueries } from '../support/noFigures.ts'

const noon = Date.UTC(2026, 4, 4, 12)
const iso = (secondsBefore: number) => new Date(noon - secondsBefore * 1_000).toISOString()
const headers = { host: 'localhost:8787' }

const well: Health = {
  ready: true,
  attention: [],
  mode: 'live',
  sandbox: false,
  chain: 'local',
  chainId: 31337,
  currency: 'ETH',
  timeZone: 'UTC',
  explorer: null,
  wallet: '0x00000000000000000000000000000000000000aa',
  head: { block: 1234, at: iso(2) },
  balances: [{ token: 'USDC', wei: '250000000000', text: '250000' }],
}
const settled: SwapView = {
  id: 'swap-1',
  strategy: 'sell-high',
  state: 'SETTLED',
  reason: '1 WETH brings 3000 USDC, at least 2950 USDC.',
  code: null,
  createdAt: iso(60),
  updatedAt: iso(50),
  sell: { token: 'WETH', wei: '1000000000000000000', text: '1' },
  buy: 'USDC',
  floor: { token: 'USDC', wei: '2950000000', text: '2950' },
  sold: { token: 'WETH', wei: '1000000000000000000', text: '1' },
  received: { token: 'USDC', wei: '2999123456', text: '2999.123456' },
  againstIndicationBps: -2.93,
  checks: { passed: 41, total: 41 },
  gasUsed: '210000',
  gasPaidWei: '2100000000000000',
  txHash: `0x${'ab'.repeat(32)}`,
  block: 1230,
}
const open: SwapView = {
  ...settled,
  id: 'swap-2',
  state: 'SENT',
  sold: null,
  received: null,
  againstIndicationBps: null,
  gasUsed: null,
  gasPaidWei: null,
  block: null,
}
const waiting: StrategyView = {
  name: 'sell-high',
  summary: 'Sells one slice whenever the market pays at least a price.',
  decision: 'wait',
  reason: '1 WETH brings 2900 USDC, below 2950 USDC.',
  decidedAt: iso(3),
  nextAt: iso(-2),
}

const paused: LockView = {
  id: 7,
  kind: 'pause',
  scope: 'pair WETH/USDC',
  code: 'BY_OPERATOR',
  reason: 'the maker quotes <b>nonsense</b>',
  openedAt: iso(120),
  expiresAt: null,
}

const low: AttentionView = {
  ...{ kind: 'gas', code: 'GAS_LOW', severity: 'warning', subject: 'ETH', since: iso(120) },
  ...{ sentence: 'The wallet holds 0.1 ETH.', next: 'Send ETH to the wallet.' },
}
const drift: AttentionView = {
  ...low,
  kind: 'lock',
  code: 'LEDGER_DRIFT',
  sentence: 'A halt holds.',
}

const worth: ValueView = {
  at: iso(30),
  unit: 'USD',
  decimals: 8,
  total: { token: 'USD', wei: '25000000000000', text: '250000' },
  holdings: [
    {
      held: { token: 'USDC', wei: '250000000000', text: '250000' },
      worth: { token: 'USD', wei: '25000000000000', text: '250000' },
    },
  ],
  series: [
    { at: iso(3_600), total: { token: 'USD', wei: '24000000000000', text: '240000' } },
    { at: iso(30), total: { token: 'USD', wei: '25000000000000', text: '250000' } },
  ],
}

const usdcOf = (text: string, wei: string) => ({ token: 'USDC', wei, text })
const told: SwapStoryView = {
  steps: [{ at: iso(0), step: 'planned', text: 'to sell 1 WETH' }],
  checks: [
    { name: 'verify.router', ok: true, expected: '0x1', actual: '0x1' },
    { name: 'verify.floor', ok: false, expected: 'at least 2 USDC', actual: '1 USDC' },
  ],
  prices: [
    { name: 'Indication when it was decided', amount: usdcOf('3000', '3000000000') },
    { name: 'Firm quote', amount: usdcOf('2999.5', '2999500000') },
    { name: 'Received', amount: usdcOf('2999.5', '2999500000') },
  ],
  minimum: usdcOf('2995', '2995000000'),
  source: 'maker-a',
  attempts: [
    {
      ...{ kind: 'SWAP', hash: `0x${'cd'.repeat(32)}`, nonce: 7, maxFeeWei: '1000000017' },
      ...{ signedAt: iso(0), verdict: 'accepted', answer: 'accepted' },
    },
  ],
}

/** What a person reads of a page. */
const readable = (body: string) =>
  body
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s*\n\s*/g, ' ')
    .replace(/ +/g, ' ')

const running: Dashboard[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((dashboard) => dashboard.close()))
})

function dashboard({
  health = well,
  swaps = [open, settled],
  strategies = [waiting],
  port = 8787,
  hosts = [] as readonly string[],
  locks = [] as readonly LockView[],
  halts = [] as string[],
  haltFails = undefined as Error | undefined,
  fail = undefined as Error | undefined,
  plan = weekly as PlanView | null,
  planFails = undefined as Error | undefined,
  storyFails = undefined as Error | undefined,
} = {}) {
  const made = createDashboard({
    queries: {
      ...quietQueries,
      async coming() {
        if (planFails !== undefined) throw planFails
        return plan
      },
      value: async () => worth,
      async story(id) {
        if (storyFails !== undefined) throw storyFails
        return swaps.some((swap) => swap.id === id) ? told : undefined
      },
      swaps: async ({ limit, before }) => {
        if (fail !== undefined) throw fail
        const from = before === undefined ? 0 : swaps.findIndex(({ id }) => id === before) + 1
        return swaps.slice(from, from + limit)
      },
      swap: async (id) => swaps.find((swap) => swap.id === id),
      strategies: async () => strategies,
      locks: async () => locks,
      async plan(spanMs) {
        if (planFails !== undefined) throw planFails
        return { ...weekly, until: new Date(noon + spanMs).toISOString() }
      },
    },
    halt: async ({ reason }) => {
      if (haltFails !== undefined) throw haltFails
      halts.push(reason)
      return { ...paused, kind: 'halt', reason }
    },
    health: async () => health,
    clock: { now: () => noon, sleep: async () => {} },
    host: '127.0.0.1',
    port,
    hosts,
  })
  running.push(made)
  return made
}

const usdc = { token: 'USDC', wei: '500000000', text: '500' }
const weekly: PlanView = {
  from: iso(0),
  until: iso(0),
  strategies: [
    {
      name: 'weekly',
      summary: 'Sells a slice at every slot.',
      schedule: '0 9 * * 1 in Europe/Berlin',
      jitterSeconds: null,
      facts: [],
      slots: 2,
      plannedUntil: null,
      asks: [
        {
          at: iso(-3_600),
          local: 'Mon 4 May 2026 15:00 +02:00',
          clocks: null,
          kind: 'blocked',
          reason: '',
          swaps: [
            {
              sell: usdc,
              buy: 'WETH',
              floor: null,
              recipient: null,
              received: null,
              impactBps: null,
              gas: null,
              soldSoFar: usdc,
              blockedBy: ['per-day'],
            },
          ],
        },
      ],
    },
  ],
  months: [],
  blocks: [],
  unknown: [],
}

describe('the plan', () => {
  test('its next slots are on the page, with what stands in the way', async () => {
    const { body } = await get('/', { strategies: [{ ...waiting, name: 'weekly' }] })
    for (const piece of ["at today's prices: sell 500 USDC for WETH", 'blocked: per-day'])
      expect(readable(body)).toContain(piece)
  })

  test('one that is being made keeps no page waiting', async () => {
    const { statusCode, body } = await get('/', { plan: null })
    expect(statusCode).toBe(200)
    expect(readable(body)).toContain('sell-high')
    expect(readable(body)).toContain('Next slot in 2 s .')
  })

  test('one that cannot be made takes nothing else off the page', async () => {
    const refusal = { code: 'X', remedy: 'skip', fault: 'upstream' } as const
    const planFails = new BallastError('The chain is away.', refusal)
    const { statusCode, body } = await get('/', { planFails })
    expect(statusCode).toBe(200)
    expect(body).toContain('No plan: The chain is away.')
    expect(body).toContain('sell-high')
    expect((await get('/api/plan', { planFails })).statusCode).toBe(503)
  })

  test('is asked for as long as wanted, a week otherwise', async () => {
    const days = async (url: string) =>
      (Date.parse((await get(url)).json().until) - noon) / 86_400_000
    expect(await days('/api/plan')).toBe(7)
    expect(await days('/api/plan?next=90d')).toBe(90)
    const refused = await get('/api/plan?next=90')
    expect(refused.statusCode).toBe(400)
    expect(refused.json().error.message).toContain("'90' has no unit")
  })
})

const get = (url: string, options?: Parameters<typeof dashboard>[0]) =>
  dashboard(options).app.inject({ url, headers })

describe('the page', () => {
  test('says how it is, what it thinks and what it did', async () => {
    const { statusCode, body, headers: answered } = await get('/')
    expect(statusCode).toBe(200)
    expect(answered['content-type']).toBe('text/html; charset=utf-8')
    for (const piece of [
      'local (31337)',
      'RUNNING last look 3 s ago',
      '1234',
      '2 s ago',
      '250\u202f000 USDC',
      '250\u202f000.00 USD',
      '100.00 %',
      '1 WETH brings 2900 USDC, below 2950 USDC.',
      'Next slot in 2 s',
      'SENT',
    ])
      expect(readable(body)).toContain(piece)
    expect(body).not.toContain('Synthetic')
  })

  test('labels the embedded market and names its problems', async () => {
    const health = { ...well, sandbox: true, ready: false, attention: [drift, low] }
    const { body } = await get('/', { health })
    expect(body).toContain('<strong>Synthetic prices.</strong>')
    expect(body.replace(/<[^>]+>/g, '')).toContain(
      'The wallet holds 0.1 ETH. (GAS_LOW, since 2 min ago) Send ETH to the wallet.',
    )
    // It has a banner of its own.
    expect(body).not.toContain('A halt holds.')
    expect(readable(body)).toContain('NEEDS ATTENTION')
  })

  test('is readable before anything happened', async () => {
    const { body } = await get('/', {
      swaps: [],
      strategies: [],
      health: { ...well, head: null, balances: [] },
    })
    expect(body).toContain('No swap has settled yet.')
    expect(body).toContain('No strategy is configured.')
    expect(readable(body)).toContain('head block not known')
  })

  test('hostile text stays text, on every page', async () => {
    const evil = '"><script>alert(1)</script>'
    const swap = { ...settled, strategy: evil, reason: evil, state: evil, txHash: evil, buy: evil }
    const options = {
      swaps: [{ ...swap, code: evil, sold: { token: evil, wei: '1', text: evil } }],
      strategies: [{ ...waiting, name: evil, summary: evil, reason: evil }],
      health: {
        ...well,
        chain: evil,
        wallet: evil,
        attention: [{ ...low, code: evil, sentence: evil, next: evil }],
      },
    }
    for (const url of ['/', '/swaps/swap-1']) {
      const { body } = await get(url, options)
      expect(body).toContain('&quot;&gt;&lt;script&gt;')
      expect(body.split('<script').length).toBe(2)
      expect(body).not.toContain('alert(1)</script>')
    }
  })

  test('a swap has its own page, with amounts in full', async () => {
    const { body } = await get('/swaps/swap-1')
    expect(body).toContain('2999.123456 USDC')
    expect(body).toContain('41 of 41 passed')
    expect(body).toContain(`<code>${settled.txHash}</code>`)
  })

  test('and its story: each price on the way, what happened, every check, what was signed', async () => {
    const text = readable((await get('/swaps/swap-1')).body)
    for (const piece of [
      'Indication when it was decided 3\u202f000 USDC –',
      'Firm quote 2\u202f999.5 USDC −1.66 bps',
      'Received 2\u202f999.5 USDC 0.00 bps',
      'At least 2\u202f995 USDC must arrive',
      '12:00:00.000 UTC planned to sell 1 WETH',
      '1 of 2 passed',
      'verify.floor no at least 2 USDC 1 USDC',
      'SWAP 7 2026-05-04T12:00:00.000Z 1000000017 wei accepted',
    ])
      expect(text).toContain(piece)
    expect((await get('/api/swaps/swap-1/story')).json()).toEqual(told)
    expect((await get('/api/swaps/none/story')).statusCode).toBe(404)
  })

  test('a story that an archive has takes nothing else off the page', async () => {
    const storyFails = new BallastError('The archive a.db is missing.', {
      ...{ code: 'ARCHIVE_MISSING', remedy: 'halt', fault: 'usage' },
    })
    const { statusCode, body } = await get('/swaps/swap-1', { storyFails })
    expect(statusCode).toBe(200)
    expect(body).toContain('cannot be shown: The archive a.db is missing.')
    expect(body).toContain('2999.123456 USDC')
  })

  test('older swaps are one link away', async () => {
    const { body } = await get('/swaps?limit=1')
    expect(body).toContain('href="/swaps?before=swap-2"')
    expect((await get('/swaps?limit=2&before=swap-1')).body).not.toContain('Older swaps')
  })
})

describe('the API', () => {
  test('gives the data as it is', async () => {
    expect((await get('/api/health')).json()).toEqual({ ok: true, ...well })
    expect((await get('/api/swaps?limit=1&before=swap-2')).json()).toEqual([settled])
    expect((await get('/api/swaps/swap-1')).json()).toEqual(settled)
    expect((await get('/api/strategies')).json()).toEqual([waiting])
  })

  test.each(['/readyz', '/api/ready'])('%s is 503 with codes and reasons', async (url) => {
    const health = { ...well, ready: false, attention: [drift, low, low] }
    const answer = await get(url, { health })
    expect([answer.statusCode, answer.json()]).toEqual([
      503,
      {
        ready: false,
        codes: ['LEDGER_DRIFT', 'GAS_LOW'],
        problems: ['A halt holds.', low.sentence, low.sentence],
      },
    ])
    expect((await get(url)).statusCode).toBe(200)
  })

  test('/healthz: alive, whatever else is wrong', async () => {
    const made = dashboard({ fail: new Error('away') })
    const answer = await made.app.inject({ url: '/healthz', headers })
    expect([answer.statusCode, answer.json()]).toEqual([200, { ok: true }])
    const other = await made.app.inject({ url: '/healthz', headers: { host: 'evil.example' } })
    expect([other.statusCode, other.json().error.code]).toEqual([421, 'UNKNOWN_HOST'])
  })

  test.each([
    ['/api/swaps/none', 404, 'NOT_FOUND'],
    ['/api/nothing', 404, 'NOT_FOUND'],
    ['/api/swaps?limit=0', 400, 'USAGE'],
    ['/api/swaps?limit=9999', 400, 'USAGE'],
    ['/api/swaps?before=../../x', 400, 'USAGE'],
    ['/api/swaps/%00', 400, 'USAGE'],
    ['/api/swaps/%ff', 400, 'USAGE'],
  ])('%s is %i %s', async (url, status, code) => {
    const answer = await get(url)
    expect([answer.statusCode, answer.json().error.code]).toEqual([status, code])
  })

  test('a failure of ours is told without its secrets, another one not at all', async () => {
    const key = secret('correct-horse-battery').reveal()
    const ours = new BallastError(`No answer with ${key}.`, {
      code: 'UNREACHABLE',
      remedy: 'retry',
      fault: 'upstream',
      facts: { key, tries: 3 },
    })
    const told = await get('/api/swaps', { fail: ours })
    expect([told.statusCode, told.json()]).toEqual([
      503,
      {
        error: {
          code: 'UNREACHABLE',
          message: 'No answer with [secret].',
          facts: { key: '[secret]', tries: '3' },
          remedy: 'retry',
        },
      },
    ])
    const other = await get('/api/swaps', { fail: new Error(`SELECT ${key}`) })
    expect([other.statusCode, other.json().error.message]).toEqual([
      500,
      'Something unexpected happened.',
    ])
  })
})

describe('defences', () => {
  test.each([
    'localhost:8787',
    '127.0.0.1:8787',
    '[::1]:8787',
    'LOCALHOST:8787',
    'bot.example:443',
  ])('answers as %s', async (host) => {
    const { app } = dashboard({ hosts: ['bot.example:443'] })
    expect((await app.inject({ url: '/api/ready', headers: { host } })).statusCode).toBe(200)
  })

  test.each([
    'evil.example',
    'evil.example:8787',
    'localhost',
    'localhost:80',
    'localhost:8787.evil.example',
    '127.0.0.1.nip.io:8787',
    '',
  ])('turns away a request for %o', async (host) => {
    for (const url of ['/', '/api/swaps', '/favicon.svg', '/none']) {
      const answer = await dashboard().app.inject({ url, headers: { host } })
      expect(answer.statusCode).toBe(421)
      expect(answer.body).not.toContain('WETH')
    }
  })

  test('every answer forbids scripts, framing, sniffing and sharing', async () => {
    for (const url of ['/', '/api/swaps', '/none']) {
      const answered = (await get(url)).headers
      expect(answered).toMatchObject({
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      expect(answered['content-security-policy']).toMatch(
        /^default-src 'none'; .*frame-ancestors 'none'$/,
      )
      expect(Object.keys(answered).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  test('the script is the one the policy names, and reads from here alone', async () => {
    const { body, headers: answered } = await get('/')
    const script = /<script>([\s\S]*)<\/script>/.exec(body)?.[1] ?? ''
    const hash = createHash('sha256').update(script).digest('base64')
    const policy = answered['content-security-policy']
    expect(policy).toContain(`script-src 'sha256-${hash}';`)
    expect(policy).toContain("connect-src 'self';")
    expect(policy).not.toContain('unsafe')
    expect(body).not.toMatch(/ on\w+="/)
  })

  test('the style sheet is the one the policy names', async () => {
    const { body, headers: answered } = await get('/')
    const sheet = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? ''
    const hash = createHash('sha256').update(sheet).digest('base64')
    expect(answered['content-security-policy']).toContain(`style-src 'sha256-${hash}'`)
    expect(body).not.toMatch(/ style="/)
  })

  test.each(['POST', 'PUT', 'DELETE', 'PATCH'] as const)(
    'nothing answers to %s',
    async (method) => {
      const answer = await dashboard().app.inject({ method, url: '/api/swaps', headers })
      expect(answer.statusCode).toBe(404)
    },
  )

  test('has an icon', async () => {
    const icon = await get('/favicon.svg')
    expect([icon.statusCode, icon.headers['content-type']]).toEqual([200, 'image/svg+xml'])
  })
})

test('a bot that is locked is not called ready', async () => {
  expect(readable((await get('/')).body)).toContain('RUNNING')
  const shown = readable((await get('/', { locks: [paused] })).body)
  expect(shown).toContain('LOCKED')
  expect(shown).not.toContain('RUNNING')
})

describe('locks', () => {
  test('are a banner on every page and a list in the API', async () => {
    for (const url of ['/', '/swaps/swap-1']) {
      const { body } = await get(url, { locks: [paused] })
      expect(body).toContain('pause pair WETH/USDC: the maker quotes &lt;b&gt;nonsense&lt;/b&gt;')
      expect(body).toMatch(/2 min ago<.time>, until ballast resume/)
      expect((await get(url)).body).not.toContain('<strong>Locked')
    }
    expect((await get('/api/locks', { locks: [paused] })).json()).toEqual([paused])
  })
  test('of a dispute and of a drift stand there with their codes', async () => {
    const codes = ['SWAP_DISPUTED', 'PRICE_DRIFT']
    const locks = codes.map((code) => ({ ...paused, kind: 'breaker' as const, code }))
    const { body } = await get('/', { locks })
    for (const code of codes) expect(body).toContain(`(${code}, lock`)
  })
})

describe('POST /api/halt', () => {
  const post = async (
    given: Record<string, string>,
    payload: string = JSON.stringify({ reason: 'smoke' }),
  ) => {
    const halts: string[] = []
    const answer = await dashboard({ halts }).app.inject({
      method: 'POST',
      url: '/api/halt',
      headers: { ...headers, 'content-type': 'application/json', ...given },
      payload,
    })
    return { status: answer.statusCode, body: answer.json(), halts }
  }

  test.each<[code: ErrorCode, says: RegExp]>([
    ['JOURNAL_UNREACHABLE', /NOTHING WAS HALTED: create a file HALT/],
    ['COMMIT_UNKNOWN', /IT MAY NOT BE HALTED: create a file HALT/],
  ])('a halt that ends with %s says what is known of it', async (code, says) => {
    const answer = await dashboard({ haltFails: ballastError(code, 'So it is.') }).app.inject({
      ...{ method: 'POST', url: '/api/halt', headers },
    })
    expect(answer.statusCode).toBe(503)
    expect(answer.json().error.message).toMatch(says)
  })

  test('a program on this machine and our own page may halt', async () => {
    const own = { origin: 'http://localhost:8787', 'sec-fetch-site': 'same-origin' }
    // A proxy that brings TLS sends the host that we are known by, and leaves the origin as it is.
    const proxied = { origin: 'https://ballast.example', 'sec-fetch-site': 'same-origin' }
    for (const given of [{}, own, proxied]) {
      const { status, body, halts } = await post(given)
      expect([status, halts]).toEqual([200, ['smoke']])
      expect(body).toMatchObject({ halted: true, lock: { kind: 'halt', reason: 'smoke' } })
    }
  })

  test.each([
    ['another site', { origin: 'http://evil.example' }, 403, 'FOREIGN_ORIGIN'],
    ['a page of no site', { origin: 'null' }, 403, 'FOREIGN_ORIGIN'],
    ['another port of this machine', { origin: 'http://localhost:3000' }, 403, 'FOREIGN_ORIGIN'],
    [
      'a page that says it crosses sites',
      { 'sec-fetch-site': 'cross-site' },
      403,
      'FOREIGN_ORIGIN',
    ],
    [
      'a page of the same site, another origin',
      { 'sec-fetch-site': 'same-site' },
      403,
      'FOREIGN_ORIGIN',
    ],
    ['a name that is not ours', { host: 'evil.example' }, 421, 'UNKNOWN_HOST'],
    [
      'a form of our own page',
      { origin: 'http://localhost:8787', 'content-type': 'application/x-www-form-urlencoded' },
      415,
      'USAGE',
    ],
    [
      'plain text of a browser',
      { 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' },
      415,
      'USAGE',
    ],
  ])('%s may not, and is told that nothing was halted', async (_, given, status, code) => {
    for (const payload of [JSON.stringify({ reason: 'smoke' }), '{', '']) {
      const answer = await post(given, payload)
      expect(answer.halts).toEqual([])
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.body.error.message).toMatch(/NOTHING WAS HALTED: send POST \/api\/halt without/)
    }
    const refused = await post(given)
    expect([refused.status, refused.body.error.code]).toEqual([status, code])
  })

  const bodies = [
    ['no reason', '{}'],
    ['an empty reason', '{"reason":"  "}'],
    ['anything else to change', '{"reason":"x","release":true}'],
    ['no JSON', 'reason=x'],
    ['half of some JSON', '{"reason'],
    ['more than is read', `{"reason":"${'x'.repeat(2_000)}"}`],
  ] as const

  test.each(bodies)('%s: our own page is refused, a program halts', async (_, payload) => {
    const page = await post({ origin: 'http://localhost:8787' }, payload)
    expect([page.status >= 400, page.halts]).toEqual([true, []])
    expect(page.body.error.message).toContain('NOTHING WAS HALTED')
    for (const type of ['application/json', 'text/plain', 'multipart/form-data', 'nonsense', '']) {
      const program = await post({ 'content-type': type }, payload)
      expect([program.status, program.halts]).toEqual([200, ['by API']])
    }
  })

  test('a bare request halts', async () => {
    const halts: string[] = []
    const answer = await dashboard({ halts }).app.inject({
      method: 'POST',
      url: '/api/halt',
      headers,
    })
    expect([answer.statusCode, halts]).toEqual([200, ['by API']])
    expect(answer.json()).toMatchObject({ halted: true })
  })
})

describe('listen', () => {
  test('answers on the network under its own name', async () => {
    const { url } = await dashboard({ port: 0 }).listen()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const answer = await fetch(`${url}/api/ready`)
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { ready: true, codes: [], problems: [] },
    ])
  })

  test('a port in use is one sentence', async () => {
    const { url } = await dashboard({ port: 0 }).listen()
    const port = Number(new URL(url).port)
    await expect(dashboard({ port }).listen()).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      fault: 'usage',
      summary: `Port ${port} is in use: stop the other program or set another port for the dashboard.`,
    })
  })
})
