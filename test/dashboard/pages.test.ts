import { afterEach, describe, expect, test } from 'vitest'
import { ballastError } from '../../src/core/errors.ts'
import { gapLine } from '../../src/dashboard/charts.ts'
import { createDashboard, type Dashboard } from '../../src/dashboard/createDashboard.ts'
import type { Queries } from '../../src/dashboard/queries.ts'
import type {
  AuditView,
  CalendarView,
  Health,
  PastLockView,
  SeenMarketView,
  StrategyDetailView,
  SwapView,
} from '../../src/dashboard/views.ts'
import { quietHealth, quietQueries } from '../support/noFigures.ts'

const noon = Date.UTC(2026, 4, 4, 12)
const iso = (secondsBefore: number) => new Date(noon - secondsBefore * 1_000).toISOString()
const headers = { host: 'localhost:8787' }

/** What a hostile service, token, strategy or person may be called, or say. */
const hostile = `<img src=x onerror="alert(1)">'\u202e\`</script><script>alert(2)</script>`

const health: Health = {
  ...{ ready: false, mode: 'live', sandbox: false, chain: hostile },
  ...{ chainId: 1, currency: 'ETH', timeZone: 'Europe/Berlin', wallet: '0xaa' },
  ...{ explorer: 'https://explorer.example', head: { block: 77, at: iso(12) } },
  attention: [
    {
      ...{ kind: 'gas', code: 'GAS_LOW', severity: 'warning', subject: hostile, since: iso(600) },
      ...{ sentence: 'The gas lasts for 3 swaps.', next: 'send coins to the wallet' },
    },
  ],
  balances: [{ token: 'ETH', wei: '1500000000000000000', text: '1.5' }],
}
const usdc = (text: string) => ({ token: 'USDC', wei: `${text}000000`, text })
const weth = { token: hostile, wei: '1000000000000000000', text: '1' }
const swap: SwapView = {
  ...{ id: 'swap-1', strategy: hostile, state: 'SETTLED', reason: hostile, code: hostile },
  ...{ createdAt: iso(60), updatedAt: iso(50), sell: weth, buy: 'USDC', floor: usdc('2950') },
  ...{ sold: weth, received: usdc('2999'), againstIndicationBps: 1, checks: null, gasUsed: '1' },
  ...{ gasPaidWei: '1', txHash: `0x${'ab'.repeat(32)}`, block: 7 },
}
const strategy: StrategyDetailView = {
  ...{ name: hostile, summary: hostile, decision: 'swap', reason: hostile },
  ...{ decidedAt: iso(3), nextAt: iso(-2), older: 41 },
  budgets: [{ name: 'params.budget', used: usdc('1500'), most: usdc('6000') }],
  chart: {
    ...{ sell: hostile, buy: 'USDC' },
    points: [
      { at: iso(60), rate: 2_990 },
      { at: iso(3), rate: 3_010 },
    ],
    references: [
      { at: iso(60), rate: 2_991 },
      { at: iso(3), rate: 3_009 },
    ],
    bounds: [
      { name: hostile, rate: 3_000 },
      { name: 'params.price', rate: 9_000 },
    ],
    marks: [{ at: iso(30), rate: 3_001, kind: 'fill' }],
  },
  totals: [false, true].map((recovered) => ({
    ...{ sold: weth, received: usdc('2999'), swaps: recovered ? 1 : 3, recovered },
  })),
  decisions: [
    {
      ...{ number: 42, at: iso(9), lastAt: iso(3), looks: 4, decided: 'wait', reason: hostile },
      refused: [{ code: 'POLICY_PER_DAY', reason: hostile }],
    },
  ],
  versions: [{ hash: 'c0ffee'.repeat(10), since: iso(90), params: `{"note":"${'x'.repeat(9)}"}` }],
  undone: [{ at: iso(600), slots: 2, state: 'missed', reason: hostile }],
}
const lock: PastLockView = {
  ...{ id: 3, kind: 'halt', scope: 'all', code: 'BY_API', reason: hostile, openedAt: iso(99) },
  ...{ expiresAt: null, releasedAt: iso(9), releasedReason: hostile },
  ...{ openedBy: 'operator’s token', releasedBy: hostile },
}
const calendar: CalendarView = {
  ...{ month: '2026-05', timeZone: 'Europe/Berlin', today: '2026-05-02', isCut: true },
  days: ['2026-05-01', '2026-05-02'].map((date, index) => ({
    ...{ date, from: `${date}T00:00:00.000Z` },
    strategies:
      index === 0
        ? []
        : [{ strategy: hostile, settled: 5, done: 4, passed: 3, missed: 2, failed: 1, planned: 6 }],
  })),
}
const market: SeenMarketView = {
  ...{ strategy: hostile, at: iso(3), sell: weth, brings: usdc('2999'), price: hostile },
  ...{ route: [hostile], reference: hostile, levels: [{ sell: weth, brings: usdc('2998') }] },
  gaps: [
    { at: iso(9), bps: -2 },
    { at: iso(3), bps: 1.25 },
  ],
}
const audit: AuditView = {
  head: { seq: 9, hash: 'f'.repeat(64) },
  entries: [
    { seq: 9, at: iso(1), type: 'SETTLED', of: 'swap-1', hash: 'f'.repeat(64), follows: true },
    { seq: 8, at: iso(2), type: 'LOCK_OPENED', of: 'lock 3', hash: 'e'.repeat(64), follows: false },
  ],
  older: 8,
  reconciled: { at: iso(60), block: 77, seq: 5 },
}

