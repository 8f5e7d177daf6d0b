import { hashTypedData, recoverAddress, recoverTypedDataAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FirmQuote, firmQuote } from '../../src/api/firmQuote.ts'
import {
  decodeExactInput,
  decodeOrders,
  encodeExactInput,
} from '../../src/chain/settlement/codec.ts'
import { authorizationTypedData } from '../../src/chain/settlement/typedData.ts'
import { nativeAddress } from '../../src/core/token.ts'
import { ask } from '../support/ask.ts'
import { balanceOf } from '../support/balanceOf.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { orderTypedData } from '../support/orderTypedData.ts'
import { settleQuote } from '../support/settleQuote.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
})
afterAll(() => fork?.close())

const token = (symbol: string) => {
  if (symbol === 'ETH') return nativeAddress
  const found = fork.ready.tokens[symbol]
  if (found === undefined) throw new Error(`no ${symbol}`)
  return found.address
}
const treasury = () => {
  const { treasury: wallet } = fork.ready.wallets
  if (wallet === undefined) throw new Error('no treasury')
  return wallet
}
const parameters = (sell: string, buy: string, rest: Record<string, string>) => ({
  src_chain: 'local',
  dst_chain: 'local',
  token_in: token(sell),
  token_out: token(buy),
  from_address: treasury().address,
  ...rest,
})
const firm = async (
  sell: string,
  buy: string,
  rest: Record<string, string>,
): Promise<FirmQuote> => {
  const { status, body } = await ask(
    fork.ready.serviceUrl,
    'firm-quote',
    parameters(sell, buy, rest),
  )
  expect({ status, body }).toMatchObject({ status: 200 })
  return firmQuote.response.parse(body)
}
const indicative = (sell: string, buy: string, rest: Record<string, string>) =>
  ask(fork.ready.serviceUrl, 'indicative-quote', parameters(sell, buy, rest))

describe('indicative quote: exact integers of the fixed book and the pool', () => {
  test.each([
    // Selling WETH: the maker's bids, in the listed order, and the pool where it pays more than its gas.
    ['WETH', 'USDC', '0.01', '30000000'],
    ['WETH', 'USDC', '10', '30000000000'],
    ['WETH', 'USDC', '12', '35980000000'],
    ['WETH', 'USDC', '30', '89760162802'],
    ['WETH', 'USDC', '45', '134460162802'],
    ['WETH', 'USDC', '45.000000000000000001', '134460162802'],
    ['WETH', 'USDC', '60', '178653930223'],
    // Below the maker's minimum only the pool is left.
    ['WETH', 'USDC', '0.009', '26918758'],
    // Buying WETH: the asks, by cost.
    ['USDC', 'WETH', '30100', '10000000000000000000'],
    ['USDC', 'WETH', '50000', '16592710412501392887'],
    ['USDC', 'WETH', '136000', '45012019307803668178'],
    ['ETH', 'USDC', '1', '3000000000'],
    ['USDC', 'ETH', '3010', '1000000000000000000'],
    ['WETH', 'DAI', '1.5', '4499250000000000000000'],
  ])('%s to %s: %s brings %s', async (sell, buy, amount, wei) => {
    const { status, body } = await indicative(sell, buy, { amount })
    expect({ status, wei: body.buyerTokenAmountWei }).toEqual({ status: 200, wei })
  })

  test('body: every field as the specification names it', async () => {
    const { body } = await indicative('WETH', 'USDC', { amount: '12' })
    expect(body).toEqual({
      success: true,
      buyerToken: token('USDC'),
      sellerToken: token('WETH'),
      buyerTokenAmount: 35980,
      buyerTokenAmountWei: '35980000000',
      sellerTokenAmount: '12',
      sellerTokenAmountWei: '12000000000000000000',
      price: 35980 / 12,
      widgetFeeUsd: 0,
      liquidityProviderFeeUsd: 0,
      totalFeeUsd: 0,
      routes: ['WETH', 'USDC'],
    })
  })

  test('amount and amount_wei name the same amount', async () => {
    const one = await indicative('USDC', 'WETH', { amount: '1234.567891' })
    const other = await indicative('USDC', 'WETH', { amount_wei: '1234567891' })
    expect(one.body).toEqual(other.body)
  })

  test.each([
    [
      { amount: '1e-7' },
      /'1e-7' is not a plain decimal number\. Write it without an exponent: 0\.0000001 for 1e-7\./,
    ],
    [{ amount: '1e999999' }, /is not a plain decimal number\. Write it without an exponent/],
    [{ amount_wei: '1.0' }, /amount_wei must be a whole number\./],
    [{ amount_wei: '1000.5' }, /amount_wei must be a whole number\./],
  ])('%j is refused', async (query, message) => {
    const { status, body } = await indicative('WETH', 'USDC', query)
    expect(status).toBe(400)
    expect(JSON.stringify(body)).toMatch(message)
  })

  test('the native currency is named by its sentinel in any case, and by zero', async () => {
    const expected = await indicative('ETH', 'USDC', { amount: '1' })
    for (const sentinel of [
      nativeAddress.toLowerCase(),
      `0x${'E'.repeat(40)}`,
      `0x${'0'.repeat(40)}`,
    ])
      expect((await indicative('ETH', 'USDC', { amount: '1', token_in: sentinel })).body).toEqual(
        expected.body,
      )
    expect(expected.body).toMatchObject({ sellerToken: nativeAddress, routes: ['ETH', 'USDC'] })
  })

  test('one code path: the firm quote of the same block pays the same', async () => {
    for (const amount of ['0.005', '1', '44.999999999999999999', '60']) {
      const { body } = await indicative('WETH', 'USDC', { amount })
      expect((await firm('WETH', 'USDC', { amount })).amountOut).toBe(body.buyerTokenAmountWei)
    }
  })
})

