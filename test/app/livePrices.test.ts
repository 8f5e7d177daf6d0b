import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { assertStrategyPriced, isWitnessed } from '../../src/app/livePrices.ts'
import { checkStrategies } from '../../src/bot/strategy/load.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { tokenOf } from '../../src/core/amount.ts'
import { BallastError } from '../../src/core/errors.ts'
import { goodYaml } from '../config/goodYaml.ts'

function load(text: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'ballast-prices-'))
  writeFileSync(join(cwd, 'ballast.yaml'), text)
  return loadConfig({ file: 'ballast.yaml', environment: {}, cwd })
}

/** The code of the refusal of the one strategy; undefined where it may trade. */
function refusal(use: string, params: string, bands = '', more: readonly string[] = []) {
  const entry = `${bands}strategies:\n  - { name: one, use: ${use}, params: ${params} }\ndatabase`
  const config = load(goodYaml.replace(/strategies:[\s\S]*?database/, entry))
  const { loaded, problems } = checkStrategies(config)
  expect(problems).toEqual([])
  const tokens = more.map((symbol) => tokenOf(symbol, config.tokens.bySymbol))
  try {
    for (const one of loaded) assertStrategyPriced(config, one, tokens)
  } catch (error) {
    return error instanceof BallastError ? error.code : error
  }
  return undefined
}

const slice = 'sell: 1 WETH, buy: USDC'
const dca = `${slice}, cron: "0 9 * * 1", timeZone: UTC, tolerance: 50 bps`
const price = '3000 USDC per WETH'
const follows = 'tolerance: 50 bps, every: 5s'

describe('a price of a person', () => {
  test.each([
    ['a limit by default', 'threshold', `{ ${slice}, every: 5s, price: ${price} }`],
    [
      'take-profit',
      'threshold',
      `{ ${slice}, every: 5s, when: take-profit, entry: ${price}, gain: 5 % }`,
    ],
    [
      'balance with a worst price',
      'threshold',
      `{ ${slice}, ${follows}, when: balance, above: 1 WETH, price: ${price} }`,
    ],
    ['dca with a worst price', 'dca', `{ ${dca}, price: ${price} }`],
    ['dca with a band', 'dca', `{ ${dca}, priceMin: ${price}, priceMax: 4000 USDC per WETH }`],
  ])('%s bounds every floor', (_, use, params) => {
    expect(refusal(use, params)).toBeUndefined()
  })

  test.each([
    ['a stop', 'threshold', `{ ${slice}, ${follows}, when: stop, price: ${price} }`],
    [
      'a trailing bound',
      'threshold',
      `{ ${slice}, ${follows}, when: trailing, trail: 3 %, price: ${price} }`,
    ],
    [
      'balance at the market',
      'threshold',
      `{ ${slice}, ${follows}, when: balance, above: 1 WETH }`,
    ],
    ['dca at the market', 'dca', `{ ${dca} }`],
  ])('%s has none, and is refused without a witness or bands', (_, use, params) => {
    const band = (symbol: string) => `${symbol}: { min: 0.5 USD, max: 8000 USD }`
    const bands = `  bands: { ${band('WETH')}, ${band('USDC')} }\n`
    expect(refusal(use, params)).toBe('PRICE_UNWITNESSED')
    expect(refusal(use, params, `  bands: { ${band('WETH')} }\n`)).toBe('PRICE_UNWITNESSED')
    expect(refusal(use, params, bands)).toBeUndefined()
    // A band of WETH is one of ETH as well.
    expect(refusal(use, params, bands, ['ETH'])).toBeUndefined()
  })

  test('the tokens of an intent count, not only those that its strategy watches', () => {
    const bands = '  bands: { USDC: { min: 0.9 USD, max: 1.1 USD } }\n'
    expect(refusal('dca', `{ ${dca} }`, bands, ['ETH'])).toBe('PRICE_UNWITNESSED')
  })
})

test.each([
  ['https://one.example', 'https://two.example', true],
  ['https://one.example/key-1', 'https://one.example:8443/key-2', false],
  ['https://one.example', 'https://ONE.example./other', false],
  ['http://127.0.0.1:8545', 'http://localhost:8547', true],
  ['http://127.0.0.1:8545', 'https://two.example', true],
])('a witness of %s at %s is another party: %s', (rpcUrl, witness, expected) => {
  const config = load(
    goodYaml.replace(
      'rpcUrl: http://127.0.0.1:8545',
      `rpcUrl: ${rpcUrl}\n  witness: { rpcUrl: "${witness}", above: 5000 USD }`,
    ),
  )
  expect(isWitnessed(config)).toBe(expected)
})
