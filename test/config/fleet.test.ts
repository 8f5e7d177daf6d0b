import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { show } from '../../src/core/amount.ts'
import { BallastError } from '../../src/core/errors.ts'
import { goodYaml } from './goodYaml.ts'

/** A file with several wallets and chains. */

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-fleet-'))
})

type Section = Record<string, unknown>
type Fleet = { wallets: Section[]; chains: Section[] } & Section

const addressOf = (digit: string) => `0x${'0'.repeat(39)}${digit}`

/** Two chains; two wallets on the first, the second of them with a policy of its own, and one on the other. */
function fleet(): Fleet {
  const { chain, service, tokens, wallet: _, ...rest } = parse(goodYaml)
  const entry = (name: string, on: string, digit: string) => ({
    ...{ name, chain: on, address: addressOf(digit) },
  })
  const chainAt = (name: string, chainId: string, port: string) => ({
    chain: { ...chain, name, chainId, rpcUrl: `http://127.0.0.1:${port}` },
    ...{ service, tokens },
  })
  return {
    ...rest,
    database: 'postgres://ballast@127.0.0.1/ballast',
    treasury: { perDay: '900000 USD' },
    chains: [chainAt('near', '31337', '8545'), chainAt('far', '31338', '9545')],
    wallets: [
      entry('one', 'near', '1'),
      { ...entry('two', 'near', '2'), policy: { ...rest.policy, cooldown: '9s' } },
      { ...entry('three', 'far', '1'), strategies: [] },
    ],
  }
}

function load(
  file: Section,
  wallet?: string,
  environment: Record<string, string> = {},
  needs: 'everything' | 'journal' = 'everything',
) {
  writeFileSync(join(cwd, 'ballast.yaml'), stringify(file, { defaultStringType: 'QUOTE_DOUBLE' }))
  return loadConfig({ file: 'ballast.yaml', environment, cwd, needs, wallet })
}

function complaints(file: Section, wallet = 'one', environment: Record<string, string> = {}) {
  try {
    load(file, wallet, environment)
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    const { code, summary, facts } = error
    const more = Object.entries(facts).filter(([name]) => /^problem\d/.test(name))
    return { code, lines: [summary, ...more.map(([, sentence]) => String(sentence))] }
  }
  return { code: undefined, lines: [] }
}

test('each wallet reads its own entry, then its chain, then the top', () => {
  const [one, two, three] = ['one', 'two', 'three'].map((name) => load(fleet(), name))
  expect([one, two, three].map((config) => config?.wallet.address)).toEqual(
    ['1', '2', '1'].map(addressOf),
  )
  expect([one, two, three].map((config) => config?.chain.chainId)).toEqual([31337, 31337, 31338])
  expect(three?.chain.rpcUrl.reveal()).toBe('http://127.0.0.1:9545')
  expect([one, two].map((config) => config?.policy.cooldownMs)).toEqual([0, 9_000])
  expect([one, three].map((config) => config?.strategies.length)).toEqual([1, 0])
  expect(show(one?.treasury?.perDay ?? ({} as never))).toBe('900000 USD')
})

test('the journal of each is a schema of the one database', () => {
  const schemas = ['one', 'two', 'three'].map((name) => load(fleet(), name).database.schema)
  expect(schemas).toEqual([
    `wallet_31337_${addressOf('1').slice(2)}`,
    `wallet_31337_${addressOf('2').slice(2)}`,
    `wallet_31338_${addressOf('1').slice(2)}`,
  ])
  writeFileSync(join(cwd, 'single.yaml'), goodYaml)
  const single = loadConfig({ file: 'single.yaml', environment: {}, cwd })
  expect([single.isFleet, single.database]).toEqual([
    false,
    { dialect: 'sqlite', path: join(cwd, 'ballast.db') },
  ])
})

describe('a wallet must be named', () => {
  test('where there are several', () => {
    expect(() => load(fleet())).toThrow(
      expect.objectContaining({ code: 'WALLET_NOT_NAMED', facts: { known: 'one, two, three' } }),
    )
    expect(complaints(fleet(), 'tow').lines).toEqual([
      "The configuration has no wallet 'tow'. Did you mean two?",
    ])
  })

  test('and is the only one where there is one', () => {
    const single = parse(goodYaml)
    expect(load(single, single.wallet.name).wallet.name).toBe(single.wallet.name)
    expect(complaints(single, 'other').code).toBe('WALLET_NOT_NAMED')
  })
})

