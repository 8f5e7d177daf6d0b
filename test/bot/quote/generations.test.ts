import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createQuoteApi } from '../../../src/bot/quote/api/createQuoteApi.ts'
import { systemClock } from '../../../src/core/clock.ts'

const cleanUp: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const step of cleanUp.splice(0)) await step()
})

/** A real server that sends one body to whoever asks. */
async function answering(body: unknown, status = 200) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const api = createQuoteApi({ url, apiKey: undefined, timeoutMs: 2_000, clock: systemClock })
  cleanUp.push(async () => {
    server.closeAllConnections()
    server.close()
    await api.close()
  })
  return api
}

const pool = '0x5fbdb2315678afecb367f032d93f642f64180aa1'
const router = '0x5fbdb2315678afecb367f032d93f642f64180aa2'
const signer = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
const treasury = '0x5fbdb2315678afecb367f032d93f642f64180aa4'
const weth = '0x5fbdb2315678afecb367f032d93f642f64180aa5'
const usdc = '0x5fbdb2315678afecb367f032d93f642f64180aa6'

const ask = {
  src_chain: 'ethereum',
  dst_chain: 'ethereum',
  token_in: weth,
  token_out: usdc,
  amount_wei: '1234567890123457000000',
  from_address: treasury,
} as const

const indicativeAsk = {
  chain: 'ethereum',
  token_in: weth,
  token_out: usdc,
  amount_wei: ask.amount_wei,
  from_address: treasury,
} as const

/** `newapi…/v1`: a list of orders with ids, and their bytes as `calldata`. */
const firstFirm = {
  success: true,
  orders: [
    {
      id: 1,
      signer,
      buyer: pool,
      seller: treasury,
      buyerToken: usdc,
      sellerToken: weth,
      buyerTokenAmount: '2002',
      sellerTokenAmount: '1234567890123457000000',
      caller: treasury,
      quoteId: '62716-206e-47ab-a1d0-2f1a4a8c9e11',
      deadlineTimestamp: 1_692_085_583,
    },
  ],
  widgetFee: { signer, feeRecipient: treasury, feeRate: 0 },
  widgetFeeSignature: `0x${'ab'.repeat(65)}`,
  recipient: treasury,
  calldata: `0x${'00'.repeat(329)}`,
  amountIn: '1234567890123457000000',
  amountOut: '2002',
  toWrap: false,
  toUnwrap: false,
  fallbackSwapDataArray: [],
  source: 'maker-1',
  txRequest: { target: router, calldata: `0xc7cd9748${'00'.repeat(32)}`, value: '0' },
}

/** The second generation's way of saying the same: what it adds, and what it writes differently. */
const secondWords = {
  errorMessage: '',
  code: 0,
  source: [100, 7],
  fallbackSwapDataArray: null,
  widgetFee: null,
  widgetFeeSignature: 'ab'.repeat(65),
  amountOutBeforeFee: '2002',
  tokenTransferFeeOnPercent: 0,
  router_version: '4',
  amountInOffset: 36,
  amountOutMinimumOffset: 68,
  gasCostUsd: 1.2,
  is_black_address: false,
}

const secondOrder = {
  pool,
  signer,
  recipient: treasury,
  sellerToken: weth,
  buyerToken: usdc,
  effectiveSellerTokenAmount: '1234567890123457000000',
  sellerTokenAmount: '1234567890123457000000',
  buyerTokenAmount: '2002',
  deadlineTimestamp: 1_767_000_000,
  nonce: 0,
  quoteId: '0f4a62716206e47aba1d02f1a4a8c9e1',
  multiHop: false,
  signature: `0x${'cd'.repeat(65)}`,
  externalSwapCalldata: '0x',
  amountOutMinimum: '2000',
  widgetFee: { feeRecipient: treasury, feeRate: 0 },
  widgetFeeSignature: '',
}

const indicative = {
  success: true,
  buyerToken: usdc,
  sellerToken: weth,
  buyerTokenAmount: 0.002002,
  buyerTokenAmountWei: '2002',
  sellerTokenAmount: '1234.567890123457',
  sellerTokenAmountWei: '1234567890123457000000',
  price: 0.0000016,
  widgetFeeUsd: 0,
  liquidityProviderFeeUsd: 0,
  totalFeeUsd: 0,
  routes: ['WETH', 'USDC'],
}