const queries: Queries = {
  ...quietQueries,
  swaps: async () => [swap],
  swap: async (id) => ({ ...swap, id }),
  quote: async (id) => (id === 'swap-1' ? `{"from":"${id}"}` : undefined),
  strategies: async () => [strategy],
  locks: async () => [lock],
  plan: async () => ({ ...(await quietQueries.coming()) }) as never,
  strategy: async (name) => (name === 'gone' ? undefined : strategy),
  limits: async () => [
    { name: `${hostile} in 24 hours`, used: usdc('90'), most: usdc('100') },
    { name: 'nothing allowed', used: usdc('0'), most: { ...usdc('0'), wei: '0' } },
  ],
  targets: async () => [
    { strategy: hostile, token: hostile, shareBps: 5_000, bandBps: 200, nowBps: 5_300 },
    { strategy: 'w', token: 'USDC', shareBps: 5_000, bandBps: 200, nowBps: 4_900 },
    { strategy: 'w', token: 'WBTC', shareBps: 0, bandBps: 0, nowBps: null },
  ],
  fills: async () => [
    { id: 'swap-1', at: iso(5), strategy: hostile, sold: weth, received: usdc('1'), costBps: 3.5 },
    { id: 'swap-2', at: iso(6), strategy: 'a', sold: weth, received: usdc('1'), costBps: null },
  ],
  breakers: async () => [{ code: 'FAILURES', locks: hostile, stands: '1 of 3' }],
  pastLocks: async () => [lock],
  calendar: async () => calendar,
  markets: async () => [market],
  fillers: async () => ({
    from: null,
    makers: [
      {
        ...{ maker: hostile, offered: 5, taken: 4, filled: 3, declined: 1, faded: 0 },
        overMiddleBps: -1.5,
      },
    ],
    execution: [
      {
        ...{ strategy: hostile, sell: hostile, buy: 'USDC', swaps: 7, received: usdc('21') },
        ...{ cost: { total: usdc('1') }, bps: { total: 4.25 } },
      },
    ],
  }),
  async indication({ sell }) {
    if (sell !== '1 WETH') throw ballastError('UNKNOWN_TOKEN', `There is no ${sell}.`)
    return { at: iso(1), sell: weth, buy: usdc('2999'), price: '2999 USDC per WETH', route: [] }
  },
  audit: async () => audit,
}

const running: Dashboard[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((dashboard) => dashboard.close()))
})

/** Of a bot that has just begun. */
const quiet = {
  health: { ...quietHealth, mode: 'paper', sandbox: true } satisfies Health,
  queries: {
    ...quietQueries,
    swaps: async () => [],
    swap: async () => undefined,
    strategies: async () => [],
    locks: async () => [],
    plan: queries.plan,
    strategy: async () => ({
      ...strategy,
      ...{ name: 'new', summary: 'Buys.', decision: null, reason: null, decidedAt: null },
      ...{ nextAt: null, older: null, budgets: [], chart: null, totals: [], decisions: [] },
      ...{ versions: [], undone: [] },
    }),
  } satisfies Queries,
}

