import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { firmQuote } from '../../src/api/firmQuote.ts'
import { getCode } from '../../src/chain/calls/account.ts'
import { systemClock } from '../../src/core/clock.ts'
import { anvilCalls } from '../../src/sandbox/startAnvil.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { startBallast } from '../support/runBallast.ts'
import { settleQuote } from '../support/settleQuote.ts'
import { until } from '../support/until.ts'
import { writeDesk } from '../support/writeDesk.ts'
import { callCli } from './callCli.ts'
import { expectGolden } from './expectGolden.ts'
import { masked } from './masked.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
})
afterAll(() => fork?.close())

const treasury = () => {
  const { treasury: wallet } = fork.ready.wallets
  if (wallet === undefined) throw new Error('the world has a treasury')
  return wallet
}

describe('ballast service', () => {
  test('serves a firm quote that settles to the unit, with keys that are revoked while it runs', async () => {
    const key = 'a-key-of-the-desk-1'
    const hash = createHash('sha256').update(key).digest('hex')
    const keysFile = join(fork.dataDir, 'service.keys')
    writeFileSync(keysFile, `# the bot\nsha256:${hash}\nanother-key-of-the-desk # plain\n`, {
      mode: 0o600,
    })
    const { file, environment } = writeDesk(fork, {
      keysFile: './service.keys',
      logLevel: 'info',
      widgetFee: { recipient: fork.ready.feeSigner.address, rate: '5 bps' },
    })
    const { child, ended, says } = startBallast(
      ['service', '--config', file, '--port', '0', '--json'],
      { env: environment, cwd: fork.dataDir },
    )
    const ready = JSON.parse((await says(/\}\n/)).trim())
    expect(ready).toMatchObject({
      ready: true,
      chain: 'local',
      chainId: 31337,
      router: fork.ready.router,
      makers: ['maker-a'],
      keysRequired: true,
    })

    const parameters = {
      chain: 'local',
      token_in: fork.ready.tokens.WETH?.address,
      token_out: fork.ready.tokens.USDC?.address,
      amount: '12.5',
      from_address: treasury().address,
    }
    const asked = (apiKey: string) => ask(ready.serviceUrl, 'firm-quote', parameters, { apiKey })
    expect((await asked('wrong')).status).toBe(401)
    expect((await asked('another-key-of-the-desk')).status).toBe(200)
    const quote = firmQuote.response.parse((await asked(key)).body)
    const { spent, received } = await settleQuote(fork.rpc, {
      quote,
      privateKey: treasury().privateKey,
    })
    expect({ spent, received }).toEqual({
      spent: BigInt(quote.amountIn),
      received: BigInt(quote.amountOut),
    })

    writeFileSync(keysFile, 'another-key-of-the-desk\n')
    await until(async () => (await asked(key)).status === 401)
    expect((await asked('another-key-of-the-desk')).status).toBe(200)
    // A file that is gone or broken changes nothing.
    writeFileSync(keysFile, 'short\n')
    await systemClock.sleep(2_500)
    rmSync(keysFile)
    await systemClock.sleep(2_500)
    expect((await asked('another-key-of-the-desk')).status).toBe(200)
    expect((await asked(key)).status).toBe(401)

    child.kill('SIGTERM')
    const { code, stderr } = await ended
    expect(code).toBe(0)
    expect(stderr).toContain('quoted firmly')
    for (const secret of [key, 'another-key-of-the-desk', ...Object.values(environment)])
      expect(stderr).not.toContain(secret)
  })

  test('says what it serves, and ends by a signal', async () => {
    const { file, environment } = writeDesk(fork)
    const env = { ...environment, COLUMNS: '80' }
    const { child, ended, says } = startBallast(['service', '--config', file, '--port', '0'], {
      ...{ env, cwd: fork.dataDir },
    })
    await says('Ctrl-C')
    child.kill('SIGTERM')
    await expectGolden('service', masked(await ended), { folder: fork.dataDir })
  })

  const call = (file: string, environment: Readonly<Record<string, string>>) =>
    callCli(['service', '--config', file, '--json'], { cwd: fork.dataDir, environment })

  test('refuses a file with every mistake in its place', async () => {
    const { file, environment } = writeDesk(fork)
    const text = readFileSync(file, 'utf8')
      .replace('router:', 'ruoter:')
      .replace('errorStyle', 'errorStyle')
      .concat('rateLimit: { perSecond: fast }\nerrorStyle: polite\n')
    writeFileSync(file, text)
    const { code, stdout } = await call(file, environment)
    expect(code).toBe(2)
    const { error } = JSON.parse(stdout)
    const said = JSON.stringify(error)
    expect(error.code).toBe('CONFIG_INVALID')
    expect(said).toMatch(/service\.yaml:\d+:\d+ ruoter: is not a known key; did you mean router\?/)
    expect(said).toMatch(/service\.yaml:\d+:\d+ rateLimit\.perSecond: 'fast' is not a whole number/)
    expect(said).toMatch(
      /service\.yaml:\d+:\d+ errorStyle: is 'polite': write one of status, native200/,
    )
  })

  test.for([
    [
      'a token nobody listed',
      { pools: [{ kind: 'uniswap-v2', address: `0x${'1'.repeat(40)}`, tokens: ['WETH', 'USDT'] }] },
      "pools[0].tokens[1]: 'USDT' is not among the tokens",
    ],
    [
      'a maker without a book',
      { makers: [{ name: 'maker-a', books: [] }] },
      'makers[0].books: names no book.',
    ],
    [
      'a maker of its own process without a pair',
      {
        remoteMakers: [
          { name: 'maker-b', url: 'http://127.0.0.1:9', address: `0x${'1'.repeat(40)}`, pairs: [] },
        ],
      },
      'remoteMakers[0].pairs: names no pair.',
    ],
    [
      'a level with too many digits',
      {
        makers: [
          {
            name: 'maker-a',
            books: [{ pair: ['WETH', 'USDC'], bid: [['1.1234567890123456', '3000']] }],
          },
        ],
      },
      'has more than 15 digits',
    ],
    [
      'a bid above the ask',
      {
        makers: [
          {
            name: 'maker-a',
            books: [{ pair: ['WETH', 'USDC'], bid: [['1', '3010']], ask: [['1', '3000']] }],
          },
        ],
      },
      'buys at 3010 and sells at 3000',
    ],
    [
      'a v3 pool without its fee',
      { pools: [{ kind: 'uniswap-v3', address: `0x${'1'.repeat(40)}`, tokens: ['WETH', 'USDC'] }] },
      'a v3 pool has a fee',
    ],
    ['nothing to quote from', { pools: [], makers: [] }, 'there is nothing to quote from'],
    [
      'a default above the limit',
      { expiry: { default: '60s', max: '30s' } },
      'expiry.default: 60s is above expiry.max',
    ],
    [
      'two books of one pair by one maker',
      {
        makers: [
          {
            name: 'maker-a',
            books: [
              { pair: ['WETH', 'USDC'], ask: [['10', '3010']] },
              { pair: ['USDC', 'WETH'], ask: [['30000', '0.00032']] },
            ],
          },
        ],
      },
      'is a second book of USDC and WETH: write one for both ways',
    ],
    ['a key in the file', { feeSignerKey: `0x${'5c'.repeat(32)}` }, 'looks like a private key'],
  ] as const)('refuses %s', async ([, change, sentence]) => {
    const { file, environment } = writeDesk(fork, change)
    const { code, stdout } = await call(file, environment)
    expect(code).toBe(2)
    const said = JSON.stringify(JSON.parse(stdout).error).replaceAll('\\"', '"')
    expect(said).toContain(sentence)
    expect(said).toMatch(/service\.yaml:\d+:\d+/)
  })

  test('refuses a fee signer that the router does not know', async () => {
    const { file, environment } = writeDesk(fork)
    const FEE_SIGNER_KEY = `0x${'6d'.repeat(32)}`
    const { code, stdout } = await call(file, { ...environment, FEE_SIGNER_KEY })
    expect(code).toBe(2)
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'WRONG_CHAIN',
      message: 'The router does not know the fee signer: no quote of it would settle.',
    })
  })

  test('refuses to start without its keys, and says which', async () => {
    const { file } = writeDesk(fork)
    const { code, stdout } = await call(file, { MAKER_KEY_MAKER_A: 'nonsense' })
    expect(code).toBe(2)
    expect(stdout).toContain('FEE_SIGNER_KEY: is missing')
    expect(stdout).toContain('MAKER_KEY_MAKER_A in the environment: is not a private key')
    expect(stdout).not.toContain('nonsense')
  })

  test('refuses a published key on a main network', async () => {
    const { file, environment } = writeDesk(fork, {
      chain: {
        name: 'ethereum',
        chainId: 1,
        label: 'x',
        currency: 'ETH',
        rpcUrl: fork.ready.rpcUrl,
      },
    })
    const { code, stdout } = await call(file, environment)
    expect(code).toBe(2)
    expect(stdout).toContain('is a published development key')
  })

  test('refuses another chain, and a router that is none', async () => {
    const chain = {
      name: 'local',
      chainId: 31338,
      label: 'x',
      currency: 'ETH',
      rpcUrl: fork.ready.rpcUrl,
    }
    for (const change of [
      { chain },
      { router: fork.ready.executor },
      { executor: treasury().address },
    ]) {
      const { file, environment } = writeDesk(fork, change)
      const { code, stdout } = await call(file, environment)
      expect([code, JSON.parse(stdout).error.code]).toEqual([2, 'WRONG_CHAIN'])
    }
  })

  test('refuses a pool of other tokens, and one that is none', async () => {
    const { pools } = inject('origin').deployment
    const changes = [
      [pools[1], 'uniswap-v2', /^The pool at 0x\w+ is not of WETH\/USDC but of 0x\w+ and 0x\w+\.$/],
      [fork.ready.router, 'uniswap-v2', /^There is no uniswap-v2 pool at 0x\w+\.$/],
      [pools[0], 'uniswap-v3', /^There is no uniswap-v3 pool at 0x\w+\.$/],
    ] as const
    for (const [address, kind, sentence] of changes) {
      const fee = kind === 'uniswap-v3' ? { fee: 500 } : {}
      const { file, environment } = writeDesk(fork, {
        pools: [{ kind, address, tokens: ['WETH', 'USDC'], ...fee }],
      })
      const { code, stdout } = await call(file, environment)
      const { error } = JSON.parse(stdout)
      expect([code, error.code]).toEqual([2, 'WRONG_CHAIN'])
      expect(error.message).toMatch(sentence)
    }
  })

  test('refuses a pool that is not the one its executor settles in', async () => {
    const { pools } = inject('origin').deployment
    const [pair = '0x'] = pools
    const fork2 = `0x${'f2'.repeat(20)}` as const
    // A pair that answers as the factory's own does.
    const code = `0x365f5f375f5f365f73${pair.slice(2)}5afa503d5f5f3e3d5ff3` as const
    await fork.rpc.request(anvilCalls.setCode(fork2, code))
    const ofFork = { kind: 'uniswap-v2', address: fork2, tokens: ['USDC', 'WETH'] }
    const ofFee = { kind: 'uniswap-v3', address: pools[5], tokens: ['WETH', 'WBTC'], fee: 3000 }
    const expectRefused = async (pool: typeof ofFork, actual: string) => {
      const { file, environment } = writeDesk(fork, { pools: [pool] })
      const { code, stdout } = await call(file, environment)
      const { error } = JSON.parse(stdout)
      expect([code, error.code]).toEqual([2, 'WRONG_CHAIN'])
      expect(error.message).toMatch(
        /^The executor settles \w+\/\w+ \(uniswap-v.*\) in another pool /,
      )
      expect(error.facts.actual).toBe(actual)
    }
    await expectRefused(ofFork, pair)
    await expectRefused(ofFee as never, zeroAddress)
    // An executor without factories: each of its words is zero.
    const standing = await fork.rpc.request(getCode(fork.ready.executor))
    await fork.rpc.request(anvilCalls.setCode(fork.ready.executor, '0x5f5f5260205ff3'))
    await expectRefused({ ...ofFork, address: pair }, zeroAddress)
    await fork.rpc.request(anvilCalls.setCode(fork.ready.executor, standing))
  })

  test('refuses one account under two names, and a fee that nobody could take out', async () => {
    const address = fork.ready.makers['maker-a']?.address
    const elsewhere = {
      name: 'maker-b',
      url: 'http://127.0.0.1:9',
      address,
      pairs: [['WETH', 'USDC']],
    }
    const changes = [
      [
        { remoteMakers: [elsewhere] },
        /The makers maker-a and maker-b sign with one account, 0x\w+: /,
      ],
      [
        { widgetFee: { recipient: fork.ready.executor } },
        /widgetFee\.recipient: is a contract of the /,
      ],
      [
        { widgetFee: { recipient: fork.ready.router } },
        /widgetFee\.recipient: is a contract of the /,
      ],
    ] as const
    for (const [change, sentence] of changes) {
      const { file, environment } = writeDesk(fork, change)
      const { code, stdout } = await call(file, environment)
      const { error } = JSON.parse(stdout)
      expect([code, error.code]).toEqual([2, 'CONFIG_INVALID'])
      expect(error.message).toMatch(sentence)
    }
  })

  test('refuses a token that counts in other units, or is none', async () => {
    const changes: readonly [string | RegExp, string, RegExp][] = [
      [/(\bUSDC:\n(?: {4}.*\n)*? {4}decimals: )6/, '$118', /^USDC has 6 decimals on local, but/],
      [fork.ready.tokens.USDC?.address ?? '', treasury().address, /^There is no token USDC at /],
    ]
    for (const [from, to, sentence] of changes) {
      const { file, environment } = writeDesk(fork)
      const text = readFileSync(file, 'utf8')
      expect(text).toMatch(from)
      writeFileSync(file, text.replace(from, to))
      const { code, stdout } = await call(file, environment)
      const { error } = JSON.parse(stdout)
      expect([code, error.code]).toEqual([2, 'TOKEN_NOT_ON_CHAIN'])
      expect(error.message).toMatch(sentence)
    }
  })

  test('says what is missing when there is no file', async () => {
    const { code, stdout } = await callCli(['service', '--json'], { cwd: join(fork.dataDir, '..') })
    expect(code).toBe(2)
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'CONFIG_MISSING',
      message: expect.stringContaining('service.yaml'),
    })
  })
})
