import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { formatDecimal } from '../../src/core/decimal.ts'
import { createDashboard } from '../../src/dashboard/createDashboard.ts'
import { createFeed } from '../../src/dashboard/createFeed.ts'
import type { Queries } from '../../src/dashboard/queries.ts'
import { worthNow } from '../../src/dashboard/valueCard.ts'
import type { ValueView } from '../../src/dashboard/views.ts'
import { waterfallParts } from '../../src/dashboard/waterfall.ts'
import { quietQueries } from '../support/noFigures.ts'

const closing: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((one) => one.close()))
})

async function listen(newest: Queries['newest'], clock = systemClock) {
  const dashboard = createDashboard({
    queries: {
      ...quietQueries,
      newest,
      swaps: async () => [],
      swap: async () => undefined,
      strategies: async () => [],
      locks: async () => [],
      plan: async () =>
        ({ until: '', strategies: [], months: [], blocks: [], unknown: [] }) as never,
    },
    halt: async () => ({}) as never,
    health: async () => ({}) as never,
    clock,
    host: '127.0.0.1',
    port: 0,
    hosts: [],
  })
  closing.push(dashboard)
  return (await dashboard.listen()).url
}

/** The ids of the events of a stream, as they come. */
async function follow(url: string, headers: Record<string, string> = {}) {
  const over = new AbortController()
  const answer = await fetch(`${url}/api/events`, { headers, signal: over.signal })
  const ids: string[] = []
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of answer.body ?? [])
      ids.push(...[...decoder.decode(chunk).matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? ''))
  })().catch(() => undefined)
  return { answer, ids, end: () => over.abort() }
}

test('a stream tells each new entry of the log, and nothing that its reader knows', async () => {
  let seq = 5
  const url = await listen(async () => seq)
  const stream = await follow(url, { 'last-event-id': '5' })
  expect(stream.answer.headers.get('content-type')).toBe('text/event-stream')
  expect(stream.answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  const fresh = await follow(url)
  await expect.poll(() => fresh.ids, { timeout: 10_000 }).toEqual(['5'])
  expect(stream.ids).toEqual([])
  seq = 6
  await expect.poll(() => [stream.ids, fresh.ids], { timeout: 10_000 }).toEqual([['6'], ['5', '6']])
  stream.end()
  fresh.end()
})

test('a silent stream gives signs of life, so that a proxy keeps it', async () => {
  const fast: typeof systemClock = {
    now: systemClock.now,
    sleep: (ms, signal) => systemClock.sleep(ms / 1_000, signal),
  }
  const url = await listen(async () => 1, fast)
  const { body } = await fetch(`${url}/api/events`)
  let text = ''
  for await (const chunk of body ?? []) {
    text += new TextDecoder().decode(chunk)
    if ((text.match(/^:$/gm)?.length ?? 0) >= 3) break
  }
  expect(text.match(/^id: 1$/gm)).toHaveLength(1)
})

test('one reader too many is refused with a code, and a place that is left is free', async () => {
  const url = await listen(async () => 1)
  const streams = await Promise.all(Array.from({ length: 64 }, () => follow(url)))
  const refused = await fetch(`${url}/api/events`)
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ error: { code: 'TOO_MANY_READERS' } })
  streams[0]?.end()
  const again = async () => {
    const stream = await follow(url)
    if (stream.answer.status === 200) streams.push(stream)
    else stream.end()
    return stream.answer.status
  }
  await expect.poll(again, { timeout: 10_000 }).toBe(200)
  for (const { end } of streams) end()
})

test("a page of another site takes no reader's place", async () => {
  const url = await listen(async () => 1)
  for (const site of ['cross-site', 'same-site', 'none']) {
    const { answer } = await follow(url, { 'sec-fetch-site': site })
    expect(answer.status).toBe(403)
  }
  const own = await follow(url, { 'sec-fetch-site': 'same-origin' })
  expect(own.answer.status).toBe(200)
  own.end()
})

test('the log is looked at for all followers together, and for nobody not at all', async () => {
  let [looks, seq] = [0, 1]
  let wake = () => {}
  const feed = createFeed({
    newest: async () => {
      looks += 1
      return seq
    },
    clock: {
      now: () => 0,
      sleep: (_ms, signal) =>
        new Promise<void>((resolve, reject) => {
          wake = resolve
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
        }),
    },
  })
  const turn = () => new Promise((resolve) => setTimeout(resolve, 1))
  expect(looks).toBe(0)
  const heard: [number[], number[]] = [[], []]
  const ends = heard.map((list) => feed.subscribe((one) => list.push(one)))
  await turn()
  expect([looks, heard]).toEqual([1, [[1], [1]]])
  wake()
  await turn()
  expect([looks, heard]).toEqual([2, [[1], [1]]])
  seq = 2
  wake()
  await turn()
  expect([looks, heard]).toEqual([
    3,
    [
      [1, 2],
      [1, 2],
    ],
  ])
  for (const end of ends) end()
  wake()
  await turn()
  expect(looks).toBe(3)
  const many = Array.from({ length: 64 }, () => {
    expect(feed.isFull()).toBe(false)
    return feed.subscribe(() => {})
  })
  expect(feed.isFull()).toBe(true)
  many[0]?.()
  expect(feed.isFull()).toBe(false)
  feed.close()
})

test('the parts of a waterfall add up to its last price', () => {
  const wei = fc.bigInt({ min: 0n, max: 10n ** 30n })
  fc.assert(
    fc.property(fc.array(wei, { minLength: 1, maxLength: 6 }), (amounts) => {
      const prices = amounts.map((one, index) => ({
        name: `${index}`,
        amount: { token: 'USDC', wei: `${one}`, text: formatDecimal(one, 6) },
      }))
      const sum = waterfallParts(prices).reduce((total, { addedWei }) => total + addedWei, 0n)
      expect(sum).toBe(amounts.at(-1))
    }),
  )
})

test('worth: balances of now at the last prices, and no total where one has no price', () => {
  const of = (token: string, wei: bigint, decimals: number) => ({
    ...{ token, wei: `${wei}`, text: formatDecimal(wei, decimals) },
  })
  const value: ValueView = {
    ...{ at: '', unit: 'USD', decimals: 8, total: null, series: [] },
    holdings: [
      { held: of('WETH', 2n * 10n ** 18n, 18), worth: of('USD', 6_000n * 10n ** 8n, 8) },
      { held: of('DAI', 1n, 18), worth: null },
    ],
  }
  const weth = of('WETH', 10n ** 18n, 18)
  expect(worthNow([weth, of('WBTC', 0n, 8), of('DAI', 0n, 18)], value)).toEqual({
    holdings: [{ held: weth, worth: of('USD', 3_000n * 10n ** 8n, 8) }],
    total: of('USD', 3_000n * 10n ** 8n, 8),
  })
  for (const unknown of ['DAI', 'NEW'])
    expect(worthNow([weth, of(unknown, 5n, 18)], value).total).toBeNull()
  expect(worthNow([weth], null)).toEqual({ holdings: [{ held: weth, worth: null }], total: null })
})
