import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { callCli } from '../cli/callCli.ts'
import { goodYaml } from '../config/goodYaml.ts'

/** Entries that `config check` accepts, and what it says of them. */

const now = Date.UTC(2026, 10, 28, 12)
const clock = { now: () => now, sleep: async () => {} }
const [head = '', tail = ''] = goodYaml.split(/strategies:[\s\S]*?(?=database:)/)

type Written = { readonly use: string; readonly params: string }

async function check(
  entries: readonly Written[],
  { env, here, policy = '' }: { env?: string; here?: string; policy?: string } = {},
) {
  const home = mkdtempSync(join(tmpdir(), 'ballast-doubts-'))
  const cwd = join(home, 'here')
  mkdirSync(cwd)
  const list = entries.map(
    ({ use, params }, nth) => `  - name: e${nth}\n    use: ${use}\n    params: { ${params} }\n`,
  )
  const bands = `  bands: { WETH: { min: 1500 USD, max: 8000 USD }, USDC: { min: 0.95 USD, max: 1.05 USD } }\n  references: [{ kind: feed, pair: WETH/USD, address: "0x5fbdb2315678afecb367f032d93f642f64180aab", maxAge: 1h }, { kind: feed, pair: USDC/USD, address: "0x5fbdb2315678afecb367f032d93f642f64180aac", maxAge: 1h }]\n`
  writeFileSync(
    join(home, 'ballast.yaml'),
    `${head.replace('policy:\n', `policy:\n${bands}${policy}`)}strategies:\n${list.join('')}${tail}`,
  )
  if (env !== undefined) writeFileSync(join(home, '.env'), env, { mode: 0o600 })
  if (here !== undefined) writeFileSync(join(cwd, '.env'), here, { mode: 0o600 })
  const { code, stdout, stderr } = await callCli(
    ['config', 'check', '--json', '--config', '../ballast.yaml'],
    { cwd, clock },
  )
  expect(stderr).toBe('')
  const { warnings, refused } = JSON.parse(stdout)

  return { code, warnings, refused }
}

const limit = (params: string): Written => ({ use: 'threshold', params })
const up = limit('sell: 1 WETH, buy: USDC, price: 2800 USDC per WETH, every: 5m')

describe('two entries', () => {
  test.each([
    ['buys back above the price it is sold at', '3500', true],
    ['buys back at the price it is sold at', '2800', true],
    ['buys back below it', '2799', false],
  ])('one %s: %s', async (_, price, isCircle) => {
    const back = limit(`sell: 3000 USDC, buy: WETH, price: ${price} USDC per WETH, every: 5m`)
    expect(await check([up, back])).toMatchObject({
      code: 0,
      warnings: isCircle
        ? ['e0 and e1 trade in a circle: there are prices at which each undoes what the other did']
        : [],
    })
  })

  test('in one direction undo nothing', async () => {
    expect((await check([up, up])).warnings).toEqual([])
  })

  test('of weights pull at the same assets by turns', async () => {
    const weigh = (weth: number, usdc: number): Written => ({
      use: 'rebalance',
      params: `weights: { WETH: ${weth} %, USDC: ${usdc} % }, keep: 0.1 ETH, wrapped: WETH, trigger: 2 %, tolerance: 50 bps, every: 1h`,
    })
    const { warnings } = await check([weigh(60, 40), weigh(40, 60)])
    expect(warnings).toEqual([
      'e0 and e1 both weigh WETH, ETH, USDC: each undoes what the other did',
    ])
    expect((await check([weigh(60, 40)])).warnings).toEqual([])
  })
})

test('a limit that is worth more than a swap may be at its own price is refused', async () => {
  const policy = '  stablecoins: { USDC: 50 bps }\n'
  const five = (price: string) =>
    check([limit(`sell: 5 WETH, buy: USDC, price: ${price} USDC, every: 5s`)], { policy })
  // The least of the band for a dollar: 21052 of them are worth 20000.
  expect(await five('4210')).toMatchObject({ code: 0, refused: [] })
  expect(await five('4500')).toMatchObject({
    code: 2,
    refused: [{ name: 'e0', sentence: expect.stringContaining('notional') }],
  })
})

