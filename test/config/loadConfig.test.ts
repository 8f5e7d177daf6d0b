import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { show } from '../../src/core/amount.ts'
import { BallastError } from '../../src/core/errors.ts'
import { withoutSecrets } from '../../src/core/secret.ts'
import { pathOf } from '../support/pathOf.ts'
import { goodYaml } from './goodYaml.ts'

let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ballast-config-'))
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true })
  writeFileSync(join(cwd, path), text, { mode: 0o600 })
}

function load(environment: Record<string, string> = {}, file = 'ballast.yaml') {
  return loadConfig({ file, environment, cwd })
}

/** All sentences of a refusal, the first one first. */
function complaints(yaml: string, environment: Record<string, string> = {}): readonly string[] {
  write('ballast.yaml', yaml)
  try {
    load(environment)
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', fault: 'usage' })
    return [
      error.summary,
      ...Object.entries(error.facts)
        .filter(([name]) => /^problem\d/.test(name))
        .map(([, sentence]) => String(sentence)),
    ]
  }
  return []
}

const changed = (from: string, to: string) => {
  expect(goodYaml).toContain(from)
  return goodYaml.replace(from, to)
}

describe('loadConfig: a right file', () => {
  test('becomes values', () => {
    write('ballast.yaml', goodYaml)
    const config = load()
    expect(config.chain).toMatchObject({ name: 'local', chainId: 31337, confirmations: 2 })
    expect(config.chain.rpcUrl.reveal()).toBe('http://127.0.0.1:8545')
    expect(config.service).toMatchObject({
      apiKey: undefined,
      router: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      routerCodeHash: `0x${'ab'.repeat(32)}`,
    })
    expect([...config.tokens.bySymbol.keys()]).toEqual(['ETH', 'WETH', 'USDC'])
    expect(config.tokens.wrapped.symbol).toBe('WETH')
    expect(config.tokens.native).toMatchObject({ symbol: 'ETH', decimals: 18 })
    expect(config.quote).toEqual({ expirySeconds: 30, slippageBps: 10, timeoutMs: 3_000 })
    expect(config.policy.perSwap.map(show)).toEqual(['5 WETH', '5 ETH', '15000 USDC'])
    expect(config.policy.pairs.map((pair) => pair.map(({ symbol }) => symbol).join('/'))).toEqual([
      'ETH/USDC',
      'WETH/USDC',
    ])
    expect(Object.values(config.policy.notional).map(show)).toEqual([
      '20000 USD',
      '100000 USD',
      '600000 USD',
      '600000 USD',
    ])
    expect(config.policy).toMatchObject({
      deviationBpsMax: 100,
      referencesMin: 1,
      gasCostBpsMax: 100,
      cooldownMs: 0,
      recipients: [],
      slippageBpsMax: 50,
      feeBpsMax: 10,
      gasPriceMax: 200_000_000_000n,
      gasMax: 1_500_000n,
      timeToDeadlineSecondsMin: 8,
    })
    expect(config.strategies).toEqual([
      {
        name: 'sell-strength',
        use: 'threshold',
        params: { sell: '1 WETH', buy: 'USDC', price: '2950 USDC', every: '5s' },
        path: ['strategies', 0, 'params'],
        priority: 0,
      },
    ])
    expect(config.database).toEqual({ dialect: 'sqlite', path: join(cwd, 'ballast.db') })
    expect(config.dashboard).toEqual({ host: '127.0.0.1', port: 8787, timeZone: 'UTC' })
    expect(config.wallet.key).toBeUndefined()
  })

  test('is frozen to the last amount', () => {
    write('ballast.yaml', goodYaml)
    const config = load()
    expect(Object.isFrozen(config)).toBe(true)
    expect(Object.isFrozen(config.policy.perSwap[0])).toBe(true)
    expect(Object.isFrozen(config.strategies[0]?.params)).toBe(true)
  })

  test('knows where every key is', () => {
    write('ballast.yaml', goodYaml)
    const { locate } = load()
    expect(locate(['chain', 'chainId'])).toBe('ballast.yaml:3:3')
    expect(locate(['policy', 'perSwap', 1])).toBe('ballast.yaml:23:21')
    expect(locate(['strategies', 0, 'params', 'price'])).toBe('ballast.yaml:37:40')
    expect(locate(['strategies', 0, 'params', 'nothing'])).toBe('ballast.yaml:37:5')
    expect(locate([])).toBe('ballast.yaml:1:1')
  })

  test('has defaults where they are safe', () => {
    const yaml = goodYaml
      .replace(/^ {2}confirmations.*\n/m, '')
      .replace(/^quote:.*\n/m, '')
      .replace(/^database:[\s\S]*/m, '')
    write('ballast.yaml', yaml)
    const config = load()
    expect(config.chain.confirmations).toBe(2)
    expect(config.chain).toMatchObject({ blockTimeMs: 12_000, tracing: 'required' })
    expect(config.chain.witness).toBeUndefined()
    expect(config.chain.alsoSendTo).toEqual([])
    expect(config.tokens.untraced).toEqual([])
    expect(config.quote).toEqual({ expirySeconds: 30, slippageBps: 0, timeoutMs: 3_000 })
    expect(config.dashboard).toEqual({ host: '127.0.0.1', port: 8787, timeZone: 'UTC' })
    expect(config.logLevel).toBe('info')
    expect(pathOf(config)).toBe(join(cwd, 'ballast.db'))
  })

  test('keeps its database beside itself, wherever it is loaded from', () => {
    write('conf/ballast.yaml', goodYaml)
    expect(pathOf(load({}, 'conf/ballast.yaml'))).toBe(join(cwd, 'conf/ballast.db'))
    expect(pathOf(load({ DATABASE_URL: 'sqlite:///var/b.db' }, 'conf/ballast.yaml'))).toBe(
      '/var/b.db',
    )
  })

  test('keeps the locks of wallets in one place of the account, whatever file it was loaded from', () => {
    write('conf/ballast.yaml', goodYaml)
    const folderOf = (environment = {}) => load(environment, 'conf/ballast.yaml').stateFolder
    expect(folderOf()).toBe(join(homedir(), '.local/state/ballast'))
    expect(folderOf({ XDG_STATE_HOME: '/var/lib' })).toBe('/var/lib/ballast')
    // The specification ignores a relative one.
    expect(folderOf({ XDG_STATE_HOME: 'state' })).toBe(folderOf())
    write('conf/ballast.yaml', `${goodYaml}stateFolder: ./locks\n`)
    expect(folderOf({ XDG_STATE_HOME: '/var/lib' })).toBe(join(cwd, 'conf/locks'))
  })

  test('keeps its journal on a server, whose password nothing shows; the halt file lies beside the file', () => {
    write('conf/ballast.yaml', goodYaml)
    const url = 'postgres://bot:correct%20horse@db.example:5433/journal?sslmode=verify-full'
    const { database, haltFile } = load({ DATABASE_URL: url }, 'conf/ballast.yaml')
    if (database.dialect !== 'postgres') throw new Error('a server is one')
    expect(database.url.reveal()).toBe(url)
    expect(JSON.stringify(database)).toBe('{"dialect":"postgres","url":"[secret]"}')
    expect(withoutSecrets('the password is correct horse, or correct%20horse')).toBe(
      'the password is [secret], or [secret]',
    )
    expect(haltFile).toBe(join(cwd, 'conf/HALT'))
  })

  test('keeps bodies for ten years where that is configured', () => {
    write('ballast.yaml', `${goodYaml}journal: { retention: 3650d }\n`)
    expect(load().journal.retentionMs).toBe(3_650 * 24 * 60 * 60 * 1_000)
  })

  test('keeps unquoted numbers exact', () => {
    write('ballast.yaml', changed('15000 USDC', '123456789012345678.000001 USDC'))
    expect(load().policy.perSwap.map(show)[2]).toBe('123456789012345678.000001 USDC')
  })

  test('names who may receive the fee of the service, or nobody', () => {
    write('ballast.yaml', goodYaml)
    expect(load().service.profile).toMatchObject({ feeRecipients: [] })
    const recipient = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
    const makers = '  makers: ['
    write('ballast.yaml', changed(makers, `  feeRecipients: ["${recipient}"]\n${makers}`))
    expect(load().service.profile).toMatchObject({ feeRecipients: [recipient] })
    expect(complaints(changed(makers, `  feeRecipients: [us]\n${makers}`))[0]).toContain(
      'service.feeRecipients',
    )
  })

  test('takes the address of the service with its version', () => {
    write('ballast.yaml', changed('http://127.0.0.1:8546', 'http://127.0.0.1:8546/v1/'))
    expect(load().service.url.reveal()).toBe('http://127.0.0.1:8546')
    write('ballast.yaml', changed('http://127.0.0.1:8546', 'http://127.0.0.1:8546/v1?key=abc'))
    expect(load().service.url.reveal()).toBe('http://127.0.0.1:8546?key=abc')
  })
})

