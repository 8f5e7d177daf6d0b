import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chains } from '../../src/api/chains.ts'
import { firmQuote } from '../../src/api/firmQuote.ts'
import { indicativeQuote } from '../../src/api/indicativeQuote.ts'
import { orderbook } from '../../src/api/orderbook.ts'
import { decodeExactInput } from '../../src/chain/settlement/codec.ts'
import { formatDecimal } from '../../src/core/decimal.ts'
import { nativeAddress } from '../../src/core/token.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { boundaries, sellBase } from './walkBook.ts'

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({ mining: 'auto' })
})
afterAll(() => fork?.close())

const quote = (path: string, rest: Record<string, string>) =>
  ask(fork.ready.serviceUrl, path, {
    chain: 'local',
    token_in: fork.ready.tokens.WETH?.address,
    token_out: fork.ready.tokens.USDC?.address,
    from_address: fork.ready.wallets.treasury?.address,
    ...rest,
  })

/** The JSON type of every field, as the specification's tables name them. */
const typesOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(typesOf)
  if (typeof value !== 'object' || value === null)
    return Number.isInteger(value) ? 'integer' : typeof value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, typesOf(field)]))
}

describe('the specification, field by field', () => {
  test('chains', async () => {
    const { body } = await ask(fork.ready.serviceUrl, 'chains')
    expect(typesOf(body)).toEqual([
      {
        chainId: 'integer',
        chain: 'string',
        label: 'string',
        token: 'string',
        isMainnet: 'boolean',
      },
    ])
    expect(chains.response.parse(body)).toEqual(body)
  })

  test('the chain of /chains is the one other requests take', async () => {
    const [{ chain }] = (await ask(fork.ready.serviceUrl, 'chains')).body
    expect((await ask(fork.ready.serviceUrl, 'orderbook', { chain })).status).toBe(200)
  })

  test('orderbook', async () => {
    const { body } = await ask(fork.ready.serviceUrl, 'orderbook', { chain: 'local' })
    expect(typesOf(body)).toEqual([
      {
        base_symbol: 'string',
        base_address: 'string',
        quote_symbol: 'string',
        quote_address: 'string',
        levels: [['number']],
        side: 'string',
        minimum_in_base: 'number',
      },
    ])
    expect(orderbook.response.parse(body)).toEqual(body)
  })

  test('indicative quote', async () => {
    const { body } = await quote('indicative-quote', { amount: '12.5' })
    expect(typesOf(body)).toEqual({
      success: 'boolean',
      buyerToken: 'string',
      sellerToken: 'string',
      buyerTokenAmount: 'integer',
      buyerTokenAmountWei: 'string',
      sellerTokenAmount: 'string',
      sellerTokenAmountWei: 'string',
      price: 'integer',
      widgetFeeUsd: 'integer',
      liquidityProviderFeeUsd: 'integer',
      totalFeeUsd: 'integer',
      routes: ['string'],
    })
    expect(indicativeQuote.response.parse(body)).toEqual(body)
  })

  test('firm quote', async () => {
    const { body } = await quote('firm-quote', { amount: '60' })
    expect(typesOf(body)).toEqual({
      success: 'boolean',
      orders: [
        {
          id: 'integer',
          signer: 'string',
          buyer: 'string',
          seller: 'string',
          buyerToken: 'string',
          sellerToken: 'string',
          buyerTokenAmount: 'string',
          sellerTokenAmount: 'string',
          caller: 'string',
          quoteId: 'string',
          deadlineTimestamp: 'integer',
        },
      ],
      widgetFee: { signer: 'string', feeRecipient: 'string', feeRate: 'integer' },
      widgetFeeSignature: 'string',
      recipient: 'string',
      calldata: 'string',
      amountIn: 'string',
      amountOut: 'string',
      toWrap: 'boolean',
      toUnwrap: 'boolean',
      fallbackSwapDataArray: ['string'],
      source: 'string',
      txRequest: { target: 'string', calldata: 'string', value: 'string' },
    })
    expect(firmQuote.response.parse(body)).toEqual(body)
  })
})