async function get(
  url: string,
  sent: Record<string, string> = {},
  { queries: asked, health: told }: { queries: Queries; health: Health } = { queries, health },
) {
  const made = createDashboard({
    ...{ queries: asked, host: '127.0.0.1', port: 8787, health: async () => told },
    halt: async () => {
      throw new Error('nothing halts here')
    },
    clock: { now: () => noon, sleep: async () => {} },
  })
  running.push(made)
  const answer = await made.app.inject({ url, headers: { ...headers, ...sent } })
  const text = answer.body
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
  const { body, statusCode, headers: came } = answer
  return { body, text, statusCode, headers: came, json: () => answer.json() }
}

const named = encodeURIComponent(hostile)
const everyPage = [
  ...['/', '/swaps', '/swaps/swap-1', `/swaps?strategy=${named.slice(0, 60)}`, '/strategies/any'],
  ...['/market', '/market?sell=1+WETH&buy=USDC', `/market?sell=${named.slice(0, 60)}&buy=x`],
  ...['/calendar', '/calendar?month=2026-02', '/risk', '/audit', '/reports'],
]

describe('hostile names, reasons and query strings', () => {
  test.each(everyPage)('do nothing on %s', async (url) => {
    const { statusCode, body } = await get(url)
    expect(statusCode).toBe(200)
    // Our own script and style are the only ones, and no text is markup.
    expect(body.match(/<script/g)).toHaveLength(1)
    expect(body).not.toMatch(/<img|\u202e/)
    const tags = body.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '').match(/<[a-z][^>]*>/g) ?? []
    // Whatever stands in quotes: no attribute runs anything, and no link leaves for anywhere but the explorer.
    for (const tag of tags) expect(tag.replaceAll(/"[^"]*"/g, '')).not.toMatch(/\son\w+/)
    for (const [, href = ''] of body.matchAll(/href="([^"]*)"/g))
      expect(href).toMatch(/^(?:[/#]|https:\/\/explorer\.example\/)/)
  })

  test.each([
    ['/swaps?outcome=lost', 'outcome'],
    ['/swaps?before=../../etc', 'before'],
    [`/swaps?strategy=${'x'.repeat(65)}`, 'strategy'],
    ['/calendar?month=2026-13', 'month'],
    ['/calendar?month=9999-01', 'month'],
    ['/audit?before=-1', 'before'],
    ['/audit?before=1e999', 'before'],
    ['/strategies/a?before=x', 'before'],
    [`/market?sell=${'9'.repeat(65)}&buy=x`, 'sell'],
    ['/swaps?limit=1&limit=2', 'limit'],
    ['/reports/2026-5', 'month'],
    ['/reports/..%2f..%2fetc', 'month'],
    ['/reports/2026-05/swaps.csv', 'kind'],
  ])('%s is refused by the name of its part', async (url, part) => {
    const { statusCode, text } = await get(url)
    expect([statusCode, text]).toEqual([400, expect.stringContaining(`${part}:`)])
  })

  test('a path out of the pages leads nowhere', async () => {
    for (const url of [
      '/../package.json',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/strategies/gone',
      '/swaps/..%2f..',
    ])
      expect([url, [400, 404].includes((await get(url)).statusCode)]).toEqual([url, true])
  })
})

/** What stands in `element`, without scripts and styles, an element on each line. */
const markupOf = (body: string, element: 'html' | 'main') =>
  (new RegExp(`<${element}[ >][\\s\\S]*</${element}>`).exec(body)?.[0] ?? '')
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, '')
    .replaceAll('><', '>\n<')

/** The frame of all pages is kept with the first of them. */
const keptOf = (name: string) => (name === 'overview' ? 'html' : 'main')

describe('each page is as it was last read by a person', () => {
  const golden = [
    ['overview', '/'],
    ['swaps', '/swaps'],
    ['swap', '/swaps/swap-1'],
    ['strategy', '/strategies/any'],
    ['market', '/market'],
    ['calendar', '/calendar'],
    ['risk', '/risk'],
    ['reports', '/reports'],
    ['audit', '/audit'],
  ] as const
  // `npx vitest run test/dashboard/pages.test.ts -u` writes them anew: read the difference.
  test.each(golden)('%s', async (name, url) => {
    const { body } = await get(url)
    await expect(markupOf(body, keptOf(name))).toMatchFileSnapshot(`golden/${name}.html`)
    const [, current] = /<a href="([^"]*)"[^>]* aria-current="page"/.exec(body) ?? []
    // The pages of one thing are not among the links.
    expect(current).toBe(body.includes(`<a href="${url}" data-go=`) ? url : undefined)
  })

  test.each(golden.filter(([, url]) => !/\?|swap-1/.test(url)))(
    '%s of a bot on paper to which nothing has happened',
    async (name, url) => {
      const { body } = await get(url, {}, quiet)
      await expect(markupOf(body, keptOf(name))).toMatchFileSnapshot(`golden/quiet-${name}.html`)
    },
  )

  test.each([
    ['1 WETH', '1+WETH', ['brings 2 999 USDC', 'Nothing was ordered.']],
    ['an unknown token', '1+XYZ', ['There is no 1 XYZ.']],
  ] as const)('the market is called for the price of %s', async (_, sell, pieces) => {
    const { text } = await get(`/market?sell=${sell}&buy=USDC`)
    for (const piece of pieces) expect(text).toContain(piece)
  })

  test('an address and a hash lead to the explorer of the chain', async () => {
    expect((await get('/swaps/swap-1')).body).toContain(
      `href="https://explorer.example/tx/0x${'ab'.repeat(32)}"`,
    )
    expect((await get('/')).body).toContain('href="https://explorer.example/address/0xaa"')
  })
})