describe('loadConfig: the environment', () => {
  test('overrides the file, the more particular name first', () => {
    write('ballast.yaml', goodYaml)
    const config = load({
      RPC_URL: 'https://general',
      RPC_URL_LOCAL: 'https://particular',
      QUOTE_API_URL: 'https://quotes.example/v1',
      QUOTE_API_KEY: 'key-of-the-service',
      LOG_LEVEL: 'debug',
      DATABASE_URL: 'sqlite:other.db',
    })
    expect(config.chain.rpcUrl.reveal()).toBe('https://particular')
    expect(config.service.url.reveal()).toBe('https://quotes.example')
    expect(config.service.apiKey?.reveal()).toBe('key-of-the-service')
    expect(config.logLevel).toBe('debug')
    expect(pathOf(config)).toBe(join(cwd, 'other.db'))
  })

  test('names a witness: over the file, and never without its threshold', () => {
    const witness = '  witness: { rpcUrl: https://second, above: 5000 USD }\n'
    write('ballast.yaml', changed('service:\n', `${witness}service:\n`))
    expect(load().chain.witness?.rpcUrl.reveal()).toBe('https://second')
    const { chain } = load({ WITNESS_RPC_URL: 'https://third' })
    expect(chain.witness?.rpcUrl.reveal()).toBe('https://third')
    expect(chain.witness && show(chain.witness.above)).toBe('5000 USD')
    expect(
      complaints(changed('service:\n', `${witness}service:\n`), { RPC_URL: 'https://second' }),
    ).toEqual([expect.stringContaining('a node agrees with itself')])
    // The same node by another spelling would agree with itself just as well.
    for (const [own, other] of [
      ['https://second/', 'https://SECOND:443'],
      ['https://user:word@second/v1', 'https://second/v1/'],
      ['https://second/?key=a', 'https://second/?key=b'],
      ['http://localhost:8545', 'http://127.0.0.1:8545'],
      ['http://127.0.0.1:8545', 'http://[::1]:8545'],
    ] as const)
      expect(
        complaints(changed('service:\n', `${witness}service:\n`), {
          RPC_URL: own,
          WITNESS_RPC_URL: other,
        }),
        `${own} ${other}`,
      ).toEqual([expect.stringContaining('a node agrees with itself')])
    for (const [own, other] of [
      ['http://127.0.0.1:8545', 'http://127.0.0.1:8546'],
      ['https://second/a', 'https://second/b'],
    ] as const)
      expect(load({ RPC_URL: own, WITNESS_RPC_URL: other }).chain.rpcUrl.reveal()).toBe(own)
    expect(complaints(goodYaml, { WITNESS_RPC_URL: 'https://third' })).toEqual([
      "ballast.yaml:1:1 chain.witness.above: is missing: write for example '5000 USDC'.",
    ])
    expect(complaints(changed('service:\n', `${witness.replace('USD', 'EUR')}service:\n`))).toEqual(
      [expect.stringContaining("chain.witness.above: 'EUR' is not a configured token")],
    )
  })

  test('names nodes that stand in, each one once, and none that is the witness', () => {
    const next = (...urls: readonly string[]) =>
      changed(
        'service:\n',
        `  fallbackUrls: [${urls.map((url) => `"${url}"`).join(', ')}]\nservice:\n`,
      )
    write('ballast.yaml', next('https://second', 'https://third'))
    const listed = (environment = {}) =>
      load(environment).chain.fallbackUrls.map((url) => url.reveal())
    expect(listed()).toEqual(['https://second', 'https://third'])
    expect(listed({ FALLBACK_RPC_URLS: 'https://fourth' })).toEqual(['https://fourth'])
    expect(complaints(next('http://localhost:8545/'))).toEqual([
      expect.stringContaining('is the address of an endpoint before it'),
    ])
    expect(complaints(next('https://second', 'https://SECOND:443'))).toEqual([
      expect.stringContaining('is the address of an endpoint before it'),
    ])
    const witness = '  witness: { rpcUrl: https://second, above: 5000 USD }\nservice:\n'
    expect(complaints(next('https://second').replace('service:\n', witness))).toEqual([
      expect.stringContaining('a node agrees with itself'),
    ])
    // They get the bytes already.
    const also = '  alsoSendTo: ["https://second"]\nservice:\n'
    expect(complaints(next('https://second').replace('service:\n', also))).toEqual([
      expect.stringContaining('gets the bytes already'),
    ])
  })

  test('names more endpoints that get signed bytes, each one once', () => {
    const also = (...urls: readonly string[]) =>
      changed(
        'service:\n',
        `  alsoSendTo: [${urls.map((url) => `"${url}"`).join(', ')}]\nservice:\n`,
      )
    const listed = (environment = {}) =>
      load(environment).chain.alsoSendTo.map((url) => url.reveal())
    write('ballast.yaml', also('https://second', 'https://relay.example/?key=abcdefgh'))
    expect(listed()).toEqual(['https://second', 'https://relay.example/?key=abcdefgh'])
    expect(listed({ ALSO_SEND_TO: ' https://third , https://fourth,' })).toEqual([
      'https://third',
      'https://fourth',
    ])
    write('ballast.yaml', goodYaml)
    expect(listed({ ALSO_SEND_TO: 'https://third' })).toEqual(['https://third'])

    const twice = expect.stringContaining('gets the bytes already')
    expect(complaints(also('http://localhost:8545/'))).toEqual([twice])
    expect(complaints(also('https://second', 'https://SECOND:443'))).toEqual([twice])
    expect(complaints(goodYaml, { ALSO_SEND_TO: 'http://localhost:8545' })).toEqual([
      'ALSO_SEND_TO in the environment (chain.alsoSendTo[0]): is the address of an endpoint that gets the bytes already: remove it.',
    ])
    expect(complaints(goodYaml, { ALSO_SEND_TO: 'https://third, ftp://fourth' })).toEqual([
      expect.stringMatching(/^ALSO_SEND_TO .*alsoSendTo\[1\].*begins with ftp:/),
    ])
  })

  test('a witness gets signed bytes unless it is told that it does not', () => {
    const witness = (more: string) =>
      changed(
        'service:\n',
        `  witness: { rpcUrl: https://second, above: 5000 USD${more} }\n  alsoSendTo: [https://third]\nservice:\n`,
      )
    write('ballast.yaml', witness(''))
    expect(load().chain.witness?.sends).toBe(true)
    write('ballast.yaml', witness(', sends: false'))
    expect(load().chain.witness?.sends).toBe(false)
    // What it does not get as a witness it may get as an endpoint of its own.
    const also = { ALSO_SEND_TO: 'https://second' }
    expect(load(also).chain.alsoSendTo).toHaveLength(1)
    expect(complaints(witness(''), also)).toEqual([
      expect.stringContaining('gets the bytes already'),
    ])
  })

  test('relays replace the public endpoints; what would contradict that is refused in one sentence', () => {
    const relays = (more = '', url = 'https://relay') =>
      changed('service:\n', `  sendTo: ["${url}"]\n${more}service:\n`)
    write('ballast.yaml', relays())
    const { publicAfterMs, sendTo } = load().chain
    expect([sendTo.map((url) => url.reveal()), publicAfterMs]).toEqual([
      ['https://relay'],
      undefined,
    ])
    const later = '  publicAfter: 20s\n'
    write('ballast.yaml', relays(later))
    expect(load().chain.publicAfterMs).toBe(20_000)
    expect(load({ SEND_TO: 'https://one,https://two' }).chain.sendTo).toHaveLength(2)

    const also = '  alsoSendTo: ["https://second"]\n'
    const witness = (more: string) =>
      `  witness: { rpcUrl: https://second, above: 5000 USD${more} }\n`
    const fallback = '  fallbackUrls: ["https://second"]\n'
    const isPublic = [expect.stringContaining('sendTo[0]: is the address of a public endpoint')]
    expect(complaints(relays('', 'http://localhost:8545/'))).toEqual(isPublic)
    for (const more of [fallback, also + later, witness('')])
      expect(complaints(relays(more, 'https://SECOND:443'))).toEqual(isPublic)
    expect(complaints(relays(), { SEND_TO: 'https://one,https://one/' })).toEqual([
      expect.stringContaining('is the address of an endpoint before it'),
    ])
    const idle = expect.stringContaining('sends nothing, since chain.sendTo replaces it')
    expect(complaints(relays(also))).toEqual([idle])
    expect(complaints(relays(witness(', sends: true')))).toEqual([idle])
    for (const more of [witness(''), witness(', sends: false'), fallback, also + later]) {
      write('ballast.yaml', relays(more))
      expect(load().chain.sendTo).toHaveLength(1)
    }
    expect(complaints(changed('service:\n', `${later}service:\n`))).toEqual([
      expect.stringContaining('publicAfter: says nothing without chain.sendTo'),
    ])
    expect(complaints(relays('  publicAfter: 30s\n'))).toEqual([
      expect.stringContaining('quote.expiry (30s)'),
    ])
  })

  test('an empty variable is not set', () => {
    write('ballast.yaml', goodYaml)
    expect(load({ RPC_URL: '', LOG_LEVEL: '' }).logLevel).toBe('info')
  })

  test('reads .env beside the file, then in the working directory; the real environment wins', () => {
    write('conf/ballast.yaml', goodYaml)
    write('conf/.env', 'LOG_LEVEL=warn\nRPC_URL=https://beside\nQUOTE_API_URL=https://beside\n')
    write('.env', 'RPC_URL=https://cwd\nQUOTE_API_KEY="from-the-working-directory"\n')
    const config = load({ QUOTE_API_URL: 'https://real' }, 'conf/ballast.yaml')
    expect(config.logLevel).toBe('warn')
    expect(config.chain.rpcUrl.reveal()).toBe('https://beside')
    expect(config.service.url.reveal()).toBe('https://real')
    expect(config.service.apiKey?.reveal()).toBe('from-the-working-directory')
    expect(process.env.QUOTE_API_KEY).toBeUndefined()
  })

  test('wraps the key of the wallet, whatever its form', () => {
    write('ballast.yaml', goodYaml)
    const digits = 'AC0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
    for (const key of [digits, `0x${digits}`, ` 0x${digits} `]) {
      const { wallet } = load({ WALLET_KEY: 'ignored', WALLET_KEY_TREASURY: key })
      expect(wallet.key?.reveal()).toBe(`0x${digits.toLowerCase()}`)
      expect(withoutSecrets(`a ${digits} b ${digits.toLowerCase()}`)).toBe('a [secret] b [secret]')
    }
    expect(load({ WALLET_KEY: digits }).wallet.key?.reveal()).toBe(`0x${digits.toLowerCase()}`)
  })

  const orderOfTheCurve = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
  test.for(['hunter2hunter2', `0x${'0'.repeat(64)}`, orderOfTheCurve, 'ab'.repeat(31)])(
    'refuses %s as a key without repeating it',
    (key) => {
      const found = complaints(goodYaml, { WALLET_KEY: key })
      expect(found).toEqual([
        'WALLET_KEY in the environment: is not a private key: set 0x and 64 hex digits (its value is not shown).',
      ])
    },
  )

  test.for(['1', '8453', '42161', '137'])('refuses a plain key on chain %s', (chainId) => {
    const yaml = changed('chainId: 31337', `chainId: ${chainId}`)
    expect(complaints(yaml, { WALLET_KEY: '5c'.repeat(32) })).toEqual([
      `WALLET_KEY in the environment: a plain key is for development, and chain ${chainId} is a main network: remove the variable.`,
    ])
    expect(complaints(yaml)).toEqual([])
  })

  test('a wrong value is located at its variable', () => {
    write('.env', 'LOG_LEVEL=loud\n')
    expect(complaints(goodYaml, { RPC_URL: 'ws://127.0.0.1:8545' })).toEqual([
      'RPC_URL in the environment (chain.rpcUrl): begins with ws://: write an http:// or https:// URL.',
      "LOG_LEVEL in .env (logLevel): is 'loud': write one of fatal, error, warn, info, debug, trace, silent.",
    ])
  })

  test('a URL that is no URL is not repeated: it may carry a key', () => {
    expect(complaints(goodYaml, { RPC_URL: 'rpc.example/v3/0123456789' })).toEqual([
      "RPC_URL in the environment (chain.rpcUrl): is not a URL: write for example 'http://127.0.0.1:8545'.",
    ])
  })
})

