import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { goodYaml } from '../config/goodYaml.ts'
import { callCli } from './callCli.ts'

const weth = '0x5fbdb2315678afecb367f032d93f642f64180aa7'
const usdc = '0x5fbdb2315678afecb367f032d93f642f64180aa8'
const maker = '0x5fbdb2315678afecb367f032d93f642f64180aa6'
const wallet = '0x5fbdb2315678afecb367f032d93f642f64180aa9'

const books = [
  {
    base_symbol: 'WETH',
    base_address: weth,
    quote_symbol: 'USDC',
    quote_address: usdc,
    levels: [
      [10, 3000],
      [15, 2990],
      [20, 2980],
      [1, 4],
      [1, 3],
      [1, 2],
    ],
    side: 'bid',
    minimum_in_base: 0.01,
  },
  {
    base_symbol: 'EVIL\u{1b}[2J',
    base_address: maker,
    quote_symbol: 'USDC',
    quote_address: usdc,
    levels: [[1, 1]],
    side: 'ask',
    minimum_in_base: 0,
  },
  // The ask over again, and an offer of its own in the same spelling.
  ...[1, 0.25].map((price) => ({
    base_symbol: 'USDC',
    base_address: usdc,
    quote_symbol: 'EVIL',
    quote_address: maker,
    levels: [[1, price]],
    side: 'bid',
    minimum_in_base: 0,
  })),
]

const asked: URL[] = []

function answer(url: URL): unknown {
  asked.push(url)
  const amountIn = url.searchParams.get('amount_wei')
  const amountOut = '3000500000'
  switch (url.pathname) {
    case '/v1/chains':
      return [
        { chainId: 31337, chain: 'local', label: 'Local', token: 'ETH', isMainnet: false },
        { chainId: 1, chain: 'ethereum', label: 'major', token: 'ETH', isMainnet: true },
      ]
    case '/v1/orderbook':
      return books
    case '/v1/indicative-quote':
      return {
        success: true,
        buyerToken: usdc,
        sellerToken: weth,
        buyerTokenAmount: 3000.5,
        buyerTokenAmountWei: amountOut,
        sellerTokenAmount: '1',
        sellerTokenAmountWei: amountIn === '7' ? '8' : amountIn,
        price: 3000.5,
        widgetFeeUsd: 0,
        liquidityProviderFeeUsd: 0,
        totalFeeUsd: 0,
        routes: ['maker-a'],
      }
    default:
      return {
        success: true,
        orders: [
          {
            id: 7,
            signer: maker,
            buyer: maker,
            seller: wallet,
            buyerToken: usdc,
            sellerToken: weth,
            buyerTokenAmount: amountOut,
            sellerTokenAmount: amountIn,
            caller: wallet,
            quoteId: '3e4f21b0-8c8a-4c39-a2a1-2e9df0f0a3bd',
            deadlineTimestamp: Math.floor(Date.now() / 1_000) + 30,
          },
        ],
        widgetFee: { signer: wallet, feeRecipient: wallet, feeRate: 0 },
        widgetFeeSignature: '0x',
        recipient: wallet,
        calldata: '0x1234',
        amountIn,
        amountOut,
        toWrap: false,
        toUnwrap: false,
        fallbackSwapDataArray: [],
        source: 'maker-a',
        txRequest: { target: maker, calldata: '0x1234', value: '0' },
      }
  }
}

const cwd = mkdtempSync(join(tmpdir(), 'ballast-api-'))
const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(answer(new URL(request.url ?? '', 'http://host'))))
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  writeFileSync(join(cwd, 'ballast.yaml'), goodYaml.replace('127.0.0.1:8546', `127.0.0.1:${port}`))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

