import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const require = createRequire(import.meta.url)

/** As long as a test of a chain may take. */
const patienceMs = 280_000

/** What a page said on its console, and threw. */
export type Said = readonly string[]

/**
 * A page of a size and a theme in a Chromium of its own, with all that is wrong with it. The browser comes as a package, with
 * the libraries it needs where the machine has none of them; one that has had other pages has been seen to lay out no more. It
 * reads from this machine alone.
 */
export async function openBrowser({
  width = 1_440,
  height = 900,
  colorScheme = 'dark' as 'dark' | 'light',
  hasTouch = false,
} = {}) {
  const browser = await launch()
  const context = await browser.newContext({
    ...{ viewport: { width, height }, colorScheme, hasTouch },
  })
  // A busy machine is slow, and that is no failure.
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') wrong.push(message.text())
  })
  page.on('pageerror', (error) => wrong.push(String(error)))
  return { page, context, wrong: wrong as Said, close: () => browser.close() }
}

const launchesMax = 3

/** A browser; it has been seen to crash as it starts, and then another is started. */
async function launch(): Promise<Browser> {
  const options = {
    ...(await packagedChromium()),
    args: ['--no-sandbox', '--headless=shell', '--disable-gpu'],
  }
  for (let launches = 1; ; launches += 1) {
    try {
      return await chromium.launch(options)
    } catch (error) {
      if (launches === launchesMax) throw error
    }
  }
}

/** The packaged one runs here alone. */
export const hasBrowser = process.platform === 'linux' && process.arch === 'x64'

/** Where it is, once it is unpacked into the temporary folder, and the environment with its own libraries and fonts. */
async function packagedChromium() {
  // The package unpacks its libraries only where it takes the machine for one that has none.
  const before = { ...process.env }
  process.env.AWS_LAMBDA_JS_RUNTIME = 'nodejs24.x'
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    const executablePath = await packaged.executablePath()
    const own = {
      LD_LIBRARY_PATH: join(tmpdir(), 'al2023', 'lib'),
      FONTCONFIG_FILE: writeFontsConfig(),
    }
    return { executablePath, env: { ...before, ...own } }
  } finally {
    process.env = before
  }
}

/** The configuration in the package names folders of its own, none of them the temporary folder: without a font no text has a height. */
function writeFontsConfig(): string {
  const file = join(tmpdir(), 'fonts.conf')
  const [fonts, cache] = [join(tmpdir(), 'fonts'), join(tmpdir(), 'fonts-cache')]
  writeFileSync(
    file,
    `<?xml version="1.0"?>\n<fontconfig><dir>${fonts}</dir><cachedir>${cache}</cachedir></fontconfig>\n`,
  )
  return file
}

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on a page as it stands: a line for each rule and its first elements. Its script passes no policy, so it runs beside it. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    type Result = { violations: { id: string; impact: string; nodes: { target: string[] }[] }[] }
    const { violations } = (await (
      globalThis as unknown as { axe: { run: (options: object) => Promise<Result> } }
    ).axe.run({ resultTypes: ['violations'] })) as Result
    return violations.map(
      ({ id, impact, nodes }) =>
        `${impact} ${id}: ${nodes
          .slice(0, 3)
          .flatMap(({ target }) => target)
          .join(' | ')}`,
    )
  })
}

/** A finger that stays on an element. */
export async function touchAndHold(
  context: BrowserContext,
  { page, selector, ms }: { readonly page: Page; readonly selector: string; readonly ms: number },
): Promise<void> {
  // Once it rests where it is, and nothing lies above it: what a page has still to fill in moves the rest.
  await page.locator(selector).tap({ trial: true })
  const box = await page.locator(selector).boundingBox()
  if (box === null) throw new Error(`${selector} is not on the page`)
  const session = await context.newCDPSession(page)
  const touchPoints = [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }]
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  await page.waitForTimeout(ms)
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}
