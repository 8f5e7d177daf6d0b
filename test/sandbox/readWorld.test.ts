import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { BallastError } from '../../src/core/errors.ts'
import { readWorld } from '../../src/sandbox/readWorld.ts'

const folder = mkdtempSync(join(tmpdir(), 'ballast-'))
afterAll(() => rmSync(folder, { recursive: true }))

const shipped = (name: string) =>
  readWorld(fileURLToPath(new URL(`../../src/sandbox/${name}`, import.meta.url)))

const read = (text: string) => {
  const file = join(folder, 'world.yaml')
  writeFileSync(file, text)
  return readWorld(file)
}
const refusal = (text: string): BallastError => {
  try {
    read(text)
  } catch (error) {
    if (error instanceof BallastError) return error
    throw error
  }
  throw new Error('was accepted')
}

const small = `chain: { name: local, chainId: 31337, label: Local, token: ETH, blockTimeSeconds: 1 }
tokens:
  WETH: { decimals: 18, wrapsNative: true }
  USDC: { decimals: 6 }
pools:
  - { kind: uniswap-v2, tokens: [WETH, USDC], reserves: [1000, 3000000] }
makers:
  - name: maker-a
    inventory: { WETH: 500 }
    books:
      - { pair: [WETH, USDC], bid: [[10, 3000.10]] }
wallets:
  treasury: { native: 10, WETH: 100.000000000000000001 }
`

describe('readWorld', () => {
  test('the worlds that ship are valid', () => {
    expect(Object.keys(shipped('world.yaml').tokens)).toContain('WBTC')
    expect(shipped('fixed.yaml').prices).toBeUndefined()
  })

  test('numbers need no quotes and lose no digit', () => {
    const world = read(small)
    expect(world.wallets.treasury).toEqual({ native: '10', WETH: '100.000000000000000001' })
    expect(world.makers[0]?.books[0]).toMatchObject({ bid: [['10', '3000.10']] })
    expect(world.service).toEqual({
      apiKeys: [],
      widgetFeeBps: 0,
      defaultExpirySeconds: 60,
      maxExpirySeconds: 120,
      hubs: [],
      gasWeight: 1,
      shareBps: 2_500,
      impactBpsMax: 1_000,
      rateLimit: { perSecond: 1_000, burst: 2_000 },
      errorStyle: 'status',
    })
  })

  test.each([
    ['an unknown key', small.replace('label:', 'lable:'), /^world\.yaml:1:\d+: chain/],
    [
      'an unknown token in a pool',
      small.replace('[WETH, USDC], reserves', '[WETH, USDT], reserves'),
      /^world\.yaml:6:\d+: pools\.0\.tokens\.1: USDT is not among the tokens/,
    ],
    [
      'an amount in words',
      small.replace('500', 'many'),
      /^world\.yaml:9:\d+: makers\.0\.inventory\.WETH: is not a plain decimal number/,
    ],
    ['an exponent', small.replace('3000000', '3e6'), /^world\.yaml:6:\d+: pools\.0\.reserves\.1/],
    [
      'a price beyond 15 digits',
      small.replace('3000.10', '3000.1000000000001'),
      /^world\.yaml:11:\d+: makers\.0\.books\.0\.bid\.0\.1: has more than 15 digits/,
    ],
    [
      'no wrapped token',
      small.replace(', wrapsNative: true', ''),
      /^world\.yaml:3:\d+: tokens: exactly one token wrapsNative/,
    ],
    [
      'no treasury',
      small.replace('treasury:', 'safe:'),
      /^world\.yaml:13:\d+: wallets: a wallet named treasury is needed/,
    ],
    ['broken YAML', small.replace('tokens: [WETH', 'tokens: [[WETH'), /^world\.yaml:\d+:\d+: /],
    ['a key twice', `${small}chain: {}\n`, /^world\.yaml:14:1: Map keys must be unique/],
    [
      'a book that follows nothing',
      small.replace('bid: [[10, 3000.10]]', 'follow: { halfSpreadBps: 4, sizes: [1] }'),
      /^world\.yaml:11:\d+: makers\.0\.books\.0\.follow: there are no prices to follow/,
    ],
  ])('refuses %s, and says where', (_name, text, message) => {
    const error = refusal(text)
    expect(error).toMatchObject({ code: 'WORLD_INVALID', fault: 'usage' })
    expect(error.summary).toMatch(message)
  })

  test('a file that is not there is a sentence', () => {
    expect(() => readWorld(join(folder, 'nothing.yaml'))).toThrow('nothing.yaml cannot be read.')
  })
})