test('loadConfig: a missing file says how to get one', () => {
  expect(() => load()).toThrow(
    expect.objectContaining({
      code: 'CONFIG_MISSING',
      fault: 'usage',
      summary:
        "There is no ballast.yaml: 'ballast config init' writes one, --config FILE or BALLAST_CONFIG names another.",
    }),
  )
})

test('loadConfig: a folder is not a file', () => {
  write('ballast.yaml/inside', '')
  expect(() => load()).toThrow(
    expect.objectContaining({
      code: 'CONFIG_UNREADABLE',
      summary: 'ballast.yaml is a folder: name a file.',
    }),
  )
})

test.each([
  ['with its mark', Buffer.from(`\ufeff${goodYaml}`, 'utf16le')],
  ['without', Buffer.from(goodYaml, 'utf16le')],
])('loadConfig: a file in UTF-16, %s, is to be saved as UTF-8', (_, bytes) => {
  writeFileSync(join(cwd, 'ballast.yaml'), bytes)
  expect(() => load()).toThrow(
    expect.objectContaining({
      code: 'CONFIG_UNREADABLE',
      summary: 'ballast.yaml is not UTF-8: save it as UTF-8.',
    }),
  )
})

test('loadConfig: a comment in Latin-1 is passed over', () => {
  writeFileSync(join(cwd, 'ballast.yaml'), Buffer.from(`${goodYaml}# für`, 'latin1'))
  expect(() => load()).not.toThrow()
})

