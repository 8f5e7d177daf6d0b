import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { readMakerConfig } from '../../src/config/maker/readMakerConfig.ts'
import { BallastError } from '../../src/core/errors.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-config-'))
})

const yaml = `name: maker-a
chain: { chainId: 1, rpcUrl: "http://127.0.0.1:8545" }
router: "0x5FbDB2315678afecb367f032d93F642f64180aa3"
tokens:
  WETH: { address: "0x5fbdb2315678afecb367f032d93f642f64180aa7", decimals: 18 }
  USDC: { address: "0x5fbdb2315678afecb367f032d93f642f64180aa8", decimals: 6 }
books:
  - { pair: [WETH, USDC], bid: [["10", "3000"]], ask: [["10", "3010"]] }
`
const key = `0x${'11'.repeat(32)}`

function load(environment: Record<string, string>, text = yaml) {
  writeFileSync(join(cwd, 'maker.yaml'), text)
  return readMakerConfig({ file: 'maker.yaml', environment, cwd })
}

function problemsOf(environment: Record<string, string>, text = yaml): readonly string[] {
  try {
    load(environment, text)
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    const others = Object.entries(error.facts).filter(([name]) => /^problem\d/.test(name))
    return [error.summary, ...others.map(([, sentence]) => String(sentence))]
  }
  return []
}

test('maker.yaml: a variable stands over the node, and is checked like it', () => {
  const { rpcUrl } = load({ MAKER_KEY_MAKER_A: key, RPC_URL: ' http://127.0.0.1:9999 ' })
  expect(rpcUrl.reveal()).toBe('http://127.0.0.1:9999')
  expect(problemsOf({ MAKER_KEY_MAKER_A: key, RPC_URL: 'localhost' })).toEqual([
    "RPC_URL in the environment (chain.rpcUrl): is not a URL: write for example 'http://127.0.0.1:8545'.",
  ])
})

test('maker.yaml: a published key is refused on a main network, by its variable', () => {
  const published = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
  expect(problemsOf({ MAKER_KEY_MAKER_A: published })).toEqual([
    'MAKER_KEY_MAKER_A in the environment: is a published development key, and chain 1 is a main network: use a key nobody knows.',
  ])
})

test.each<[string, string, string]>([
  ['"3010"', '"3000"', 'books[0].bid[0]: buys at 3000 and sells at 3000: whoever does both takes'],
  ['"3010"', '"2999"', 'books[0].bid[0]: buys at 3000 and sells at 2999: whoever does both takes'],
  ['"3000"', '"0.00"', 'books[0].bid[0]: is a level of nothing: leave it out.'],
  ['[["10", "3010"]]', '[["0", "3010"]]', 'books[0].ask[0]: is a level of nothing: leave it out.'],
  [
    '[["10", "3000"]]',
    '[["10", "3000"], ["10", "3001"]]',
    'books[0].bid[1]: is better than the level before it: write the best bid first.',
  ],
  [
    '[["10", "3010"]]',
    '[["10", "3010"], ["10", "3009.9"]]',
    'books[0].ask[1]: is better than the level before it: write the best ask first.',
  ],
])('maker.yaml: %s as %s gives money away, and is refused', (from, to, sentence) => {
  expect(problemsOf({ MAKER_KEY_MAKER_A: key }, yaml.replace(from, to))).toEqual([
    expect.stringContaining(sentence),
  ])
})

test('maker.yaml: levels of one price follow each other', () => {
  const level = '["10", "3000"], ["5", "3000"]'
  const text = yaml.replace('["10", "3000"]', level)
  expect(problemsOf({ MAKER_KEY_MAKER_A: key }, text)).toEqual([])
})

test.each(['ten', '-10', '1e3', '1.2.3', '1234567890.123456'])(
  "maker.yaml: an amount of '%s' is refused at its place",
  (amount) => {
    const wrong = yaml.replace('[["10", "3000"]]', `[["${amount}", "3000"]]`)
    expect(problemsOf({ MAKER_KEY_MAKER_A: key }, wrong)).toEqual([
      expect.stringMatching(/^maker\.yaml:8:34 books\[0\]\.bid\[0\]\[0\]: /),
    ])
  },
)

test('maker.yaml: problems come in the order of the file', () => {
  const wrong = yaml.replace('[WETH, USDC]', '[WETH, DAI]').replace('decimals: 6', 'decimals: x')
  expect(problemsOf({}, wrong).map((line) => line.split(' ')[0])).toEqual(['maker.yaml:6:66'])
  const apart = yaml.replace('[WETH, USDC]', '[WETH, DAI]').replace('name: maker-a', 'name: A')
  expect(problemsOf({}, apart)).toEqual([
    "maker.yaml:1:1 name: 'A' is not a name: use lower-case letters, digits, - and _, such as 'maker-a'.",
    "maker.yaml:8:20 books[0].pair[1]: 'DAI' is not among the tokens.",
  ])
})

test('maker.yaml: plain http to a node of another machine needs a word beside it', () => {
  const away = yaml.replace('http://127.0.0.1:8545"', 'http://node:8545"')
  expect(problemsOf({ MAKER_KEY_MAKER_A: key }, away)).toEqual([
    expect.stringContaining('chain.rpcUrl: http://node:8545 is plain http to another machine'),
  ])
  expect(
    problemsOf({ MAKER_KEY_MAKER_A: key }, away.replace('8545" }', '8545", insecure: true }')),
  ).toEqual([])
})

test('maker.yaml: a key for its service is one that a header carries', () => {
  const withKey = (apiKey: string) => ({ MAKER_KEY_MAKER_A: key, MAKER_API_KEY: apiKey })
  expect(load(withKey(' a-key-between-two-desks\n')).apiKey?.reveal()).toBe(
    'a-key-between-two-desks',
  )
  for (const wrong of ['too-short', 'two words of a long key', 'ein-schlüssel-mit-umlaut'])
    expect(problemsOf(withKey(wrong))).toEqual([
      'MAKER_API_KEY in the environment: is no key of 16 to 512 characters without spaces (its value is not shown).',
    ])
})

test.each(['[WETH, USDC]', '[USDC, WETH]'])('maker.yaml: two books of one pair, as %s', (pair) => {
  const text = `${yaml}  - { pair: ${pair}, ask: [["30000", "0.00032"]] }\n`
  expect(problemsOf({ MAKER_KEY_MAKER_A: key }, text)).toEqual([
    expect.stringMatching(
      /^maker\.yaml:9:5 books\[1\]: is a second book of (?:WETH and USDC|USDC and WETH): write one for both ways\.$/,
    ),
  ])
})
