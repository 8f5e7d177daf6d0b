import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unpacked } from '../../src/bot/journal/store/packed.ts'
import { startBallast } from '../support/runBallast.ts'
import { hasBrowser, openBrowser, touchAndHold, violationsOn } from './openBrowser.ts'

// One demo for all: its pages are what is looked at. The tests follow each other, as a person would.

const dataDir = mkdtempSync(join(tmpdir(), 'ballast-browser-'))
const screens = join(import.meta.dirname, '../../.ballast/screens')
const [held, notHeld] = [2_000, 600]

let demo: ReturnType<typeof startBallast>
let url = ''

const startDemo = async (port: string) => {
  demo = startBallast(['demo', '--port', port, '--data-dir', dataDir])
  const said = await demo.says(/on local · http:\/\/127\.0\.0\.1:\d+/)
  url = /on local · (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1] ?? ''
}

beforeAll(async () => {
  mkdirSync(screens, { recursive: true })
  await startDemo('0')
})
afterAll(async () => {
  demo.child.kill('SIGTERM')
  await demo.ended
  rmSync(dataDir, { recursive: true, force: true })
})

const read = async (path: string): Promise<unknown> => (await fetch(url + path)).json()

/** Nothing of the page was loaded anew since it was marked. */
const mark = (page: Page) => page.evaluate(() => Object.assign(globalThis, { marked: true }))
const isMarked = (page: Page) => page.evaluate(() => 'marked' in globalThis)

const textOf = async (page: Page, selector = 'body') =>
  (await page.locator(selector).textContent())?.replace(/[\s\u202f]+/g, ' ')

const connected = (page: Page) => page.locator('#live', { hasText: /^connected$/ }).waitFor()