const rightRouter = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
const wrongRouter = '0x5FbDB2315678afecb367f032d93F642f64180aA3'

/** What is changed in the right file, and the one sentence that answers it. */
const mistakes: readonly (readonly [name: string, from: string, to: string, sentence: string])[] = [
  [
    'a misspelt key',
    'confirmations: 2',
    'confirmation: 2',
    'ballast.yaml:6:3 chain.confirmation: is not a known key; did you mean confirmations?',
  ],
  [
    'a misspelt section',
    'quote: {',
    'qoute: {',
    'ballast.yaml:18:1 qoute: is not a known key; did you mean quote?',
  ],
  [
    'an unknown key',
    'logLevel: info',
    'colour: red',
    'ballast.yaml:40:1 colour: is not a known key; known keys are chain, service, tokens, wallet, quote, policy, treasury, breakers, alerts, strategies, database, journal, stateFolder, haltFile, dashboard, logLevel.',
  ],
  [
    'a misspelt required key',
    'chainId: 31337',
    'chainID: 31337',
    'ballast.yaml:3:3 chain.chainID: is not a known key; did you mean chainId?',
  ],
  [
    'a missing key',
    '  maxFee: 10 bps\n',
    '',
    "ballast.yaml:19:1 policy.maxFee: is missing: write for example '10 bps'.",
  ],
  [
    'an empty value',
    'rpcUrl: http://127.0.0.1:8545',
    'rpcUrl:',
    "ballast.yaml:5:3 chain.rpcUrl: is empty: write for example 'http://127.0.0.1:8545'.",
  ],
  [
    'a list for a value',
    'name: local',
    'name: [local]',
    "ballast.yaml:2:3 chain.name: is a list: write for example 'ethereum'.",
  ],
  [
    'a value for a list',
    'perDay: [200 WETH, 200 ETH, 600000 USDC]',
    'perDay: 200 WETH',
    "ballast.yaml:24:3 policy.perDay: is '200 WETH': write for example [5 WETH, 15000 USDC].",
  ],
  [
    'a share without a unit',
    'maxSlippage: 50 bps',
    'maxSlippage: 25',
    "ballast.yaml:29:3 policy.maxSlippage: '25' has no unit: write '25 bps' (1 bps is 0.01 %).",
  ],
  [
    'a share in percent',
    'maxFee: 10 bps',
    'maxFee: 25 %',
    "ballast.yaml:30:3 policy.maxFee: '25 %' is in percent: write '2500 bps'.",
  ],
  [
    'a duration without a unit',
    'expiry: 30s',
    'expiry: 30',
    "ballast.yaml:18:10 quote.expiry: '30' has no unit: write '30s' for seconds.",
  ],
  [
    'a duration out of range',
    'expiry: 30s',
    'expiry: 5m',
    'ballast.yaml:18:10 quote.expiry: 5m is out of range: write a duration from 1s to 120s.',
  ],
  [
    'a fraction of a second',
    'minTimeToDeadline: 8s',
    'minTimeToDeadline: 8500ms',
    "ballast.yaml:33:3 policy.minTimeToDeadline: '8500ms' is not in whole seconds: write for example '8s'.",
  ],
  [
    'a gas price without a unit',
    'maxGasPrice: 200 gwei',
    'maxGasPrice: 200',
    "ballast.yaml:31:3 policy.maxGasPrice: '200' has no unit: write '200 gwei'.",
  ],
  [
    'an amount without a token',
    '5 ETH, 15000 USDC',
    '5, 15000 USDC',
    "ballast.yaml:23:21 policy.perSwap[1]: '5' does not say which token: write '5 ETH'.",
  ],
  [
    'an amount with a separator',
    '15000 USDC]',
    '"15,000 USDC"]',
    "ballast.yaml:23:28 policy.perSwap[2]: '15,000 USDC' has a comma: write the number with a point for its fraction and nothing between thousands, such as '1500.5 ETH'.",
  ],
  [
    'too many decimals',
    '15000 USDC]',
    '0.1234567 USDC]',
    'ballast.yaml:23:28 policy.perSwap[2]: 0.1234567 has more than 6 decimals.',
  ],
  [
    'an unknown token',
    'tokens: [ETH, WETH, USDC]',
    'tokens: [ETH, WETH, USDC, DAI]',
    "ballast.yaml:20:29 policy.tokens[3]: 'DAI' is not a configured token. Known tokens: ETH, WETH, USDC.",
  ],
  [
    'a misspelt token',
    '5 WETH, 5 ETH',
    '5 WETHH, 5 ETH',
    "ballast.yaml:23:13 policy.perSwap[0]: 'WETHH' is not a configured token; did you mean WETH? Known tokens: ETH, WETH, USDC.",
  ],
  [
    'a token with two limits',
    '5 WETH, 5 ETH',
    '5 WETH, 6 WETH',
    'ballast.yaml:23:21 policy.perSwap[1]: WETH is in this list already: keep one of them.',
  ],
  [
    'a wrong checksum',
    rightRouter,
    wrongRouter,
    `ballast.yaml:9:3 service.router: '${wrongRouter}' has a wrong checksum: check it letter by letter; if it is the right address it is written '${rightRouter}'.`,
  ],
  [
    'a short address',
    rightRouter,
    '0x5FbDB2315678',
    "ballast.yaml:9:3 service.router: '0x5FbDB2315678' is not an address: write 0x and 40 hex digits, in quotes.",
  ],
  [
    'the zero address, unquoted',
    `"${rightRouter}"`,
    `0x${'0'.repeat(40)}`,
    'ballast.yaml:9:3 service.router: is the zero address: write the address of the contract or account.',
  ],
  [
    '[TOKEN-21] a token at the native placeholder',
    '0x5fbdb2315678afecb367f032d93f642f64180aa8',
    '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
    "ballast.yaml:16:11 tokens.USDC.address: is the placeholder of the chain's own currency: that one is named by chain.currency and has no entry of its own.",
  ],
  [
    'two tokens at one address',
    '64180aa8',
    '64180aa7',
    'ballast.yaml:16:11 tokens.USDC.address: 0x5fbdb2315678afecb367f032d93f642f64180aa7 is the address of WETH already: give each token its own.',
  ],
  [
    'no token that wraps',
    ', wrapsNative: true',
    '',
    'ballast.yaml:14:1 tokens: no token wraps ETH: write wrapsNative: true at the one that does, such as WETH.',
  ],
  [
    'two tokens that wrap',
    'decimals: 6 }',
    'decimals: 6, wrapsNative: true }',
    'ballast.yaml:16:79 tokens.USDC.wrapsNative: WETH wraps ETH already: only one token can.',
  ],
  [
    'a truth in quotes',
    'wrapsNative: true',
    'wrapsNative: "yes"',
    "ballast.yaml:15:80 tokens.WETH.wrapsNative: is 'yes': write true or false.",
  ],
  [
    'a fraction of a decimal',
    'decimals: 6',
    'decimals: 6.5',
    "ballast.yaml:16:66 tokens.USDC.decimals: '6.5' is not a whole number: write for example '18'.",
  ],
  [
    'an exponent',
    'maxGas: "1500000"',
    'maxGas: 1.5e6',
    "ballast.yaml:32:3 policy.maxGas: '1.5e6' is not a whole number: write for example '1500000'.",
  ],
  [
    'more gas than chains take in one transaction',
    'maxGas: "1500000"',
    'maxGas: 16777217',
    'ballast.yaml:32:3 policy.maxGas: 16777217 is out of range: write a whole number from 21000 to 16777216.',
  ],
  [
    'a port out of range',
    'port: 8787',
    'port: 87870',
    'ballast.yaml:39:31 dashboard.port: 87870 is out of range: write a whole number from 0 to 65535.',
  ],
  [
    'a file name as a strategy',
    'use: threshold',
    'use: ../threshold',
    "ballast.yaml:36:5 strategies[0].use: '../threshold' is not a strategy: write the name of a file in strategies/ without .ts, such as 'threshold', or the path of a file of yours, such as './buy-low/strategy.ts'.",
  ],
  [
    'an unknown level',
    'logLevel: info',
    'logLevel: verbose',
    "ballast.yaml:40:1 logLevel: is 'verbose': write one of fatal, error, warn, info, debug, trace, silent.",
  ],
  [
    'an unsupported database',
    'sqlite:./ballast.db',
    'mysql://u@host/db',
    "ballast.yaml:38:1 database: is not a database: write sqlite: and a path, such as 'sqlite:./ballast.db', or postgres://user@host/database.",
  ],
  [
    'a password for the database',
    'sqlite:./ballast.db',
    'postgres://u:hunter2@host/db',
    'ballast.yaml:38:1 database: carries a password, and secrets never live in this file: remove it and set DATABASE_URL in the environment or .env.',
  ],
  [
    'a server without a database',
    'sqlite:./ballast.db',
    'postgres://u@host',
    'ballast.yaml:38:1 database: leaves out the user, the host or the database: write postgres://user@host/database.',
  ],
  [
    'a server whose certificate nobody looks at',
    'sqlite:./ballast.db',
    'postgres://u@host/db?sslmode=require',
    'ballast.yaml:38:1 database: has an sslmode that lets another server answer: write verify-full, or disable where nobody listens in.',
  ],
  [
    'a setting of a server that would be passed over',
    'sqlite:./ballast.db',
    'postgres://u@host/db?options=-csynchronous_commit%3Doff',
    'ballast.yaml:38:1 database: has a setting that is not known here: known are sslmode and sslrootcert.',
  ],
  [
    'a certificate of a server that is not there',
    'sqlite:./ballast.db',
    'postgres://u@host/db?sslmode=verify-full&sslrootcert=/nowhere.pem',
    'ballast.yaml:38:1 database: has an sslrootcert that cannot be read: /nowhere.pem must be a file.',
  ],
  [
    'a database that forgets',
    'sqlite:./ballast.db',
    '"sqlite::memory:"',
    'ballast.yaml:38:1 database: is a database in memory, which a crash would empty: write a path, such as sqlite:./ballast.db.',
  ],
  [
    'a slippage above its limit',
    'slippage: 10 bps',
    'slippage: 60 bps',
    'ballast.yaml:18:23 quote.slippage: 60 bps is above policy.maxSlippage (50 bps): lower it, or every swap is refused.',
  ],
  [
    'gas in another token',
    'database: sqlite',
    'breakers: { maxGasPerDay: 1 USDC }\ndatabase: sqlite',
    'ballast.yaml:38:13 breakers.maxGasPerDay: 1 USDC is not in ETH, which pays for gas: write an amount of ETH.',
  ],
  [
    'gas for nothing',
    'database: sqlite',
    'breakers: { maxGasPerDay: 0 ETH }\ndatabase: sqlite',
    'ballast.yaml:38:13 breakers.maxGasPerDay: 0 ETH locks after the first swap: write what a day may cost, or remove the key for no limit.',
  ],
  [
    'a breaker without a unit',
    'database: sqlite',
    'breakers: { priceJump: { above: 500 } }\ndatabase: sqlite',
    "ballast.yaml:38:26 breakers.priceJump.above: '500' has no unit: write '500 bps' (1 bps is 0.01 %).",
  ],
  [
    'an expiry that is always too late',
    'expiry: 30s',
    'expiry: 8s',
    'ballast.yaml:18:10 quote.expiry: 8s does not reach policy.minTimeToDeadline (8s): raise it, or every quote is too old.',
  ],
  [
    'an API key',
    'url: http://127.0.0.1:8546',
    'url: http://127.0.0.1:8546\n  apiKey: sk_live_1234567',
    'ballast.yaml:9:3 service.apiKey: is a secret, and secrets never live in this file: remove it and set QUOTE_API_KEY in the environment or .env.',
  ],
  [
    'a wallet key',
    'wallet: { name: treasury,',
    'wallet: { name: treasury, privateKey: "0x12",',
    'ballast.yaml:17:27 wallet.privateKey: is a secret, and secrets never live in this file: remove it and set WALLET_KEY in the environment or .env.',
  ],
  [
    'a private key among the parameters',
    'every: 5s }',
    `note: ${'5c'.repeat(32)} }`,
    'ballast.yaml:37:58 strategies[0].params.note: looks like a private key, and secrets never live in this file: remove it, use another key from now on, and set WALLET_KEY in the environment or .env.',
  ],
  [
    'the same key twice',
    'confirmations: 2',
    'name: other',
    'ballast.yaml:6:3 this key is in the same section twice: keep one of them.',
  ],
  [
    'a tab',
    '  chainId',
    '\tchainId',
    'ballast.yaml:3:1 the line is indented with a tab: use spaces.',
  ],
  [
    'a bracket that stays open',
    'recipients: []',
    'recipients: [',
    'ballast.yaml:23:3 the line is not indented like its section, or a bracket above is still open: indent or close it.',
  ],
]