describe('chains', () => {
  test('as a table, the configured one marked', async () => {
    const { code, stdout, stderr } = await callCli(['chains'], { cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toBe(
      [
        'chain     id     currency  network  label',
        'local *   31337  ETH       test     Local',
        'ethereum  1      ETH       main     major',
        '',
      ].join('\n'),
    )
  })

  test('as JSON', async () => {
    const { stdout } = await callCli(['chains', '--json'], { cwd })
    expect(JSON.parse(stdout).chains).toMatchObject([
      { chain: 'local', chainId: 31337, configured: true },
      { chain: 'ethereum', configured: false },
    ])
  })
})

describe('orderbook', () => {
  test('shows the top of each side; foreign names cannot steer the terminal', async () => {
    const { code, stdout } = await callCli(['orderbook'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain('WETH/USDC')
    expect(stdout).toContain('buys WETH')
    expect(stdout).toContain('… 1 more')
    expect(stdout).toContain('EVIL�[2J/USDC')
    expect(stdout).not.toContain('\u{1b}')
    // An ask that is listed as a bid as well is shown once.
    expect(stdout.match(/buys USDC/g)).toHaveLength(1)
    expect(stdout).toContain('0.25 EVIL')
  })

  test.for(['WETH/USDC', 'USDC/WETH', 'ETH/USDC'])('of one pair: %s', async (pair) => {
    const { stdout } = await callCli(['orderbook', '--pair', pair, '--json'], { cwd })
    const { pairs } = JSON.parse(stdout)
    expect(pairs).toHaveLength(1)
    expect(pairs[0].levels).toHaveLength(6)
  })

  test.for([
    ['WETHUSDC', "ballast: 'WETHUSDC' is not a pair: write two tokens, such as WETH/USDC.\n"],
    [
      'WETH/USDT',
      "ballast: 'USDT' is not a configured token; did you mean USDC? Known tokens: ETH, WETH, USDC. (UNKNOWN_TOKEN)\n",
    ],
  ] as const)('refuses %s', async ([pair, sentence]) => {
    const { code, stderr } = await callCli(['orderbook', '--pair', pair], { cwd })
    expect({ code, stderr }).toEqual({ code: 2, stderr: sentence })
  })
})

describe('quote', () => {
  test('indicative', async () => {
    const args = ['quote', '--sell', '1 WETH', '--buy', 'USDC']
    const { code, stdout, stderr } = await callCli(args, { cwd })
    expect(code).toBe(0)
    expect(stdout).toContain('get    3000.5 USDC')
    expect(stdout).toContain('3000.5 USDC per WETH')
    expect(stderr).toContain('nothing was verified')

    const json = JSON.parse((await callCli([...args, '--json'], { cwd })).stdout)
    expect(json).toMatchObject({
      kind: 'indicative',
      sell: { token: 'WETH', wei: '1000000000000000000', text: '1' },
      buy: { token: 'USDC', wei: '3000500000', text: '3000.5' },
      route: ['maker-a'],
    })
  })

  test('firm, with the terms asked for', async () => {
    const args = ['quote', '--sell', '0.5 ETH', '--buy', 'USDC', '--firm']
    const terms = ['--slippage-bps', '25', '--expiry', '45', '--json']
    const { code, stdout } = await callCli([...args, ...terms], { cwd })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'firm', slippageBps: 25, value: '0' })
    expect(Object.fromEntries(asked.at(-1)?.searchParams ?? [])).toMatchObject({
      token_in: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
      amount_wei: '500000000000000000',
      slippage: '0.25',
      expiry_time: '45',
    })
  })

  test.for([
    ['--slippage-bps', '5'],
    ['--expiry', '60'],
  ])('%s is of a firm quote alone', async ([flag, value]) => {
    const asked = ['quote', '--sell', '1 WETH', '--buy', 'USDC']
    const { code, stderr } = await callCli([...asked, flag ?? '', value ?? ''], { cwd })
    expect({ code, stderr }).toEqual({ code: 2, stderr: `ballast: ${flag} goes with --firm.\n` })
  })

  test('an answer for another amount is none', async () => {
    const args = ['quote', '--sell', '0.000000000000000007 WETH', '--buy', 'USDC', '--json']
    const { code, stdout } = await callCli(args, { cwd })
    expect(code).toBe(4)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'QUOTE_MALFORMED' } })
  })

  test.for([
    ['0 WETH', 'USDC', '--sell must be more than zero.'],
    ['1 WETH', 'WETH', '--sell and --buy are both WETH.'],
    ['1WETH', 'USDC', "'1WETH' is not an amount: write '1 WETH'. (NOT_AN_AMOUNT)"],
  ] as const)('refuses to sell %s for %s', async ([sell, buy, sentence]) => {
    const { code, stderr } = await callCli(['quote', '--sell', sell, '--buy', buy], { cwd })
    expect({ code, stderr }).toEqual({ code: 2, stderr: `ballast: ${sentence}\n` })
  })
})