describe('the first generation', () => {
  test('a firm quote: orders with their bytes', async () => {
    const { value } = await (await answering(firstFirm)).firm(ask)
    expect(value).toEqual(firstFirm)
  })

  test('an indicative quote', async () => {
    const { value } = await (await answering(indicative)).indicative(indicativeAsk)
    expect(value).toEqual(indicative)
  })

  test('an id beyond 2^53 keeps its digits', async () => {
    const body = JSON.stringify(firstFirm).replace('"id":1,', '"id":1644529534389398715,')
    const { value } = await (await answering(body)).firm(ask)
    expect(value.orders[0]?.id).toBe(1_644_529_534_389_398_715n)
  })

  test('a book of the first documents: not sorted, with a placeholder', async () => {
    const row = {
      base_symbol: 'WETH',
      base_address: weth,
      quote_symbol: 'USDC',
      quote_address: usdc,
      levels: [
        [0, 0],
        [10, 1621.71],
        [15, 1621.72],
        [20, 1621.54],
      ],
      side: 'bid',
      minimum_in_base: 0.0001,
    }
    expect((await (await answering([row])).orderbook('ethereum')).value).toEqual([row])
  })

  test('a refusal of its framework', async () => {
    const body = { statusCode: 400, message: 'All pricer failed', error: 'Bad Request' }
    await expect((await answering(body, 400)).firm(ask)).rejects.toMatchObject({
      code: 'NO_LIQUIDITY',
    })
  })
})

describe('the second generation', () => {
  test.for([
    ['as it is', (body: unknown) => body],
    ['in a list of one', (body: unknown) => [body]],
  ] as const)('a firm quote of orders we know, %s', async ([, wrap]) => {
    const { value } = await (await answering(wrap({ ...firstFirm, ...secondWords }))).firm(ask)
    expect(value).toMatchObject({
      ...firstFirm,
      source: '100,7',
      fallbackSwapDataArray: [],
      widgetFee: { feeRate: 0 },
      widgetFeeSignature: `0x${'ab'.repeat(65)}`,
    })
  })

  test('an empty signature, a value in hex', async () => {
    const body = {
      ...firstFirm,
      ...secondWords,
      widgetFeeSignature: '',
      txRequest: { ...firstFirm.txRequest, value: '0x0' },
    }
    expect((await (await answering(body)).firm(ask)).value).toMatchObject({
      widgetFeeSignature: '0x',
      txRequest: { value: '0' },
    })
  })

  test('an indicative quote in a list of one, its amount a number', async () => {
    const body = [{ ...indicative, sellerTokenAmount: 1234.567890123457, source: [1], bridge: '' }]
    const { value } = await (await answering(body)).indicative(indicativeAsk)
    expect(value).toMatchObject({ ...indicative, sellerTokenAmount: 1234.567890123457 })
  })

  test('two answers to one question are none', async () => {
    const api = await answering([indicative, indicative])
    await expect(api.indicative(indicativeAsk)).rejects.toMatchObject({ code: 'QUOTE_MALFORMED' })
    const firm = await answering([firstFirm, firstFirm])
    await expect(firm.firm(ask)).rejects.toMatchObject({ code: 'QUOTE_MALFORMED' })
  })

  test('sides in capitals', async () => {
    const row = {
      base_symbol: 'WETH',
      base_address: weth,
      quote_symbol: 'USDC',
      quote_address: usdc,
      levels: [[1, 3000]],
      side: 'BID',
      minimum_in_base: 100_000_000_000_000,
    }
    expect((await (await answering([row])).orderbook('ethereum')).value[0]?.side).toBe('bid')
  })

  test('orders of another router are refused by name, not called broken', async () => {
    const body = { ...firstFirm, ...secondWords, orders: [secondOrder] }
    await expect((await answering(body)).firm(ask)).rejects.toMatchObject({
      code: 'QUOTE_FOREIGN_ORDER',
      fault: 'refused',
      remedy: 'halt',
      facts: { fields: 'pool, nonce, multiHop, externalSwapCalldata', routerVersion: '4' },
    })
  })

  test('an order that is ours in all but one field stays broken', async () => {
    const [order] = firstFirm.orders
    const body = { ...firstFirm, orders: [{ ...order, buyerTokenAmount: '-1' }] }
    await expect((await answering(body)).firm(ask)).rejects.toMatchObject({
      code: 'QUOTE_MALFORMED',
    })
  })

  test.for([
    [{ code: 171037, message: 'orderbook empty' }, 'NO_LIQUIDITY'],
    [{ code: 201001, message: 'auth get api key is invalid' }, 'UNAUTHORIZED'],
    [{ code: 131004, message: 'invalid parameter' }, 'BAD_REQUEST'],
    [{ code: 101010, message: 'quoted amount exceeds maximum available' }, 'NO_LIQUIDITY'],
    [{ success: false, code: 101011, errorMessage: 'below' }, 'BELOW_MINIMUM'],
    [{ success: false, code: 131006, errorMessage: 'across' }, 'PAIR_UNSUPPORTED'],
    [{ success: false, code: 131008, errorMessage: 'wrap' }, 'PAIR_UNSUPPORTED'],
  ] as const)('an envelope at status 200: %j is %s', async ([body, code]) => {
    await expect((await answering(body)).firm(ask)).rejects.toMatchObject({ code })
  })
})