test.for([
  ['WALLET_KEY', '11'.repeat(32)],
  ['QUOTE_API_KEY', 'a-key-of-the-service'],
  ['MAKER_KEY_MAKER_A', '11'.repeat(32)],
  ['DATABASE_URL', 'postgres://ballast:password@db.example/ballast'],
  ['DATABASE_URL', 'postgres://ballast:pass,word@db.example/ballast'],
  ['RPC_URL', 'https://rpc.example/v3/0123456789abcdef0123'],
  ['ALSO_SEND_TO', 'https://one.example,https://two.example/?k=1'],
])('loadConfig: a .env that others can read is refused for its %s', ([name, value]) => {
  write('.env', `${name}=${value}\n`)
  chmodSync(join(cwd, '.env'), 0o640)
  expect(complaints(goodYaml)).toEqual([
    `${name} in .env: others can read this file (mode 640): run chmod 600 .env.`,
  ])
  // Whoever wants to halt is not kept from it.
  expect(loadConfig({ file: 'ballast.yaml', environment: {}, cwd, needs: 'journal' })).toBeDefined()
  chmodSync(join(cwd, '.env'), 0o600)
  expect(complaints(goodYaml)).toEqual([])
})

test('loadConfig: a .env without a secret may be read by anybody', () => {
  const harmless = [
    'LOG_LEVEL=warn',
    'WALLET_PASSWORD_FILE=./password',
    'RPC_URL=https://rpc.example/ethereum/1',
    'DATABASE_URL=postgres://ballast@db.example/ballast?sslmode=verify-full',
    'WALLET_KEY=',
  ]
  write('.env', harmless.join('\n'))
  chmodSync(join(cwd, '.env'), 0o644)
  expect(complaints(goodYaml)).toEqual([])
})

