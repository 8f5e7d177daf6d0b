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
  expect(stdout.trimEnd().split('\n').slice(-2)).toEqual([
    `Where the file refuses, and when: ballast plan --config '${path}' names the lines.`,
    `Next: correct what is refused above, then ballast dry-run --config '${path}'`,
  ])
})
