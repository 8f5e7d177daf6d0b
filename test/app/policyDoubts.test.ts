import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contradictionsIn, looseLimits } from '../../src/app/policyDoubts.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { callCli } from '../cli/callCli.ts'
import { goodYaml } from '../config/goodYaml.ts'

function folderWith(...changes: readonly (readonly [string, string])[]): string {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-policy-'))
  const text = changes.reduce((before, [from, to]) => {
    expect(before).toContain(from)
    return before.replace(from, to)
  }, goodYaml)
  writeFileSync(join(cwd, 'ballast.yaml'), text)
  return cwd
}
const read = (cwd: string) => loadConfig({ file: 'ballast.yaml', environment: {}, cwd })

test('limits that agree and hold something back are in no doubt', () => {
  const config = read(folderWith())
  expect([...contradictionsIn(config), ...looseLimits(config)]).toEqual([])
})

test.each([
  ['perSwap: 20000 USD', 'perSwap: 0 USD', 'policy.notional.perSwap is nothing: no swap passes'],
  ['maxGasPrice: 200 gwei', 'maxGasPrice: 0 gwei', 'policy.maxGasPrice is nothing: no swap passes'],
  ['maxGasCost: 100 bps', 'maxGasCost: 0 bps', 'policy.maxGasCost is nothing: no swap passes'],
  [
    'perDay: [200 WETH',
    'perDay: [2 WETH',
    'policy.perDay (2 WETH) is below policy.perSwap (5 WETH)',
  ],
  [
    'maxDeviation: 100 bps',
    'maxDeviation: 0 bps',
    'policy.maxDeviation (0 bps) leaves no room for quote.slippage (10 bps)',
  ],
])('%s as %s lets nothing through, and is said so', (from, to, sentence) => {
  expect(contradictionsIn(read(folderWith([from, to])))).toEqual([sentence])
})

test.each([
  ['maxDeviation: 100 bps', 'maxDeviation', 1_000, []],
  ['maxDeviation: 100 bps', 'maxDeviation', 1_001, ['10.01 %']],
  ['maxSlippage: 50 bps', 'maxSlippage', 10_000, ['100 %']],
  ['maxFee: 10 bps', 'maxFee', 5_000, ['50 %']],
])('%s as %s: %i bps gives away %o', (from, key, bps, shares) => {
  const config = read(folderWith([from, `${key}: ${bps} bps`]))
  expect(looseLimits(config)).toEqual(
    shares.map((share) => `policy.${key} gives away up to ${share} of a swap`),
  )
})

test.each([
  [
    'maxGasCost: 100 bps',
    'maxGasCost: 10000 bps',
    'policy.maxGasCost gives away up to 100 % of a swap',
  ],
  [
    'minTimeToDeadline: 8s',
    'minTimeToDeadline: 8s\n  stablecoins: { USDC: 10000 bps }',
    'policy.stablecoins.USDC may lose 100 % of its dollar',
  ],
  [
    'strategies:',
    'breakers: { priceJump: { above: 10000 bps } }\nstrategies:',
    'breakers.priceJump locks no fall: none is above 100 %',
  ],
  [
    'strategies:',
    'breakers: { priceDrift: { above: 10000 bps } }\nstrategies:',
    'breakers.priceDrift locks no fall: none is above 100 %',
  ],
])('%s as %s holds nothing back, and is said so', (from, to, sentence) => {
  expect(looseLimits(read(folderWith([from, to])))).toEqual([sentence])
})

test('config check warns of both', async () => {
  const cwd = folderWith(
    ['maxDeviation: 100 bps', 'maxDeviation: 10000 bps'],
    ['200 gwei', '0 gwei'],
  )
  const { code, stdout } = await callCli(['config', 'check', '--json'], { cwd })
  expect([code, JSON.parse(stdout).warnings]).toEqual([
    0,
    [
      'policy.maxGasPrice is nothing: no swap passes',
      'policy.maxDeviation gives away up to 100 % of a swap',
    ],
  ])
})
