import { describe, expect, test } from 'vitest'
import { printHtml } from '../../src/core/html.ts'
import { type FleetView, fleetPage } from '../../src/dashboard/fleetPage.ts'

const noon = Date.UTC(2026, 4, 4, 12)
const iso = (secondsBefore: number) => new Date(noon - secondsBefore * 1_000).toISOString()
const usd = (text: string) => ({ token: 'USD', wei: `${text}00000000`, text })
const hostile = '<script>alert(1)</script>'

const full: FleetView = {
  wallets: [
    {
      ...{ name: 'treasury', path: '/treasury', chain: 'local', address: `0x${'aa'.repeat(20)}` },
      ...{ state: 'RUNNING', attention: [], locks: [], headAt: iso(12), process: 'one', open: 1 },
      ...{ worth: usd('1000'), worthAt: iso(7_200), lastFill: null },
    },
    {
      ...{ name: hostile, path: '/other', chain: hostile, address: `0x${'bb'.repeat(20)}` },
      ...{ state: 'HALTED', locks: ['BY_OPERATOR'], headAt: null, process: null, open: 0 },
      ...{
        attention: [{ code: hostile, sentence: hostile }],
        worth: null,
        worthAt: null,
        lastFill: null,
      },
    },
  ],
  limits: [{ name: 'per day', used: usd('30'), most: usd('100') }],
  processes: [
    { id: 'one', role: 'worker', wallets: ['treasury'] },
    { id: hostile, role: 'web', wallets: [] },
  ],
}

describe('the page of several wallets', () => {
  // `npx vitest run test/dashboard/fleetPage.test.ts -u` writes them anew: read the difference.
  test.each([
    ['fleet', full],
    ['quiet-fleet', { wallets: [], limits: [], processes: [] }],
  ] as const)('%s', async (name, view) => {
    const page = printHtml(fleetPage(view, noon))
    expect(page).not.toContain(hostile)
    const main = /<main[\s\S]*<\/main>/.exec(page)?.[0] ?? ''
    await expect(`${main}\n`).toMatchFileSnapshot(`golden/${name}.html`)
  })
})