describe('the terms of a firm quote', () => {
  const WETH = () => fork.ready.tokens.WETH?.address ?? ''
  const firm = async (rest: Record<string, string>) => {
    const { body } = await quote('firm-quote', { amount: '1', ...rest })
    const value = firmQuote.response.parse(body)
    const swap = decodeExactInput(value.txRequest.calldata)
    if (swap === undefined) throw new Error('the transaction is a swap')
    return { value, swap }
  }

  test('specification: amountOut and orders add up, and calldata is the bytes of the orders', async () => {
    const { value, swap } = await firm({ amount: '60' })
    const bought = value.orders.map(({ buyerTokenAmount }) => BigInt(buyerTokenAmount))
    const sold = value.orders.map(({ sellerTokenAmount }) => BigInt(sellerTokenAmount))
    const sum = (amounts: readonly bigint[]) => amounts.reduce((a, b) => a + b, 0n).toString()
    expect({ in: sum(sold), out: sum(bought) }).toEqual({
      in: value.amountIn,
      out: value.amountOut,
    })
    expect(value.calldata).toBe(swap.orders)
  })

  test('specification: expiry_time affects deadlineTimestamp', async () => {
    const deadlines = async (expiry_time: string) =>
      (await firm({ expiry_time })).value.orders.map((order) => order.deadlineTimestamp)
    const [short = 0] = await deadlines('10')
    const [long = 0] = await deadlines('110')
    expect(long - short).toBeGreaterThanOrEqual(99)
    expect(long - short).toBeLessThanOrEqual(102)
  })

  test('specification: slippage defaults to 0 and is in percent', async () => {
    const { value, swap } = await firm({})
    expect(swap.amountOutMinimum.toString()).toBe(value.amountOut)
    const loose = await firm({ slippage: '5' })
    // Rounded up: never below what the tolerance allows.
    const part = (BigInt(loose.value.amountOut) * 95n + 99n) / 100n
    expect(loose.swap.amountOutMinimum).toBe(part)
  })

  test('specification: value is the coin that is sold, and nothing otherwise', async () => {
    const native = await firm({ token_in: nativeAddress })
    expect(native.value.txRequest.value).toBe(native.value.amountIn)
    expect(native.value).toMatchObject({ toWrap: true, toUnwrap: false })
    expect(native.value.orders[0]?.sellerToken).toBe(WETH())
    const plain = await firm({})
    expect(plain.value.txRequest.value).toBe('0')
    expect(plain.value).toMatchObject({ toWrap: false, toUnwrap: false })
  })

  test('specification: to_address receives, and is from_address when empty', async () => {
    const other = '0x000000000000000000000000000000000000bEEF'
    expect((await firm({ to_address: other })).swap.recipient).toBe(other)
    expect((await firm({ to_address: '' })).swap.recipient).toBe(
      fork.ready.wallets.treasury?.address,
    )
  })

  test('specification: the target is the router', async () => {
    expect((await firm({})).value.txRequest.target).toBe(fork.ready.router)
  })

  test('derived: an id survives JSON, a quote id is a UUID of its own', async () => {
    const [one, other] = [await firm({}), await firm({})]
    for (const { value } of [one, other])
      for (const { id, quoteId } of value.orders) {
        expect(Number.isSafeInteger(id)).toBe(true)
        expect(quoteId).toMatch(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/)
      }
    expect(one.value.orders[0]?.quoteId).not.toBe(other.value.orders[0]?.quoteId)
  })
})

describe('the order book and the quotes', () => {
  test('derived: no quote pays less than a published row alone', async () => {
    const { body } = await ask(fork.ready.serviceUrl, 'orderbook', { chain: 'local' })
    const row = orderbook.response
      .parse(body)
      .find(({ side, quote_symbol }) => side === 'bid' && quote_symbol === 'USDC')
    if (row === undefined) throw new Error('no bid for WETH')
    const decimals = { base: 18, quote: 6 }
    const depth = boundaries(row, decimals).at(-1) ?? 0n
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 10n ** 16n, max: depth }), async (sellWei) => {
        const { body: answer } = await quote('indicative-quote', {
          amount: formatDecimal(sellWei, 18),
        })
        const alone = sellBase(row, decimals, sellWei) ?? 0n
        expect(BigInt(answer.buyerTokenAmountWei)).toBeGreaterThanOrEqual(alone)
      }),
      { numRuns: 60 },
    )
  })
})