describe('firm quote: terms', () => {
  test('a maker order is signed by the maker, the quote by the fee signer, and JSON says what the calldata says', async () => {
    const quote = await firm('WETH', 'USDC', { amount: '12', slippage: '0.1' })
    const domain = { chainId: fork.ready.chainId, router: fork.ready.router }
    const signed = decodeOrders(quote.calldata)
    const swap = decodeExactInput(quote.txRequest.calldata)
    if (swap === undefined) throw new Error('not exactInput')
    expect(encodeExactInput(swap)).toBe(quote.txRequest.calldata)
    expect(swap.orders).toBe(quote.calldata)

    expect(signed).toHaveLength(1)
    const [{ order, signature } = { order: undefined, signature: undefined }] = signed
    if (order === undefined) throw new Error('no order')
    const maker = fork.ready.makers['maker-a']?.address
    expect(await recoverTypedDataAddress({ ...orderTypedData(domain, order), signature })).toBe(
      maker,
    )
    const authorization = authorizationTypedData(domain, {
      orders: signed,
      caller: treasury().address,
      swap,
    })
    expect(
      await recoverAddress({
        hash: hashTypedData(authorization),
        signature: quote.widgetFeeSignature,
      }),
    ).toBe(fork.ready.feeSigner.address)

    expect(quote.orders).toEqual([
      {
        id: Number(order.id),
        signer: maker,
        buyer: maker,
        seller: treasury().address,
        buyerToken: token('USDC'),
        sellerToken: token('WETH'),
        buyerTokenAmount: '35980000000',
        sellerTokenAmount: '12000000000000000000',
        caller: treasury().address,
        quoteId: expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        deadlineTimestamp: Number(order.deadlineTimestamp),
      },
    ])
    expect(order).toMatchObject({
      buyerTokenAmount: 35980000000n,
      sellerTokenAmount: 12n * 10n ** 18n,
      quoteId: `0x${quote.orders[0]?.quoteId.replaceAll('-', '')}`,
    })
    expect(quote).toMatchObject({
      recipient: treasury().address,
      amountIn: '12000000000000000000',
      amountOut: '35980000000',
      toWrap: false,
      toUnwrap: false,
      fallbackSwapDataArray: [],
      source: 'maker-a',
      txRequest: { target: fork.ready.router, value: '0' },
    })
    expect(swap).toMatchObject({
      recipient: treasury().address,
      amountIn: 12n * 10n ** 18n,
      amountOutMinimum: 35944020000n,
    })
  })

  test('a pool leg names the executor, carries its pool, and nobody signs it', async () => {
    const quote = await firm('WETH', 'USDC', { amount: '0.009' })
    expect(quote.source).toMatch(/^univ2:0x[0-9a-fA-F]{40}$/)
    expect(quote.orders).toMatchObject([
      {
        signer: `0x${'0'.repeat(40)}`,
        buyer: fork.ready.executor,
        buyerTokenAmount: '26918758',
      },
    ])
    expect(decodeOrders(quote.calldata)[0]?.signature).toBe('0x')
    expect(quote.fallbackSwapDataArray).toEqual([
      `0x${(2).toString(16).padStart(64, '0')}${(3000).toString(16).padStart(64, '0')}`,
    ])
  })

  test.each([
    ['0', '16592710412501392887'],
    ['0.1', '16576117702088891495'],
    ['5', '15763074891876323243'],
    ['33.333333333333333333', '11061806941667595259'],
    ['49.999999999999999999', '8296355206250696444'],
  ])('slippage %s percent: the minimum is %s, rounded up', async (slippage, minimum) => {
    const quote = await firm('USDC', 'WETH', { amount: '50000', slippage })
    expect(quote.amountOut).toBe('16592710412501392887')
    const swap = decodeExactInput(quote.txRequest.calldata)
    expect(swap?.amountOutMinimum.toString()).toBe(minimum)
  })

  test.each([
    ['absent', undefined, 60],
    ['empty', '', 60],
    ['0', '0', 60],
    ['30', '30', 30],
    ['120', '120', 120],
  ])('expiry_time %s: the deadline counts from the later clock', async (_name, expiry, seconds) => {
    const from = Math.floor(Date.now() / 1_000)
    const rest = expiry === undefined ? {} : { expiry_time: expiry }
    const quote = await firm('WETH', 'USDC', { amount: '1', ...rest })
    const deadline = quote.orders[0]?.deadlineTimestamp ?? 0
    expect(deadline).toBeGreaterThanOrEqual(from + seconds)
    expect(deadline).toBeLessThanOrEqual(Math.floor(Date.now() / 1_000) + seconds + 30)
  })

  test('order ids: each is its own', async () => {
    const quotes = await Promise.all(
      Array.from({ length: 20 }, () => firm('WETH', 'USDC', { amount: '1' })),
    )
    expect(new Set(quotes.map(({ orders }) => orders[0]?.id)).size).toBe(20)
    expect(new Set(quotes.map(({ orders }) => orders[0]?.quoteId)).size).toBe(20)
  })
})

