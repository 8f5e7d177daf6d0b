import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { BallastError } from '../../src/core/errors.ts'
import { usdOf } from '../../src/core/token.ts'
import { callCli } from '../cli/callCli.ts'
import { goodYaml } from './goodYaml.ts'

const feed = '0x00000000000000000000000000000000000000f1'
const pool = '0x00000000000000000000000000000000000000F2'

const keys = `  unit: USD
  references:
    - { kind: feed, pair: WETH/USD, address: "${feed}", maxAge: 1h }
    - { kind: pool, pair: ETH/USDC, venue: uniswap-v3, address: "${pool}" }
    - { kind: order-book, pair: WETH/USDC }
    - { kind: order-book, pair: WETH/USDC, url: "https://books.example/key-of-the-book/v1", maxAge: 2s }
  stablecoins: { USDC: 50 bps }
`
const yaml = goodYaml.replace('strategies:', `${keys}strategies:`)

function inFolder(text: string): string {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-config-'))
  writeFileSync(join(cwd, 'ballast.yaml'), text)
  return cwd
}
const load = (text: string) =>
  loadConfig({ file: 'ballast.yaml', environment: {}, cwd: inFolder(text) })

const complaints = (text: string): readonly string[] => {
  try {
    load(text)
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    const others = Object.entries(error.facts).filter(([name]) => /^problem\d/.test(name))
    return [error.summary, ...others.map(([, sentence]) => String(sentence))]
  }
  return []
}
const changed = (from: string, to: string) => {
  expect(yaml).toContain(from)
  return yaml.replace(from, to)
}

describe('policy.references: a right file', () => {
  test('becomes values; the currency stands as its wrapped token', () => {
    const { policy, tokens } = load(yaml)
    const usd = usdOf(31337)
    const [weth, usdc] = [tokens.wrapped, tokens.bySymbol.get('USDC')]
    expect(policy.unit).toEqual(usd)
    expect(policy.stablecoins).toEqual([{ token: usdc, deviationBpsMax: 50 }])
    expect(policy.references).toMatchObject([
      { kind: 'feed', pair: [weth, usd], address: feed, ageMsMax: 3_600_000 },
      { kind: 'pool', pair: [weth, usdc], venue: 'uniswap-v3', address: pool },
      { kind: 'order-book', pair: [weth, usdc], url: undefined, ageMsMax: 5_000 },
      { kind: 'order-book', pair: [weth, usdc], ageMsMax: 2_000 },
    ])
    const last = policy.references[3]
    expect(last?.kind === 'order-book' && last.url?.reveal()).toBe(
      'https://books.example/key-of-the-book',
    )
    expect(tokens.bySymbol.has('USD')).toBe(false)
  })

  test('without the keys nothing is priced', () => {
    expect(load(goodYaml).policy).toMatchObject({
      unit: usdOf(31337),
      references: [],
      stablecoins: [],
    })
  })

  test('a key in the address of a book is not shown', async () => {
    const { stdout, stderr } = await callCli(['config', 'show'], { cwd: inFolder(yaml) })
    expect(stdout).toContain('https://books.example')
    expect(stdout + stderr).not.toContain('key-of-the-book')
  })
})

