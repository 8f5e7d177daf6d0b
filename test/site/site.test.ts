import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, extname, join, posix } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, openBrowser, violationsOn } from '../browser/openBrowser.ts'

// The site is built once, as `npm run site` does, and looked at as files and in a browser.

const folder = mkdtempSync(join(tmpdir(), 'ballast-site-'))
const types: Readonly<Record<string, string>> = {
  ...{ '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.png': 'image/png' },
  ...{ '.svg': 'image/svg+xml', '.json': 'application/json' },
}
const files = new Map<string, Buffer>()
const server = createServer(({ url = '/' }, response) => {
  const path = new URL(url, 'http://localhost').pathname.slice(1) || 'index.html'
  const body = files.get(path)
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': types[extname(path)] ?? '' })
  response.end(body)
})
let origin = ''
let pages: readonly string[] = []

beforeAll(async () => {
  execFileSync(process.execPath, [
    ...['node_modules/vitepress/bin/vitepress.js', 'build', 'docs', '--outDir', folder],
  ])
  for (const path of globSync('**/*.*', { cwd: folder }))
    files.set(path, readFileSync(join(folder, path)))
  pages = [...files.keys()].filter((path) => path.endsWith('.html') && path !== '404.html')
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
})

const htmlOf = (path: string) => files.get(path)?.toString() ?? ''
const idsOf = (path: string) => [...htmlOf(path).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)

/** Links of a page that lead to no page, or to no place on it. */
function brokenLinks(page: string): readonly string[] {
  const hrefs = [...htmlOf(page).matchAll(/<a\b[^>]*\shref="([^"]*)"/g)].map(
    ([, href = '']) => href,
  )
  return hrefs.filter((href) => {
    if (/^[a-z]+:/.test(href)) return false
    const [path = '', id] = decodeURIComponent(href).split('#')
    const target = posix.join('/', path === '' ? page : posix.resolve(`/${dirname(page)}`, path))
    const file = target === '/' ? 'index.html' : target.slice(1)
    return !files.has(file) || (id !== undefined && id !== '' && !idsOf(file).includes(id))
  })
}

/** What a browser would load of another host. */
const foreign =
  /<(?:script|img|link|iframe|source)\b[^>]*\s(?:src|href)="(?:https?:)?\/\/[^"]*"|(?:url\(|@import )["']?(?:https?:)?\/\/[^)\s]*/g

describe('the built site', () => {
  test('has each page of docs', () => {
    const written = globSync('docs/**/*.md').map((path) => path.slice(5).replace(/\.md$/, '.html'))
    expect([...pages].sort()).toEqual(written.sort())
  })

  test('has no link without its page and its place there', () => {
    expect(pages.map((page) => [page, brokenLinks(page)])).toEqual(pages.map((page) => [page, []]))
  })

  test('calls a page that a sentence names as the menu does, and leads to the section', () => {
    expect(htmlOf('OPERATING.html')).toContain('<a href="/RUNBOOKS.html">Runbooks</a>')
    expect(htmlOf('CHECKS.html')).toContain(
      '<a href="/NODES.html#degrees-of-proof">Nodes, Degrees of proof</a>',
    )
  })

  test('names nothing that another host would have to send', () => {
    const found = [...files]
      .filter(([path]) => /\.(?:html|css)$/.test(path))
      .flatMap(([path, body]) => (body.toString().match(foreign) ?? []).map((it) => [path, it]))
    expect(found).toEqual([])
    expect('<script src="https://a.b/c.js">'.match(foreign)).toHaveLength(1)
    expect("@font-face { src: url('//a.b/c.woff2') }".match(foreign)).toHaveLength(1)
  })
})

const smallest = 14

/** Words of a page that are set smaller than a phone's reader needs, each with its size. */
const smallWords = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found = []
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent.trim()
      const element = walker.currentNode.parentElement
      const size = Number.parseFloat(getComputedStyle(element).fontSize)
      if (text !== '' && size < ${smallest} && element.checkVisibility({ visibilityProperty: true })
          && element.getClientRects().length > 0)
        found.push(size + ' px: ' + element.className + ' ' + text.slice(0, 40))
    }
    return found
  })()`)

describe.skipIf(!hasBrowser)('in a browser', () => {
  test('at 360 px no page is wider than the window, no word is small, nothing is foreign', async () => {
    const { page, wrong, close } = await openBrowser({ width: 360, height: 780 })
    const asked = new Set<string>()
    page.on('request', (request) => asked.add(new URL(request.url()).origin))
    for (const path of pages) {
      await page.goto(`${origin}/${path}`, { waitUntil: 'domcontentloaded' })
      const overflow = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect([path, overflow, await smallWords(page)]).toEqual([path, 0, []])
    }
    expect([...asked]).toEqual([origin])
    expect(wrong).toEqual([])
    await close()
  })

  test.each(['dark', 'light'] as const)('%s: axe finds nothing', async (colorScheme) => {
    const { page, close } = await openBrowser({ width: 360, height: 780, colorScheme })
    for (const path of ['', 'OPERATING.html', 'ERRORS.html', 'CONCEPTS.html']) {
      await page.goto(`${origin}/${path}`)
      expect([path, await violationsOn(page)]).toEqual([path, []])
    }
    await close()
  })

  test.each([
    ['SHORTFALL', 'ERRORS.html'],
    ['kill -USR2', 'KILL-SWITCH.html'],
    ['maxGasPrice', 'CONFIGURATION.html'],
  ])('the search finds %s in %s', async (words, path) => {
    const { page, close } = await openBrowser()
    await page.goto(origin)
    await page.locator('#local-search button').click()
    await page.locator('#localsearch-input').fill(words)
    await page.locator(`a.result[href*="/${path}"]`).first().waitFor()
    await close()
  })
})
