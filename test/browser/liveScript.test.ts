import type { Page } from 'playwright-core'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { createDashboard } from '../../src/dashboard/createDashboard.ts'
import { createFleetDashboard } from '../../src/dashboard/createFleetDashboard.ts'
import type { LockView, SwapStoryView, SwapView } from '../../src/dashboard/views.ts'
import { quietHealth, quietQueries } from '../support/noFigures.ts'
import { hasBrowser, openBrowser } from './openBrowser.ts'

const closing: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close()
})

const noon = '2026-05-04T12:00:00.000Z'
const haltLock = (id: number): LockView => ({
  ...{ id, kind: 'halt', scope: 'all', code: 'BY_API', reason: 'by the button' },
  ...{ openedAt: noon, expiresAt: null },
})

const some = { token: 'USDC', wei: '1000000', text: '1' }
const swap: SwapView = {
  ...{ id: 'abc', strategy: 'dca', state: 'SETTLED', code: null, reason: 'a slot' },
  ...{ createdAt: noon, updatedAt: noon, sell: some, buy: 'WETH', floor: some, sold: some },
  ...{ received: some, againstIndicationBps: null, gasPaidWei: null, gasUsed: null },
  ...{ checks: null, txHash: null, block: null },
}
const story: SwapStoryView = {
  ...{ checks: [], prices: [], minimum: null, source: null, attempts: [] },
  steps: [{ at: '2026-05-04T12:00:00.123Z', step: 'planned', text: 'as a slot' }],
}

/** A bot of which a test says what its journal holds, and that counts what a page sends. */
async function startBot() {
  const bot = { seq: 1, locks: [] as LockView[], halts: 0, streams: 0, refuses: false, aheadMs: 0 }
  const startedAt = new Date(systemClock.now() - 300_000).toISOString()
  const dashboard = createDashboard({
    ...{ host: '127.0.0.1', port: 0, hosts: [] },
    clock: { ...systemClock, now: () => systemClock.now() + bot.aheadMs },
    health: async () => ({
      ...quietHealth,
      head: { block: 1, at: startedAt },
    }),
    halt: async () => {
      bot.halts += 1
      bot.seq += 1
      const lock = haltLock(bot.halts)
      bot.locks = [lock]
      return lock
    },
    queries: {
      ...quietQueries,
      newest: async () => bot.seq,
      swaps: async () => [],
      swap: async () => swap,
      story: async () => story,
      locks: async () => bot.locks,
      strategies: async () => [],
      plan: async () => ({
        from: '',
        until: '',
        strategies: [],
        months: [],
        blocks: [],
        unknown: [],
      }),
    },
  })
  dashboard.app.addHook('onRequest', async (request, reply) => {
    if (request.url !== '/api/events') return
    if (bot.refuses) return reply.code(503).send()
    bot.streams += 1
    reply.raw.on('close', () => {
      bot.streams -= 1
    })
  })
  const { url } = await dashboard.listen()
  closing.push(dashboard)
  return Object.assign(bot, { url })
}

/** A browser in which a second and a half of a page, or its ten seconds, is a tenth of that. */
async function open() {
  const browser = await openBrowser()
  closing.push(browser)
  await browser.context.addInitScript(`for (const name of ['setTimeout', 'setInterval']) {
    const own = window[name]
    window[name] = (then, ms) => own(then, ms / 10)
  }`)
  return browser
}

const says = (page: Page, selector: string, text: string | RegExp) =>
  page.locator(selector, { hasText: text }).waitFor({ state: 'attached' })
const textOf = (page: Page, selector: string) => page.locator(selector).textContent()