describe.skipIf(!hasBrowser)('the page of a demo', () => {
  test('a fill appears without a reload, focus and all, and nothing is wrong', async () => {
    const { page, wrong, close } = await openBrowser()
    await page.goto(url)
    await mark(page)
    await connected(page)
    const fills = page.locator('tr[data-key^="fill-"]')
    await expect.poll(() => fills.count()).toBeGreaterThan(0)
    const link = page.locator('[data-key^="strategy-"] a').first()
    await link.focus()
    const focused = await link.getAttribute('href')
    const newest = await fills.first().getAttribute('data-key')
    await expect.poll(() => fills.first().getAttribute('data-key')).not.toBe(newest)
    expect(await page.locator(':focus').getAttribute('href')).toBe(focused)
    expect(await isMarked(page)).toBe(true)
    expect(wrong).toEqual([])
    await page.screenshot({ path: join(screens, 'overview.png') })
    await close()
  })

  test('the five-minute visitor, the operator and the careful owner find their answers on the first screen', async () => {
    const { page, close } = await openBrowser()
    await page.goto(url)
    await connected(page)
    await page.locator('[data-key^="fill-"]').first().waitFor()
    await page.locator('.worth .figure', { hasText: 'USD' }).waitFor()
    // At first each of the strategies is due.
    const waiting = page.locator('[data-key^="strategy-"]', { hasText: /Next slot in \d+ s/ })
    await waiting.first().waitFor()
    // What is seen of a fact has to lie above the fold.
    const seen = async (selector: string, pattern: RegExp) => {
      const all = await page.locator(selector).all()
      const texts = await Promise.all(
        all.map(async (one) => {
          const box = await one.boundingBox()
          const isSeen = box !== null && box.y + box.height <= 900
          if (!isSeen) return ''
          // biome-ignore lint/performance/useDomNodeTextContent: as it is laid out, where cells are apart from each other
          const text = await one.innerText()
          return text.replace(/[\s\u202f]+/g, ' ')
        }),
      )
      expect([selector, texts.some((text) => pattern.test(text)), texts]).toEqual([
        ...[selector, true, texts],
      ])
    }
    // Are we inside our targets?
    await seen(
      'tr[data-key^="target-"]',
      /^WETH.* \d+\.\d\d % \d+\.\d\d % ± \d+\.\d\d % (?:inside|outside)/,
    )
    // What runs, and what is due?
    await seen('.state', /^(?:RUNNING|NEEDS ATTENTION)$/)
    await seen('.standing', /last look (?:now|\d+ s ago)/)
    await seen('[data-key^="strategy-"]', /Next slot in \d+ s/)
    // What was done, and how well?
    await seen('tr[data-key^="fill-"]', /ago .*(?:WETH|WBTC|USDC) .* [+−]\d+\.\d\d bps/)
    await seen('.worth', /Worth [\d ]+\.\d\d USD/)
    // What is blocked, and how near is it?
    await seen('tr[data-key^="limit-"]', / \d+\.\d %/)
    await seen('#banners', /Synthetic prices/)
    // How do I stop it?
    await seen('#halt', /^Hold to halt$/)
    await close()
  })

  /** The log's own entries on halts, in their order. */
  function halts(): readonly string[] {
    const db = new DatabaseSync(join(dataDir, 'ballast.db'), { readOnly: true })
    try {
      const rows = db
        .prepare("SELECT type, facts FROM event WHERE type LIKE 'LOCK_%' ORDER BY seq")
        .all() as { type: string; facts: Uint8Array }[]
      return rows.map(({ type, facts }) => `${type} ${/BY_API/.exec(unpacked(facts))?.[0]}`)
    } finally {
      db.close()
    }
  }

  const sizes = [
    { width: 1_440, height: 900 },
    { width: 360, height: 780 },
  ]
  const themes = ['dark', 'light'] as const
  const views = sizes.flatMap((size) => themes.map((colorScheme) => ({ ...size, colorScheme })))

  test.each(views)(
    '$width px, $colorScheme: axe finds nothing, nothing is cut, no console error',
    async (view) => {
      const { page, wrong, close } = await openBrowser(view)
      const [swap] = (await read('/api/swaps?limit=1&outcome=settled')) as { id: string }[]
      const [strategy] = (await read('/api/strategies')) as { name: string }[]
      const paths = {
        overview: '/',
        swaps: '/swaps',
        swap: `/swaps/${swap?.id}`,
        strategy: `/strategies/${strategy?.name}`,
        market: '/market?sell=1+WETH&buy=USDC',
        calendar: '/calendar',
        risk: '/risk',
        audit: '/audit',
        reports: '/reports',
        month: `/reports/${new Date().toISOString().slice(0, 7)}`,
        nothing: '/no-such-page',
      }
      for (const [name, path] of Object.entries(paths)) {
        await page.goto(url + path)
        expect([name, await violationsOn(page)]).toEqual([name, []])
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        expect([name, overflow]).toEqual([name, 0])
        await page.screenshot({
          path: join(screens, `${name}-${view.width}-${view.colorScheme}.png`),
        })
      }
      expect(wrong.filter((text) => !text.includes('404'))).toEqual([])
      await close()
    },
  )

  test('keys lead to every page of the menu, and to its search', async () => {
    const { page, close } = await openBrowser()
    await page.goto(url)
    for (const [key, path] of [
      ['s', '/swaps'],
      ['m', '/market'],
      ['c', '/calendar'],
      ['r', '/risk'],
      ['p', '/reports'],
      ['a', '/audit'],
      ['o', '/'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.waitForURL(url + path)
    }
    await page.keyboard.press('?')
    expect(await page.locator('#keys').getAttribute('open')).toBe('')
    await page.goto(`${url}/market`)
    await page.keyboard.press('/')
    expect(await page.locator(':focus').getAttribute('id')).toBe('search')
    // What is typed is text, and no key.
    await page.keyboard.type('gs 1 WETH')
    expect(new URL(page.url()).pathname).toBe('/market')
    expect(await page.locator('#search').inputValue()).toBe('gs 1 WETH')
    await close()
  })

  test('a page outlives the bot: it says so, keeps its figures, and goes on with the next', async () => {
    const { page, close } = await openBrowser()
    await page.goto(url)
    await connected(page)
    await mark(page)
    const worth = await textOf(page, '.worth .figure')
    demo.child.kill('SIGINT')
    await demo.ended
    await page.locator('#live', { hasText: 'offline since' }).waitFor()
    expect(await textOf(page, '.worth .figure')).toBe(worth)
    await startDemo(new URL(url).port)
    await connected(page)
    const fills = page.locator('tr[data-key^="fill-"]')
    const newest = await fills.first().getAttribute('data-key')
    await expect.poll(() => fills.first().getAttribute('data-key')).not.toBe(newest)
    expect(await isMarked(page)).toBe(true)
    await close()
  })

  test('halt by keyboard and by touch: a short one does nothing, a long one is in the log', async () => {
    const { page, context, close } = await openBrowser({ width: 360, height: 780, hasTouch: true })
    const resume = () =>
      startBallast(['resume', '--reason', 'seen', '--config', join(dataDir, 'ballast.yaml')]).ended
    await page.goto(url)
    await connected(page)
    await page.focus('#halt')
    await page.keyboard.down('Enter')
    await page.waitForTimeout(notHeld)
    await page.keyboard.up('Enter')
    await touchAndHold(context, { page, selector: '#halt', ms: notHeld })
    expect(await read('/api/locks/past')).toEqual([])

    await page.focus('#halt')
    await page.keyboard.down('Enter')
    await page.waitForTimeout(held)
    await page.keyboard.up('Enter')
    await page.locator('#halt-said', { hasText: 'Halted.' }).waitFor()
    // A halted bot ends, and the market of a demo with it.
    await demo.ended
    expect((await resume()).code).toBe(0)
    await startDemo('0')
    await page.goto(url)
    await connected(page)
    await touchAndHold(context, { page, selector: '#halt', ms: held })
    await page.locator('#halt-said', { hasText: 'Halted.' }).waitFor()
    await demo.ended
    await close()
    const exported = await startBallast([
      'audit',
      'verify',
      '--json',
      '--config',
      join(dataDir, 'ballast.yaml'),
    ]).ended
    expect(JSON.parse(exported.stdout)).toMatchObject({ ok: true })
    expect(halts()).toEqual([
      ...['LOCK_OPENED BY_API', 'LOCK_RELEASED BY_API', 'LOCK_OPENED BY_API'],
    ])
  })
})