test.for([
  ['rpcUrl: http://127.0.0.1:8545', 'rpcUrl: http://10.0.0.7:8545/key-in-the-path', 'chain.rpcUrl'],
  ['  confirmations: 2\n', '  alsoSendTo: [http://10.0.0.7:8545]\n', 'chain.alsoSendTo[0]'],
  [
    '  confirmations: 2\n',
    '  witness: { rpcUrl: http://10.0.0.7:8545, above: 5000 USD }\n',
    'chain.witness.rpcUrl',
  ],
  ['url: http://127.0.0.1:8546', 'url: HTTP://10.0.0.7:8545', 'service.url'],
  [
    '  cooldown: 0s\n',
    '  references: [{ kind: order-book, pair: WETH/USDC, url: "http://10.0.0.7:8545" }]\n',
    'policy.references[0].url',
  ],
  [
    'treasury, ',
    'treasury, signer: { kind: clef, url: "http://10.0.0.7:8545" }, ',
    'wallet.signer.url',
  ],
] as const)('loadConfig: plain http to another machine is refused: %s', ([from, to, key]) => {
  expect(complaints(changed(from, to))).toEqual([
    expect.stringMatching(
      new RegExp(
        `${key.replace(/[[\].]/g, '.')}: http://10.0.0.7:8545 is plain http to another machine, .* write https://, or insecure: true beside it.$`,
      ),
    ),
  ])
})

describe('loadConfig: plain http', () => {
  const away = 'rpcUrl: http://node:8545'
  const allowed = changed('rpcUrl: http://127.0.0.1:8545', `${away}\n  insecure: true`)

  test('is allowed by a word beside it, and for that section alone', () => {
    expect(complaints(allowed)).toEqual([])
    expect(complaints(allowed.replace('insecure: true', 'insecure: false'))).toHaveLength(1)
    expect(complaints(allowed.replace('127.0.0.1:8546', 'api:8546'))).toEqual([
      expect.stringContaining('service.url: http://api:8546 is plain http'),
    ])
  })

  test('of a variable is refused like that of the file', () => {
    expect(complaints(goodYaml, { RPC_URL: 'http://127.0.0.1.nip.io' })).toEqual([
      expect.stringContaining('RPC_URL in the environment (chain.rpcUrl): http://127.0.0.1.nip.io'),
    ])
    expect(complaints(goodYaml, { RPC_URL: 'http://[::1]:8545' })).toEqual([])
  })

  test('keeps nobody from the journal, and is no matter of a strategy', () => {
    write('ballast.yaml', allowed.replace('  insecure: true\n', ''))
    const source = { file: 'ballast.yaml', environment: {}, cwd }
    expect(loadConfig({ ...source, needs: 'journal' }).haltFile).toBe(join(cwd, 'HALT'))
    expect(complaints(changed('every: 5s', 'every: 5s, note: "http://node"'))).toEqual([])
  })
})

describe('loadConfig: a dashboard that others can reach', () => {
  const open = (more = '') =>
    changed('dashboard: { host: 127.0.0.1,', `dashboard: { host: 0.0.0.0,${more}`)
  const token = 'correct-horse-battery-staple-1234'

  test('needs a token, and a word that it may travel in the clear', () => {
    expect(complaints(open())).toEqual([
      'ballast.yaml:39:14 dashboard.host: 0.0.0.0 can be reached from other machines, and no token is set: set DASHBOARD_TOKEN to 32 characters or more, or dashboard.tls, or write 127.0.0.1.',
    ])
    expect(complaints(open(' insecure: true,'))).toHaveLength(1)
    expect(complaints(open(), { DASHBOARD_TOKEN: token })).toEqual([
      'ballast.yaml:39:14 dashboard.host: 0.0.0.0 would carry the tokens over plain http: write insecure: true beside it where the network between is yours, or write 127.0.0.1.',
    ])
    expect(complaints(open(' insecure: true,'), { DASHBOARD_TOKEN: token })).toEqual([])
  })

  test.for(['localhost', '127.0.0.2', '"::1"'])('%s is this machine', (name) => {
    expect(complaints(changed('{ host: 127.0.0.1,', `{ host: ${name},`))).toEqual([])
  })

  test.for(['192.168.1.5', '"::"', '127.0.0.1.nip.io', 'bot.example'])('%s is not', (name) => {
    expect(complaints(changed('{ host: 127.0.0.1,', `{ host: ${name},`))).toHaveLength(1)
  })

  test('keeps nobody from the journal', () => {
    write('ballast.yaml', open())
    expect(() =>
      loadConfig({ file: 'ballast.yaml', environment: {}, cwd, needs: 'journal' }),
    ).not.toThrow()
  })

  test.for([
    [
      { DASHBOARD_TOKEN: 'x'.repeat(31) },
      'DASHBOARD_TOKEN in the environment: is no token: set 32',
    ],
    [{ DASHBOARD_TOKEN: `${token} ${token}` }, 'DASHBOARD_TOKEN in the environment: is no token'],
    [{ DASHBOARD_VIEWER_TOKEN: token }, 'DASHBOARD_VIEWER_TOKEN in the environment: stands alone'],
    [
      { DASHBOARD_TOKEN: token, DASHBOARD_VIEWER_TOKEN: token },
      'DASHBOARD_VIEWER_TOKEN in the environment: is DASHBOARD_TOKEN',
    ],
  ] as const)('tokens: %o', ([environment, sentence]) => {
    expect(complaints(goodYaml, environment)).toEqual([expect.stringContaining(sentence)])
  })

  test('its tokens are secrets', () => {
    write('ballast.yaml', goodYaml)
    const viewer = `${token}-of-viewers`
    const { dashboard } = load({ DASHBOARD_TOKEN: token, DASHBOARD_VIEWER_TOKEN: viewer })
    expect(dashboard.tokens?.operator.reveal()).toBe(token)
    expect(JSON.stringify(dashboard)).toContain('"operator":"[secret]","viewer":"[secret]"')
    expect(withoutSecrets(`${viewer} ${token}`)).toBe('[secret] [secret]')
  })
})

