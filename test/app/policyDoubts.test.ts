import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contradictionsIn, looseLimits } from '../../src/app/policyDoubts.ts'
import { tokenDoubts } from '../../src/app/tokenDoubts.ts'
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
  [
    'confirmations: 2',
    'confirmations: 2\n  witness: { rpcUrl: "https://other.example", above: 20000 USD, sends: false }',
    'chain.witness.above (20000 USD) is not below policy.notional.perSwap (20000 USD): no swap is witnessed',
  ],
  [
    'strategies:',
    'treasury: { perDay: 19999 USD }\nstrategies:',
    'treasury.perDay (19999 USD) is below policy.notional.perSwap (20000 USD)',
  ],
  ['maxGas: "1500000"', 'maxGas: "99999"', 'policy.maxGas (99999) is less than any swap uses'],
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

test.each([
  [
    'confirmations: 2',
    'confirmations: 2\n  witness: { rpcUrl: "https://other.example", above: 19999 USD, sends: false }',
  ],
  ['strategies:', 'treasury: { perHour: 20000 USD, perDay: 20000 USD }\nstrategies:'],
  ['maxGas: "1500000"', 'maxGas: "100000"'],
])('%s as %s is in no doubt', (from, to) => {
  expect(contradictionsIn(read(folderWith([from, to])))).toEqual([])
})

test.each([
  [
    '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    ['tokens.USDC has the address of USDT on ethereum'],
  ],
  ['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', []],
  [
    '0x5fbdb2315678afecb367f032d93f642f64180aa8',
    [
      'tokens.USDC is not the USDC that is known of ethereum, 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48: make sure that it is the coin you mean',
    ],
  ],
])('USDC of Ethereum at %s: %o', (address, sentences) => {
  const config = read(
    folderWith(
      ['chainId: 31337', 'chainId: 1'],
      ['0x5fbdb2315678afecb367f032d93f642f64180aa8', address],
      ['0x5fbdb2315678afecb367f032d93f642f64180aa7', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'],
    ),
  )
  expect(tokenDoubts(config)).toEqual(sentences)
  // Nothing is known of a chain of one's own.
  expect(tokenDoubts({ ...config, chain: { ...config.chain, chainId: 31_337 } })).toEqual([])
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