/** As a tab in the background, or before all others. */
const show = (page: Page, isShown: boolean) =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${!isShown} })
    document.dispatchEvent(new Event('visibilitychange'))`)

/** Until the bot has answered, or the page has said that it does not. */
async function hold(page: Page): Promise<void> {
  await page.locator('#halt').dispatchEvent('pointerdown')
  await page.locator('#halt:not([data-state="held"])').waitFor()
  await page.locator('#halt').dispatchEvent('pointerup')
}

describe.skipIf(!hasBrowser)('the script of a page', () => {
  test('every hold halts, and its sentence goes with the halt', async () => {
    const bot = await startBot()
    const { page, wrong } = await open()
    await page.goto(bot.url)
    await says(page, '#live', /^connected$/)
    await hold(page)
    await says(page, '#halt-said', /^Halted\. Only ballast resume goes on\.$/)
    await says(page, '#main .state', 'HALTED')
    await hold(page)
    expect(bot.halts).toBe(2)
    expect(await textOf(page, '#halt-said')).toBe('Halted. Only ballast resume goes on.')
    bot.locks = []
    bot.seq += 1
    await says(page, '#main .state', 'RUNNING')
    await says(page, '#halt-said', /^$/)
    await hold(page)
    await says(page, '#halt-said', /^Halted\./)
    expect(bot.halts).toBe(3)
    expect(wrong).toEqual([])
  })

  test('another button of a mouse halts nothing, nor does a menu that opens over a hold', async () => {
    const bot = await startBot()
    const { page } = await open()
    await page.goto(bot.url)
    await says(page, '#live', 'connected')
    const button = page.locator('#halt')
    await button.dispatchEvent('pointerdown', { button: 2 })
    expect(await button.getAttribute('data-state')).not.toBe('held')
    await button.dispatchEvent('pointerdown')
    expect(await button.getAttribute('data-state')).toBe('held')
    await button.dispatchEvent('contextmenu')
    expect(await button.getAttribute('data-state')).not.toBe('held')
    expect(bot.halts).toBe(0)
  })

  test('a page of before the halt, which comes behind its answer, takes no sentence away', async () => {
    const bot = await startBot()
    const { page } = await open()
    await page.goto(bot.url)
    await says(page, '#live', /^connected$/)
    await says(page, '#main .state', 'RUNNING')
    const late = Promise.withResolvers<void>()
    const before = Promise.withResolvers<void>()
    await page.route(
      `${bot.url}/`,
      async (route) => {
        const response = await route.fetch()
        before.resolve()
        await late.promise
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    bot.seq += 1
    await before.promise
    await hold(page)
    await says(page, '#halt-said', /^Halted\./)
    const answered = page.waitForResponse(`${bot.url}/`)
    late.resolve()
    await answered
    await says(page, '#main .state', 'HALTED')
    expect(await textOf(page, '#halt-said')).toMatch(/^Halted\./)
  })

  test('a tab in the background keeps no stream, and follows again once it is seen', async () => {
    const bot = await startBot()
    const { page, wrong } = await open()
    await page.goto(bot.url)
    await says(page, '#live', /^connected$/)
    expect(bot.streams).toBe(1)
    await show(page, false)
    await expect.poll(() => bot.streams).toBe(0)
    bot.locks = [haltLock(1)]
    bot.seq += 1
    await show(page, true)
    await says(page, '#main .state', 'HALTED')
    await says(page, '#live', /^connected$/)
    expect(bot.streams).toBe(1)
    expect(wrong).toEqual([])
  })

  test('a tab that is opened in the background opens no stream before it is seen', async () => {
    const bot = await startBot()
    const { page, context } = await open()
    await context.addInitScript(
      "Object.defineProperty(document, 'hidden', { configurable: true, value: true })",
    )
    await page.goto(bot.url)
    expect(bot.streams).toBe(0)
    await show(page, true)
    await says(page, '#live', /^connected$/)
    expect(bot.streams).toBe(1)
  })

  test('six tabs side by side hold every connection that a browser has, and the sixth halts', async () => {
    const bot = await startBot()
    const { page, context } = await open()
    const pages = [page]
    while (pages.length < 6) pages.push(await context.newPage())
    for (const [index, one] of pages.entries()) {
      await one.goto(bot.url)
      await expect.poll(() => bot.streams).toBe(index + 1)
    }
    const sixth = pages.at(-1) ?? page
    await hold(sixth)
    await says(sixth, '#halt-said', /^Halted\./)
    expect(bot.halts).toBe(1)
  })

  test('a stream that was refused is opened again, and no page says meanwhile that it follows', async () => {
    const bot = await startBot()
    bot.refuses = true
    const { page } = await open()
    await page.goto(bot.url)
    await says(page, '#main .state', 'RUNNING')
    bot.locks = [haltLock(1)]
    await says(page, '#main .state', 'HALTED')
    await says(page, '#live', /^not followed: read every 10 s$/)
    bot.locks = []
    await says(page, '#main .state', 'RUNNING')
    await says(page, '#live', /^not followed: read every 10 s$/)
    bot.refuses = false
    await says(page, '#live', /^connected$/)
    expect(bot.streams).toBe(1)
  })

  test('a network that is silent: the page says so, a halt says that it may be none, and all goes on', async () => {
    const bot = await startBot()
    const { page } = await open()
    await page.goto(bot.url)
    await says(page, '#live', /^connected$/)
    let isSilent = true
    await page.route('**/*', (route) => (isSilent ? undefined : route.continue()))
    await page.locator('#halt').dispatchEvent('pointerdown')
    await says(page, '#halt-said', /^Halting…$/)
    await page.locator('#halt').dispatchEvent('pointerup')
    await says(page, '#halt-said', /^It may not be halted: .* Create a file HALT /)
    await says(page, '#live', /^offline since .*: these are the figures of then$/)
    isSilent = false
    await says(page, '#live', /^connected$/)
    expect([bot.halts, bot.streams]).toEqual([0, 1])
  })

  test('a read that gets no answer ends the stream, which is as dead as its own connection', async () => {
    const bot = await startBot()
    const { page } = await open()
    await page.goto(bot.url)
    await says(page, '#live', /^connected$/)
    await page.route('**/*', () => undefined)
    bot.seq += 1
    await says(page, '#live', /^offline since /)
    await expect.poll(() => bot.streams).toBe(0)
    await page.unrouteAll()
    await says(page, '#live', /^connected$/)
    expect(bot.streams).toBe(1)
  })

  test('half a minute without a read is offline, whatever a read that is under way may still bring', async () => {
    const bot = await startBot()
    const { page } = await open()
    await page.goto(bot.url)
    await says(page, '#live', /^connected$/)
    await page.evaluate('AbortSignal.timeout = () => undefined')
    await page.route('**/*', () => undefined)
    bot.seq += 1
    // As after a night of the machine: no timer has run meanwhile.
    await page.evaluate(`const then = Date.now
      Date.now = () => then() + 31_000`)
    await says(page, '#live', /^offline since /)
    expect(bot.streams).toBe(1)
  })

  test('a price that was requested is not followed, and needs no stream', async () => {
    const bot = await startBot()
    const { page } = await open()
    await page.goto(`${bot.url}/?sell=1+WETH`)
    await says(page, '#live', /^not followed: reload$/)
    await page.evaluate(`const then = Date.now
      Date.now = () => then() + 31_000
      tick()`)
    expect(await textOf(page, '#live')).toBe('not followed: reload')
    expect(bot.streams).toBe(0)
  })

  test('the first page of a fleet follows, and its sentence goes once a wallet goes on', async () => {
    const fleet = { seq: 1, states: ['RUNNING', 'RUNNING'] }
    const dashboard = createFleetDashboard({
      ...{ clock: systemClock, host: '127.0.0.1', port: 0, hosts: [] },
      newest: async () => fleet.seq,
      halt: async () => {
        fleet.states = ['HALTED', 'HALTED']
        return haltLock(1)
      },
      pagesOf: () => undefined,
      view: async () => ({
        ...{ limits: [], processes: [] },
        wallets: fleet.states.map((state, index) => ({
          ...{ name: `${index}`, path: `/w/${index}`, chain: 'local', address: '0xaa', state },
          ...{ attention: [], locks: [], headAt: null, process: null, open: 0 },
          ...{ worth: null, worthAt: null, lastFill: null },
        })),
      }),
    })
    closing.push(dashboard)
    const { page, wrong } = await open()
    await page.goto((await dashboard.listen()).url)
    await says(page, '#live', /^connected$/)
    await hold(page)
    await says(page, '#main .state', /^2 OF 2 NEED A LOOK$/)
    await says(page, '#halt-said', /^Halted\./)
    fleet.states = ['RUNNING', 'HALTED']
    fleet.seq += 1
    await says(page, '#main .state', /^1 OF 2 NEED A LOOK$/)
    await says(page, '#halt-said', /^$/)
    await says(page, '#live', /^connected$/)
    expect(wrong).toEqual([])
  })

  test('an age goes by the clock of the bot, which each read tells anew', async () => {
    const bot = await startBot()
    const { page, context } = await open()
    await context.addInitScript(`const own = Date.now
      Date.now = () => own() + 86_400_000`)
    await page.goto(bot.url)
    await says(page, '#live', /^connected$/)
    const age = '.standing time'
    await page.evaluate('tick()')
    expect(await textOf(page, age)).toBe('5 min ago')
    bot.aheadMs = 10 * 3_600_000
    bot.seq += 1
    await says(page, age, /^10 h ago$/)
    await page.evaluate('tick()')
    expect(await textOf(page, age)).toBe('10 h ago')
  })

  test('the instants of a swap stay as they are beside its ages', async () => {
    const bot = await startBot()
    const { page } = await open()
    await page.goto(`${bot.url}/swaps/abc`)
    const steps = await page.locator('ol.steps').innerHTML()
    expect(steps).toContain('2026-05-04 12:00:00.123 UTC')
    const age = page.locator('time[datetime="2026-05-04T12:00:00.000Z"][title]').first()
    await age.evaluate((one) => one.replaceChildren('not brought up to date'))
    await page.evaluate('tick()')
    expect(await age.textContent()).toMatch(/ d ago$/)
    expect(await page.locator('ol.steps').innerHTML()).toBe(steps)
  })
})