describe('what is wrong is found at its place', () => {
  const cases: [string, (file: Fleet) => void, RegExp][] = [
    [
      'in a policy of its own',
      (file) => Object.assign(file.wallets[0] ?? {}, { policy: { cooldwn: '1s' } }),
      /^ballast\.yaml:\d+:\d+ wallets\[0\]\.policy\.cooldwn: /,
    ],
    [
      'in a chain',
      (file) => Object.assign(file.chains[0]?.chain as Section, { chainId: 'x' }),
      /chains\[0\]\.chain\.chainId: 'x'/,
    ],
    ['at the top', (file) => Object.assign(file, { polcy: {} }), /^ballast\.yaml:\d+:\d+ polcy: /],
    [
      'a file as the database',
      (file) => Object.assign(file, { database: 'sqlite:./ballast.db' }),
      /database: is a file, and a file serves one process/,
    ],
    [
      'a second wallet of one name',
      (file) => Object.assign(file.wallets[1] ?? {}, { name: 'one' }),
      /wallets\[1\]\.name: is the second 'one'/,
    ],
    [
      'an unknown chain',
      (file) => Object.assign(file.wallets[1] ?? {}, { chain: 'nowhere' }),
      /wallets\[1\]\.chain: is not the name of a chain of this file: write one of near, far\./,
    ],
    [
      'a chain of its own',
      (file) => Object.assign(file.wallets[1] ?? {}, { chain: { name: 'near' } }),
      /wallets\[1\]\.chain: is not the name of a chain of this file/,
    ],
    [
      'a name where the file has one chain at its top',
      (file) => {
        Object.assign(file, file.chains[0])
        Object.assign(file, { chains: undefined })
      },
      /wallets\[2\]\.chain: is not the name of a chain of this file: write one of near\./,
    ],
    [
      'one chain under two names',
      (file) => Object.assign(file.chains[1]?.chain as Section, { chainId: 31337 }),
      /wallets\[2\]\.address: is the account of 'one' too/,
    ],
    [
      'no chain where there are two',
      (file) => delete file.wallets[1]?.chain,
      /wallets\[1\]: has no chain/,
    ],
    [
      'one wallet beside several',
      (file) => Object.assign(file, { wallet: { name: 'x', address: addressOf('7') } }),
      /wallet: stands beside wallets/,
    ],
    [
      'what is one for all',
      (file) => Object.assign(file.wallets[1] ?? {}, { database: 'sqlite:./two.db' }),
      /wallets\[1\]\.database: is one for all wallets/,
    ],
    [
      'what is of a wallet in a chain',
      (file) => Object.assign(file.chains[1] ?? {}, { signer: { kind: 'environment' } }),
      /chains\[1\]\.signer: is of a wallet/,
    ],
    [
      'one account on one chain twice',
      (file) => Object.assign(file.wallets[1] ?? {}, { address: addressOf('1') }),
      /wallets\[1\]\.address: is the account of 'one' too/,
    ],
    [
      'a treasury in another unit',
      (file) => Object.assign(file, { treasury: { perDay: '5 WETH' } }),
      /treasury\.perDay: is not in USD/,
    ],
    [
      'an empty list',
      (file) => Object.assign(file, { wallets: [] }),
      /wallets: is no list with an entry/,
    ],
  ]
  test.each(cases)('%s', (_, change, sentence) => {
    const file = fleet()
    change(file)
    const { code, lines } = complaints(file)
    expect(code).toBe('CONFIG_INVALID')
    expect(lines.filter((line) => sentence.test(line))).toHaveLength(1)
  })
})

describe('variables', () => {
  const key = (digit: string) => `0x${digit.repeat(64)}`

  test('name the chain and the wallet', () => {
    const environment = {
      RPC_URL_FAR: 'http://127.0.0.1:7777',
      WITNESS_RPC_URL_FAR: 'http://127.0.0.1:7778',
      QUOTE_API_URL_FAR: 'http://127.0.0.1:7779',
      QUOTE_API_KEY_FAR: 'far-key',
      WALLET_KEY_THREE: key('3'),
      WALLET_KEY: key('9'),
    }
    const file = fleet()
    for (const { chain } of file.chains)
      Object.assign(chain as Section, {
        witness: { rpcUrl: 'http://127.0.0.1:5', above: '5000 USD' },
      })
    const [one, three] = ['one', 'three'].map((name) => load(file, name, environment))
    expect(one?.chain.rpcUrl.reveal()).toBe('http://127.0.0.1:8545')
    expect(three?.chain.rpcUrl.reveal()).toBe('http://127.0.0.1:7777')
    expect(three?.chain.witness?.rpcUrl.reveal()).toBe('http://127.0.0.1:7778')
    expect(three?.service.url.reveal()).toBe('http://127.0.0.1:7779')
    expect(one?.service.url.reveal()).not.toBe('http://127.0.0.1:7779')
    expect([one, three].map((config) => config?.service.apiKey?.reveal())).toEqual([
      undefined,
      'far-key',
    ])
    expect([one, three].map((config) => config?.wallet.key?.reveal())).toEqual([
      undefined,
      key('3'),
    ])
  })

  test.each(['RPC_URL', 'QUOTE_API_URL', 'QUOTE_API_KEY'])(
    '%s is of no one chain, and refused',
    (name) => {
      const { lines } = complaints(fleet(), 'one', { [name]: 'http://127.0.0.1:7777' })
      expect(lines).toEqual([
        `${name} in the environment: is of one chain, and the file has several: name the chain too, as ${name}_<CHAIN>.`,
      ])
    },
  )
})

test('the example is a file that each of its wallets can read', () => {
  const file = readFileSync(
    new URL('../../deploy/fleet/ballast.example.yaml', import.meta.url),
    'utf8',
  )
  writeFileSync(join(cwd, 'ballast.yaml'), file)
  const read = (wallet: string) =>
    loadConfig({ file: 'ballast.yaml', environment: {}, cwd, wallet })
  expect(['treasury', 'desk'].map((name) => read(name).chain.name)).toEqual(['ethereum', 'base'])
  expect(read('desk').policy.cooldownMs).toBe(read('treasury').policy.cooldownMs)
})