test('what was booked from the chain is a row of its own, and says so', async () => {
  const { body, text } = await get('/strategies/any')
  const keys = [...body.matchAll(/data-key="([^"]*-USDC[^"]*)"/g)].map(([, key]) => key)
  expect(keys).toHaveLength(2)
  expect(new Set(keys).size).toBe(2)
  expect(text.match(/\d Booked from the chain: may be of another strategy\./g)).toEqual([
    '1 Booked from the chain: may be of another strategy.',
  ])
})

test('a line of gaps needs two of them', () => {
  expect(gapLine([{ at: iso(3), bps: 1 }])).toBeUndefined()
})

test('the quote of a swap is given as it came', async () => {
  expect((await get('/api/swaps/swap-1/quote')).json()).toEqual({ from: 'swap-1' })
  expect((await get('/api/swaps/swap-2/quote')).statusCode).toBe(404)
})

test('a month is a document of its own: its style alone, and rows as a file', async () => {
  const page = await get('/reports/2026-05')
  expect([page.statusCode, page.body]).toEqual([200, 'statement of 2026-05'])
  expect(page.headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'/,
  )
  const rows = await get('/reports/2026-05/journal.csv')
  expect([rows.headers['content-type'], rows.headers['content-disposition']]).toEqual([
    ...['text/csv; charset=utf-8', 'attachment; filename="journal-2026-05.csv"'],
  ])
})

test('a page of another site follows a link at most: nothing that programs read, and nothing that costs the bot work', async () => {
  const link = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const image = { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }
  const urls = ['/', '/swaps', '/api/health', '/reports/2026-05', '/market?sell=1+WETH&buy=USDC']
  const statuses = async (sent: Record<string, string>) =>
    Promise.all(urls.map(async (url) => (await get(url, sent)).statusCode))
  for (const site of ['cross-site', 'same-site']) {
    expect(await statuses({ ...link, 'sec-fetch-site': site })).toEqual([200, 200, 403, 403, 403])
    expect(await statuses({ ...image, 'sec-fetch-site': site })).toEqual([403, 403, 403, 403, 403])
    const refused = await get('/api/health', { ...image, 'sec-fetch-site': site })
    expect(refused.json()).toMatchObject({ error: { code: 'FOREIGN_ORIGIN' } })
  }
  for (const site of ['same-origin', 'none'])
    expect(await statuses({ ...image, 'sec-fetch-site': site })).toEqual([200, 200, 200, 200, 200])
})

test('the API describes itself, and every address that it describes answers', async () => {
  const described = (await get('/api/openapi.json')).json()
  expect(described.openapi).toBe('3.1.0')
  const reads = Object.keys(described.paths).filter(
    (path) => 'get' in described.paths[path] && path !== '/api/events',
  )
  expect(reads.length).toBeGreaterThan(15)
  for (const path of reads) {
    const url = path.replace('{id}', 'swap-1').replace('{name}', 'any')
    const needs = path === '/api/indication' ? '?sell=1+WETH&buy=USDC' : ''
    const expected = path === '/api/swaps/{id}/story' ? 404 : 200
    expect([path, (await get(url + needs)).statusCode]).toEqual([path, expected])
  }
  const { parameters } = described.paths['/api/swaps'].get
  expect(parameters.map(({ name }: { name: string }) => name)).toEqual([
    ...['limit', 'before', 'strategy', 'outcome'],
  ])
})
