import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chains } from '../../src/api/chains.ts'
import { firmQuote } from '../../src/api/firmQuote.ts'
import { indicativeQuote } from '../../src/api/indicativeQuote.ts'
import { type OrderPair, orderbook } from '../../src/api/orderbook.ts'
import { formatDecimal } from '../../src/core/decimal.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'

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
        levels: [['integer']],
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

describe('the order book prices what the quotes pay', () => {
  /** Rule 2 of the specification, with exact integers: amounts in 10^-18 base, prices in 10^-6 quote. */
  const walk = ({ levels }: OrderPair, sellWei: bigint): bigint => {
    let left = sellWei
    let paid = 0n
    for (const [amount, price] of levels) {
      const size = BigInt(Math.round(amount * 1e6)) * 10n ** 12n
      const taken = left < size ? left : size
      paid += taken * BigInt(Math.round(price * 1e6))
      left -= taken
    }
    if (left > 0n) throw new Error('beyond the depth')
    return paid / 10n ** 18n
  }

  test('any amount within the depth, for the maker that pays more than the pool', async () => {
    const { body } = await ask(fork.ready.serviceUrl, 'orderbook', { chain: 'local' })
    const row = orderbook.response
      .parse(body)
      .find(({ side, quote_symbol }) => side === 'bid' && quote_symbol === 'USDC')
    if (row === undefined) throw new Error('no bid for WETH')
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 10n ** 16n, max: 45n * 10n ** 18n }), async (sellWei) => {
        const { body: answer } = await quote('indicative-quote', {
          amount: formatDecimal(sellWei, 18),
        })
        expect(answer.buyerTokenAmountWei).toBe(walk(row, sellWei).toString())
      }),
      { numRuns: 60 },
    )
  })
})
