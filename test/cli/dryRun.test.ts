import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { callCli } from './callCli.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin()
})
afterAll(() => fork.close())

test('dry-run of one strategy alone leaves what the others keep for themselves, as the bot does', async () => {
  const strategies = `strategies:
  - { name: spread, use: twap, params: { sell: 100 WETH, buy: USDC, start: 2099-01-01, slices: 2, every: 1h, tolerance: 50 bps } }
  - { name: sells, use: threshold, params: { sell: 1 WETH, buy: USDC, price: 1 USDC, every: 1s } }
`
  const text = readFileSync(fork.ready.config, 'utf8')
  const path = join(fork.dataDir, 'reserved.yaml')
  writeFileSync(path, text.replace(/strategies:\n(?: {2}.*\n)+/, strategies))
  const { stdout } = await callCli(['dry-run', 'sells', '--json', '--config', path], {
    ...{ environment: { RPC_URL: fork.ready.rpcUrl }, cwd: fork.dataDir },
  })
  expect(JSON.parse(stdout).results).toMatchObject([
    { strategy: 'sells', outcome: 'wait', reason: 'Holds 0 WETH, less than the 1 WETH to sell.' },
  ])
})

test('dry-run that is refused says what to correct, and names no next step on money', async () => {
  const text = readFileSync(fork.ready.config, 'utf8')
  const path = join(fork.dataDir, 'refused.yaml')
  writeFileSync(path, text.replace(/maxDeviation: .*/, 'maxDeviation: 1 bps'))
  const { code, stdout } = await callCli(['dry-run', 'dca-weth', '--config', path], {
    ...{ environment: { RPC_URL: fork.ready.rpcUrl }, cwd: fork.dataDir },
  })
  expect(code).toBe(3)
  expect(stdout).toMatch(/^REFUSED {2}dca-weth: policy\.\S+: expected /)
  expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
    `Where the file refuses, and when: ballast plan --config '${path}' names the lines.`,
    `Next: correct what is refused above, then ballast dry-run --config '${path}'`,
  ])
})

test('dry-run ends an endless strategy, and says which', async () => {
  const endless = `import { defineStrategy } from '#strategy'
export default defineStrategy<object>({
  name: 'endless', summary: 'Never ends.', params: (fields) => fields.object({}),
  schedule: () => ({ kind: 'every', seconds: 5 }), watch: () => [],
  decide: () => { for (;;); },
})
`
  writeFileSync(join(fork.dataDir, 'endless.ts'), endless)
  const strategies = 'strategies:\n  - { name: mine, use: ./endless.ts, params: {} }\n'
  const text = readFileSync(fork.ready.config, 'utf8')
  const path = join(fork.dataDir, 'endless.yaml')
  writeFileSync(path, text.replace(/strategies:\n(?: {2}.*\n)+/, strategies))
  const { code, stdout } = await callCli(['dry-run', '--json', '--config', path], {
    ...{ environment: { RPC_URL: fork.ready.rpcUrl }, cwd: fork.dataDir },
  })
  expect(JSON.parse(stdout).error).toMatchObject({
    code: 'STRATEGY_BROKEN',
    message:
      'mine: decide failed: no answer within 2 s. It is called again after a restart, or a change of the configuration.',
  })
  expect(code).toBe(2)
})

/** The outcomes of a dry run of these strategies, and of what else the file has. */
async function outcomesOf(name: string, strategies: string, more = '') {
  const text = readFileSync(fork.ready.config, 'utf8')
  const path = join(fork.dataDir, `${name}.yaml`)
  writeFileSync(path, `${text.replace(/strategies:\n(?: {2}.*\n)+/, strategies)}${more}`)
  const call = { environment: { RPC_URL: fork.ready.rpcUrl }, cwd: fork.dataDir }
  const { code, stdout } = await callCli(['dry-run', '--json', '--config', path], call)
  const { results } = JSON.parse(stdout)
  return { path, call, code, results }
}
const selling = (name: string, priority: number, more = '') =>
  `  - { name: ${name}, use: threshold, priority: ${priority}, params: { sell: 5 ETH, buy: USDC, price: 2900 USDC, every: 2s${more} } }\n`

test('strategies that are due together take their turns by priority, each on what the one before it leaves', async () => {
  const keeps = ', keep: 9993 ETH'
  const { code, results } = await outcomesOf(
    'both',
    `strategies:\n${selling('low', 0, keeps)}${selling('high', 10, keeps)}`,
  )
  expect(code).toBe(0)
  expect(results).toMatchObject([
    { strategy: 'high', outcome: 'would-swap' },
    { strategy: 'low', outcome: 'wait' },
  ])
})

test('the limit over all wallets refuses here as it would live', async () => {
  const { path, call, code, results } = await outcomesOf(
    'treasury',
    `strategies:\n${selling('one', 0)}${selling('two', 0)}`,
    'treasury: { perDay: 20000 USD }\n',
  )
  expect(code).toBe(3)
  expect(results).toMatchObject([
    { strategy: 'one', outcome: 'would-swap' },
    { strategy: 'two', outcome: 'refused', code: 'TREASURY_LIMIT' },
  ])
  const swap = ['swap', '--sell', '8 ETH', '--buy', 'USDC', '--json', '--config', path]
  const { code: refused, stdout } = await callCli(swap, call)
  expect(refused).toBe(3)
  expect(JSON.parse(stdout).results).toMatchObject([{ code: 'TREASURY_LIMIT' }])
})

test('a price with a digit missing is said to be far from the market', async () => {
  const text = readFileSync(fork.ready.config, 'utf8')
  const path = join(fork.dataDir, 'digit.yaml')
  const strategies = `strategies:\n${selling('one', 0).replace('2900 USDC', '290 USDC')}`
  writeFileSync(path, text.replace(/strategies:\n(?: {2}.*\n)+/, strategies))
  const call = { environment: { RPC_URL: fork.ready.rpcUrl }, cwd: fork.dataDir }
  const { code, stdout, stderr } = await callCli(['dry-run', '--config', path], call)
  expect(code).toBe(0)
  expect(stdout).toContain('WOULD-SWAP  one')
  expect(stderr).toMatch(
    /^one: its price 290 USDC per ETH is 90\.\d+ % below the market of [\d.]+ USDC per ETH: it holds no swap back\.$/m,
  )
})

test('a run logs such a price once', async () => {
  const text = readFileSync(fork.ready.config, 'utf8')
  const path = join(fork.dataDir, 'logged.yaml')
  const strategies = `strategies:\n${selling('one', 0, ', limit: 5 ETH').replace('2900 USDC', '290 USDC')}`
  writeFileSync(path, text.replace(/strategies:\n(?: {2}.*\n)+/, strategies))
  const stop = new AbortController()
  const { stdout, stderr } = await callCli(['run', '--paper', '--port', '0', '--config', path], {
    environment: { RPC_URL: fork.ready.rpcUrl },
    cwd: fork.dataDir,
    signal: stop.signal,
    // By then it has looked more than once.
    onOutput: (all) => /^WAIT {4}one: /m.test(all) && stop.abort(),
  })
  expect(stdout).toContain('SETTLED one')
  expect(stderr.match(/one: its price 290 USDC per ETH is 90\.\d+ % below/g)).toHaveLength(1)
})