describe('loadConfig: the webhook', () => {
  const url = 'https://hooks.example/ballast-of-this-test'
  const key = 'key-of-the-webhook-in-loadConfig-tests'

  test.for([
    [{ WEBHOOK_URL: url }, 'WEBHOOK_URL in the environment: stands alone: set WEBHOOK_SECRET'],
    [
      { WEBHOOK_URL: 'http://hooks.example/x', WEBHOOK_SECRET: key },
      'WEBHOOK_URL in the environment: is no https address',
    ],
    [
      { WEBHOOK_URL: 'hooks', WEBHOOK_SECRET: key },
      'WEBHOOK_URL in the environment: is no https address',
    ],
    [
      { WEBHOOK_URL: 'https://me:pa%ss@hooks.example', WEBHOOK_SECRET: key },
      'has a % that encodes nothing',
    ],
    [{ HEARTBEAT_URL: 'https://me:pa%ss@beat.example' }, 'has a % that encodes nothing'],
    [
      {
        SMTP_URL: 'smtps://me:pa%ss@mail.example',
        MAIL_FROM: 'bot@ours.example',
        MAIL_TO: 'ops@ours.example',
      },
      'SMTP_URL in the environment: is no address of a mail server',
    ],
    [
      { WEBHOOK_URL: url, WEBHOOK_SECRET: 'too-short' },
      'WEBHOOK_SECRET in the environment: is no key: set 32',
    ],
  ] as const)('%o', ([environment, sentence]) => {
    expect(complaints(goodYaml, environment)).toEqual([expect.stringContaining(sentence)])
  })

  test('is secret, address and key', () => {
    write('ballast.yaml', goodYaml)
    expect(load({}).channels).toEqual({})
    const { webhook } = load({ WEBHOOK_URL: url, WEBHOOK_SECRET: key }).channels
    expect([webhook?.url.reveal(), webhook?.key.reveal()]).toEqual([url, key])
    expect(JSON.stringify(webhook)).toBe('{"url":"[secret]","key":"[secret]"}')
    expect(withoutSecrets(`${key} ${url}`)).not.toMatch(/key-of|ballast-of/)
    const here = { WEBHOOK_URL: 'http://127.0.0.1:9/x', WEBHOOK_SECRET: key }
    expect(load(here).channels.webhook).toBeDefined()
  })
})

describe('loadConfig: alerts', () => {
  const withAlerts = (text: string) => goodYaml.replace('database:', `alerts: ${text}\ndatabase:`)

  test('both times in minutes, none without the section', () => {
    write('ballast.yaml', goodYaml)
    expect(load({}).alerts).toEqual({ quiet: undefined, digest: undefined, timeZone: 'UTC' })
    write(
      'ballast.yaml',
      withAlerts('{ quiet: 22:30-07:00, digest: "08:05", timeZone: Europe/Berlin }'),
    )
    expect(load({}).alerts).toEqual({
      ...{ quiet: { from: 1_350, to: 420 }, digest: 485, timeZone: 'Europe/Berlin' },
    })
  })
  test.for([
    ['{ quiet: 22:00 }', "alerts.quiet: '22:00' is no part of a day"],
    ['{ quiet: 07:00-07:00 }', "alerts.quiet: '07:00-07:00' is no part of a day"],
    ['{ quiet: 22:00-24:00 }', "alerts.quiet: '24:00' is not a time"],
    ['{ digest: "8:00" }', "alerts.digest: '8:00' is not a time"],
    ['{ timeZone: "+02:00" }', "alerts.timeZone: '+02:00' is not a time zone"],
    ['{ timeZone: Mars/Base }', "alerts.timeZone: 'Mars/Base' is not a time zone"],
  ] as const)('%s', ([text, sentence]) => {
    expect(complaints(withAlerts(text))).toEqual([expect.stringContaining(sentence)])
  })
})

describe('loadConfig: telegram, slack and mail', () => {
  const token = '123456789:token-of-a-bot-in-this-test'
  const slack = 'https://hooks.slack.example/services/T0/B0/key-of-slack-in-this-test'
  const mail = {
    SMTP_URL: 'smtps://desk:password-of-mail@mail.example',
    MAIL_FROM: 'bot@mail.example',
    MAIL_TO: 'a@mail.example, b@mail.example',
  }

  test.for([
    [
      { TELEGRAM_BOT_TOKEN: token },
      'TELEGRAM_BOT_TOKEN in the environment: stands alone: set TELEGRAM_CHAT_ID as well',
    ],
    [
      { TELEGRAM_BOT_TOKEN: 'me', TELEGRAM_CHAT_ID: '-12' },
      'TELEGRAM_BOT_TOKEN in the environment: is no token',
    ],
    [
      { TELEGRAM_BOT_TOKEN: token, TELEGRAM_CHAT_ID: 'a b' },
      'TELEGRAM_CHAT_ID in the environment: is neither',
    ],
    [
      { TELEGRAM_API_URL: 'http://api.example' },
      'TELEGRAM_API_URL in the environment: is no https',
    ],
    [{ HEARTBEAT_URL: 'http://ping.example' }, 'HEARTBEAT_URL in the environment: is no https'],
    [
      { SLACK_WEBHOOK_URL: 'http://hooks.example/x' },
      'SLACK_WEBHOOK_URL in the environment: is no https',
    ],
    [
      { ...mail, SMTP_URL: 'https://mail.example' },
      'SMTP_URL in the environment: is no address of a mail server',
    ],
    [
      { ...mail, SMTP_URL: 'smtp://mail.example?requireTLS=false' },
      'SMTP_URL in the environment: is no address of a mail',
    ],
    [{ ...mail, MAIL_TO: 'a@mail.example, b' }, 'MAIL_TO in the environment: is no list'],
    [
      { MAIL_FROM: mail.MAIL_FROM },
      'MAIL_FROM in the environment: stands alone: set SMTP_URL and MAIL_TO as well',
    ],
  ] as const)('%o', ([environment, sentence]) => {
    expect(complaints(goodYaml, environment)).toEqual([expect.stringContaining(sentence)])
  })

  test('are secret where they hold a key', () => {
    write('ballast.yaml', goodYaml)
    const { channels } = load({
      ...{
        TELEGRAM_BOT_TOKEN: token,
        TELEGRAM_CHAT_ID: '-1001',
        SLACK_WEBHOOK_URL: slack,
        ...mail,
      },
    })
    expect(channels.telegram?.url.reveal()).toBe(`https://api.telegram.org/bot${token}`)
    expect(channels.mail?.to).toEqual(['a@mail.example', 'b@mail.example'])
    expect(JSON.stringify(channels)).not.toMatch(/-of-/)
    expect(withoutSecrets(`${token} ${slack} ${mail.SMTP_URL}`)).not.toMatch(/-of-/)
  })
})

test('loadConfig: a .env that cannot be read is one sentence and a matter of usage', () => {
  write('ballast.yaml', goodYaml)
  // What reading a folder gives; a file without the right to read it fails alike, unless for root.
  mkdirSync(join(cwd, '.env'))
  expect(load).toThrow(
    expect.objectContaining({
      code: 'CONFIG_UNREADABLE',
      fault: 'usage',
      summary: '.env cannot be read: let this account read it, or remove it.',
    }),
  )
})