/** What is changed in the right file, and the one sentence that answers it. */
const mistakes: readonly (readonly [name: string, from: string, to: string, sentence: string])[] = [
  [
    'an unknown unit',
    'unit: USD',
    'unit: EUR',
    "ballast.yaml:34:3 policy.unit: 'EUR' is not a configured token. Known tokens: ETH, WETH, USDC, USD.",
  ],
  [
    'an unknown kind',
    'kind: feed',
    'kind: oracle',
    "ballast.yaml:36:9 policy.references[0].kind: is 'oracle': write one of pool, feed, order-book.",
  ],
  [
    'a key of another kind',
    'maxAge: 1h',
    'maxAge: 1h, venue: uniswap-v2',
    'ballast.yaml:36:104 policy.references[0].venue: does not belong to a reference of kind feed: remove it.',
  ],
  [
    'a feed of any age',
    ', maxAge: 1h',
    '',
    "ballast.yaml:36:7 policy.references[0].maxAge: is missing: write for example '1h'.",
  ],
  [
    'a pool without an address',
    `, address: "${pool}"`,
    '',
    "ballast.yaml:37:7 policy.references[1].address: is missing: write for example '0x5FbDB2315678afecb367f032d93F642f64180aa3'.",
  ],
  [
    'a misspelt key',
    'venue: uniswap',
    'venu: uniswap',
    'ballast.yaml:37:37 policy.references[1].venu: is not a known key; did you mean venue?',
  ],
  [
    'half a pair',
    'pair: WETH/USD,',
    'pair: WETH,',
    "ballast.yaml:36:21 policy.references[0].pair: 'WETH' is not a pair: write for example 'WETH/USDC'.",
  ],
  [
    'a pair of three',
    'pair: WETH/USD,',
    'pair: WETH/USDC/USD,',
    "ballast.yaml:36:21 policy.references[0].pair: 'WETH/USDC/USD' is not a pair: write for example 'WETH/USDC'.",
  ],
  [
    'an unknown token in a pair',
    'pair: ETH/USDC',
    'pair: ETH/USDT',
    "ballast.yaml:37:21 policy.references[1].pair: 'USDT' is not a configured token; did you mean USDC? Known tokens: ETH, WETH, USDC, USD.",
  ],
  [
    'a pair of one token',
    'pair: ETH/USDC',
    'pair: ETH/WETH',
    'ballast.yaml:37:21 policy.references[1].pair: ETH and WETH are the same: write what the price is in, such as ETH/USD.',
  ],
  [
    'a pool of dollars',
    'pair: ETH/USDC',
    'pair: ETH/USD',
    'ballast.yaml:37:21 policy.references[1].pair: no pool trades US dollars: write the token it trades, or use kind: feed.',
  ],
  [
    'a contract that is listed twice',
    pool,
    feed,
    'ballast.yaml:37:56 policy.references[1].address: is in this list already: a price counts once, so keep one of them.',
  ],
  [
    'a book that is listed twice, the other way round',
    'kind: order-book, pair: WETH/USDC }',
    'kind: order-book, pair: WETH/USDC }\n    - { kind: order-book, pair: USDC/ETH }',
    'ballast.yaml:39:27 policy.references[3].pair: is in this list already: a price counts once, so keep one of them.',
  ],
  [
    'an unknown stablecoin',
    '{ USDC: 50 bps }',
    '{ DAI: 50 bps }',
    "ballast.yaml:40:18 policy.stablecoins.DAI: 'DAI' is not a configured token. Known tokens: ETH, WETH, USDC.",
  ],
  [
    'the dollar as a stablecoin',
    '{ USDC: 50 bps }',
    '{ USD: 50 bps }',
    "ballast.yaml:40:18 policy.stablecoins.USD: 'USD' is not a configured token; did you mean USDC? Known tokens: ETH, WETH, USDC.",
  ],
  [
    'a peg in percent',
    '{ USDC: 50 bps }',
    '{ USDC: 1 % }',
    "ballast.yaml:40:18 policy.stablecoins.USDC: '1 %' is in percent: write '100 bps'.",
  ],
  [
    'dollars among the allowed tokens',
    'tokens: [ETH, WETH, USDC]',
    'tokens: [ETH, WETH, USDC, USD]',
    "ballast.yaml:20:29 policy.tokens[3]: 'USD' is not a configured token; did you mean USDC? Known tokens: ETH, WETH, USDC.",
  ],
  [
    'a token at the address of the dollar',
    '0x5fbdb2315678afecb367f032d93f642f64180aa8',
    '0x0000000000000000000000000000000000000348',
    'ballast.yaml:16:11 tokens.USDC.address: 0x0000000000000000000000000000000000000348 stands for the US dollar, and no token is there: write the address of USDC.',
  ],
]

describe('policy.references: one sentence for', () => {
  test.for(mistakes)('%s', ([, from, to, sentence]) => {
    expect(complaints(changed(from, to))).toEqual([sentence])
  })

  test('a token that is called USD', () => {
    const token =
      '  USD: { address: "0x5fbdb2315678afecb367f032d93f642f64180ab1", decimals: 6 }\nwallet:'
    expect(complaints(changed('wallet:', token))).toEqual([
      'ballast.yaml:17:3 tokens.USD: USD is the US dollar itself, which policy counts in and nobody can trade: give the token another symbol.',
    ])
  })
})