describe('firm quote: settles on chain', () => {
  const settles = async (sell: string, buy: string, rest: Record<string, string>) => {
    const quote = await firm(sell, buy, rest)
    const { receipt, spent, received } = await settleQuote(fork.rpc, {
      quote,
      privateKey: treasury().privateKey,
    })
    expect(receipt.success).toBe(true)
    expect({ spent, received }).toEqual({
      spent: BigInt(quote.amountIn),
      received: BigInt(quote.amountOut),
    })
    for (const symbol of Object.keys(fork.ready.tokens))
      for (const holder of [fork.ready.router, fork.ready.executor])
        expect(await balanceOf(fork.rpc, token(symbol), holder)).toBe(0n)
    expect(await balanceOf(fork.rpc, nativeAddress, fork.ready.router)).toBe(0n)
    return quote
  }

  test.each([
    ['WETH', 'USDC', '0.5'],
    ['USDC', 'WETH', '21234.567891'],
    ['WETH', 'DAI', '1.234567890123456789'],
  ])('maker, %s to %s', async (sell, buy, amount) => {
    expect((await settles(sell, buy, { amount })).source).toBe('maker-a')
  })
  test('maker, native in', async () => {
    const quote = await settles('ETH', 'USDC', { amount: '0.7' })
    expect(quote).toMatchObject({
      toWrap: true,
      toUnwrap: false,
      source: 'maker-a',
      txRequest: { value: '700000000000000000' },
    })
    expect(quote.orders[0]?.sellerToken).toBe(token('WETH'))
  })
  test('maker, native out', async () => {
    const quote = await settles('USDC', 'ETH', { amount: '30000' })
    expect(quote).toMatchObject({
      toWrap: false,
      toUnwrap: true,
      source: 'maker-a',
      txRequest: { value: '0' },
    })
    expect(quote.orders[0]?.buyerToken).toBe(token('WETH'))
  })
  test('maker and pool together, to the last unit and with no slippage', async () => {
    const quote = await settles('WETH', 'USDC', { amount: '60' })
    expect(quote.source).toMatch(/^maker-a\+univ2:/)
  })
  test('pool, native in', async () => {
    const quote = await settles('ETH', 'USDC', { amount: '0.001' })
    expect(quote.source).toMatch(/^univ2:/)
  })
  test('pool, native out', async () => {
    const quote = await settles('USDC', 'ETH', { amount: '5' })
    expect(quote.source).toMatch(/^univ2:/)
  })
  test('pool, a token that returns nothing', () => settles('TETHER', 'USDC', { amount: '100' }))

  test('to another address', async () => {
    const recipient = '0x000000000000000000000000000000000000bEEF'
    const quote = await firm('WETH', 'USDC', { amount: '0.2', to_address: recipient })
    expect(quote.recipient).toBe(treasury().address)
    expect(decodeExactInput(quote.txRequest.calldata).recipient).toBe(recipient)
    const { received } = await settleQuote(fork.rpc, {
      quote,
      privateKey: treasury().privateKey,
      recipient,
    })
    expect(received).toBe(BigInt(quote.amountOut))
  })

  test('a token that loses on the way is refused by the router', async () => {
    const quote = await firm('LEAKY', 'USDC', { amount: '100', slippage: '5' })
    const { receipt } = await settleQuote(fork.rpc, { quote, privateKey: treasury().privateKey })
    expect(receipt.success).toBe(false)
  })

  test('once only', async () => {
    const quote = await settles('WETH', 'USDC', { amount: '0.1' })
    const again = await settleQuote(fork.rpc, { quote, privateKey: treasury().privateKey })
    expect(again.receipt.success).toBe(false)
  })
})