describe('loadConfig: one sentence for', () => {
  test.for(mistakes)('%s', ([, from, to, sentence]) => {
    expect(complaints(changed(from, to))).toEqual([sentence])
  })

  test('a limit for a token that is not allowed, in both lists', () => {
    const sentence =
      'WETH has a limit but is not in policy.tokens: add it there or remove the limit.'
    expect(complaints(changed('tokens: [ETH, WETH, USDC]', 'tokens: [ETH, USDC]'))).toEqual([
      'ballast.yaml:21:11 policy.pairs[0]: WETH is in a pair but not in policy.tokens: add it there or remove the pair.',
      `ballast.yaml:23:13 policy.perSwap[0]: ${sentence}`,
      `ballast.yaml:24:12 policy.perDay[0]: ${sentence}`,
    ])
  })

  test('a pair of unknown tokens, or of one token', () => {
    expect(complaints(changed('[WETH/USDC]', '[WETH/USDT, WETH/WETH, WETH-USDC]'))).toEqual([
      "ballast.yaml:21:11 policy.pairs[0]: 'USDT' is not a configured token; did you mean USDC? Known tokens: ETH, WETH, USDC.",
      "ballast.yaml:21:22 policy.pairs[1]: 'WETH/WETH' is not a pair: write two symbols, such as 'WETH/USDC'.",
      "ballast.yaml:21:33 policy.pairs[2]: 'WETH-USDC' is not a pair: write two symbols, such as 'WETH/USDC'.",
    ])
    expect(complaints(changed('[WETH/USDC]', '[WETH/USDT]'))).toEqual([
      "ballast.yaml:21:11 policy.pairs[0]: 'USDT' is not a configured token; did you mean USDC? Known tokens: ETH, WETH, USDC.",
    ])
  })

  test('a service that cannot be read: its own keys, and a lower limit', () => {
    const opaque = goodYaml
      .replace(/^ {2}executor.*\n {2}feeSigner.*\n {2}makers.*\n/m, '')
      .replace('service:\n', 'service:\n  profile: opaque\n')
    expect(complaints(opaque)).toEqual([
      'ballast.yaml:7:1 service.selectors: is missing: a service of profile opaque needs it.',
      'ballast.yaml:7:1 service.maxNotional: is missing: a service of profile opaque needs it.',
    ])
    const keys = 'service:\n  selectors: ["0x1234ABCD"]\n'
    const limited = (text: string) =>
      opaque.replace('service:\n', `${keys}  maxNotional: ${text}\n`)
    expect(complaints(limited('20000 USD'))).toEqual([
      'ballast.yaml:9:3 service.maxNotional: 20000 USD is not below policy.notional.perSwap: a router that cannot be read gets less.',
    ])
    expect(complaints(limited('10 WETH'))).toEqual([
      'ballast.yaml:9:3 service.maxNotional: 10 WETH is not in USD, the unit of account (policy.unit): count it in that.',
    ])
    write('ballast.yaml', limited('1000 USD'))
    expect(load().service.profile).toMatchObject({ kind: 'opaque', selectors: ['0x1234abcd'] })
    expect(
      complaints(limited('1000 USD').replace('policy:\n', 'policy:\n  allowances: [20 WETH]\n')),
    ).toEqual([
      expect.stringMatching(
        /policy\.allowances: .*leaves an allowance to a router that cannot be read/,
      ),
    ])
    expect(complaints(goodYaml.replace('service:\n', keys))).toEqual([
      'ballast.yaml:8:3 service.selectors: is for profile opaque, and this service is of profile ballast: remove it.',
    ])
  })

  test('a socket whose path is too long for this system is refused where it is written', () => {
    const at = (name: string) =>
      complaints(
        changed('dashboard: { host: 127.0.0.1, port: 8787 }', `dashboard: { socket: ./${name} }`),
      )
    const most = process.platform === 'linux' ? 107 : 103
    const rest = most - Buffer.byteLength(join(cwd, 'x')) + 1
    expect(at('s'.repeat(rest))).toEqual([])
    expect(at('s'.repeat(rest + 1))).toEqual([
      expect.stringContaining(
        `dashboard.socket: is ${most + 1} bytes long from the root on, and a socket may have ${most} here: write a shorter path.`,
      ),
    ])
  })

  test('caps on less than full proof', () => {
    const capped = (caps: string, chain = '') =>
      goodYaml
        .replace('  confirmations: 2\n', `  confirmations: 2\n${chain}`)
        .replace('policy:\n', `policy:\n  proof: { ${caps} }\n`)
    expect(complaints(capped('untraced: 1 WETH'))).toEqual([
      expect.stringContaining('policy.proof.untraced: 1 WETH is not in USD'),
    ])
    const witness = (above: string) =>
      `  witness: { rpcUrl: "http://127.0.0.1:9999", above: ${above} }\n`
    expect(complaints(capped('unwitnessed: 4999 USD', witness('5000 USD')))).toEqual([
      expect.stringContaining(
        'policy.proof.unwitnessed: 4999 USD is below chain.witness.above: lower that as well, or what is between is refused.',
      ),
    ])
    expect(complaints(capped('unwitnessed: 5000 USD', witness('5000 USD')))).toEqual([])
    write('ballast.yaml', capped('probed: 7 USD'))
    expect(load().policy.proof).toMatchObject({ probed: { wei: 7n * 10n ** 8n } })
  })

  test('limits that are counted in two units', () => {
    expect(complaints(changed('perDay: 600000 USD,', 'perDay: 600000 USDC,'))).toEqual([
      'ballast.yaml:25:56 policy.notional.perDay: 600000 USDC is not in USD, the unit of account (policy.unit): count it in that.',
    ])
  })

  test('the name of a strategy that is used twice', () => {
    const twin = '  - { name: sell-strength, use: dca, params: {} }\n'
    expect(complaints(changed('database:', `${twin}database:`))).toEqual([
      "ballast.yaml:38:7 strategies[1].name: 'sell-strength' is the name of another strategy: the journal knows a strategy by its name, so give each its own.",
    ])
  })

  test('an empty file', () => {
    expect(complaints('')[0]).toBe(
      "ballast.yaml:1:1 the file: is empty: write for example 'chain, service, tokens, wallet and policy'.",
    )
  })

  test('a file without a policy: nothing is allowed by default', () => {
    expect(complaints(goodYaml.replace(/^policy:[\s\S]*?(?=^strategies)/m, ''))).toEqual([
      'ballast.yaml:1:1 policy: is missing: write for example { tokens: [WETH, USDC], pairs: [WETH/USDC], perSwap: [5 WETH], perDay: [200 WETH], … }.',
    ])
  })

  test('every mistake at once, in the order of the file', () => {
    const yaml = changed('confirmations: 2', 'confirmation: 2')
      .replace('maxFee: 10 bps', 'maxFee: 10')
      .replace('logLevel: info', 'logLevel: loud')
    expect(
      complaints(yaml, { WALLET_KEY: 'no key at all' }).map((line) => line.split(': ')[0]),
    ).toEqual([
      'ballast.yaml:6:3 chain.confirmation',
      'ballast.yaml:30:3 policy.maxFee',
      'ballast.yaml:40:1 logLevel',
      'WALLET_KEY in the environment',
    ])
  })
})