describe('a calendar', () => {
  const dca = (cron: string): Written => ({
    use: 'dca',
    params: `sell: 100 USDC, buy: WETH, cron: "${cron}", timeZone: UTC, tolerance: 50 bps`,
  })
  test.each([
    ['0 9 31 * *', ["e0: '0 9 31 * *' leaves out each month without such a day"]],
    ['0 9 29,30 * *', ["e0: '0 9 29,30 * *' leaves out each month without such a day"]],
    ['0 9 28,31 * *', []],
    ['0 9 31 12 *', []],
    ['* 9 * * 1', ["e0: '* 9 * * 1' is every minute of its hours"]],
    ['* * * * *', []],
    [
      '0 9 1 * 1',
      ["e0: '0 9 1 * 1' is each of its days of the month, and each of its weekdays as well"],
    ],
    ['0 9 1 * *', []],
    ['0 9 ? * 1', []],
    ['* */1 * * *', []],
    ['0 9 29 */1 *', ["e0: '0 9 29 */1 *' leaves out each month without such a day"]],
    [
      '0 9 */1 * 1',
      ["e0: '0 9 */1 * 1' is each of its days of the month, and each of its weekdays as well"],
    ],
    [
      '0 9 1 * */1',
      ["e0: '0 9 1 * */1' is each of its days of the month, and each of its weekdays as well"],
    ],
    ['*/1 9 * * *', ["e0: '*/1 9 * * *' is every minute of its hours"]],
    [
      '0 9 31 * 1',
      ["e0: '0 9 31 * 1' is each of its days of the month, and each of its weekdays as well"],
    ],
  ])('%s', async (cron, warnings) => {
    expect((await check([dca(cron)])).warnings).toEqual(warnings)
  })
})

describe('an order over time', () => {
  const slices = (time: string): Written => ({
    use: 'twap',
    params: `sell: 10 WETH, buy: USDC, tolerance: 50 bps, ${time}`,
  })
  test.each([
    ['start: 2026-11-28T08:00:00Z, slices: 24, every: 10m', true],
    ['start: 2026-11-28T08:00:00Z, slices: 25, every: 10m', false],
    ['start: 2025-11-28T08:00:00Z, every: 10m, end: 2025-11-29T08:00:00Z', true],
  ])('%s is over: %s', async (time, isOver) => {
    const { warnings } = await check([slices(time)])
    expect(warnings).toEqual(isOver ? [expect.stringMatching(/^e0 is over: its end is 202/)] : [])
  })
})

describe('a variable', () => {
  test('that is close to one that is read is named with it', async () => {
    const env = 'HEARTBEAT_URI=https://a.example\nSLACK_WEBHOOK=https://b.example\nOTHER=1\n'
    expect((await check([up], { env })).warnings).toEqual([
      expect.stringMatching(
        /^HEARTBEAT_URI in .*\/\.env is read by nothing: did you mean HEARTBEAT_URL\?$/,
      ),
      expect.stringMatching(
        /^SLACK_WEBHOOK in .*\/\.env is read by nothing: did you mean SLACK_WEBHOOK_URL\?$/,
      ),
    ])
  })

  test('of a wallet or chain of another file, or that is read, is none', async () => {
    const env = 'RPC_URL_LOCAL=http://127.0.0.1:1\nRPC_URL_OTHER=http://127.0.0.1:2\nLOG_LEVEL=\n'
    expect((await check([up], { env })).warnings).toEqual([])
  })

  test('of the current folder is said to be of that', async () => {
    const here = 'DATABASE_URL=sqlite:./project.db\n'
    expect((await check([up], { here })).warnings).toEqual([
      'DATABASE_URL is of .env, in the current folder: in another folder it is not set',
    ])
  })
})
