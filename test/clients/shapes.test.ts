import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { FirmQuote } from '../../src/api/firmQuote.ts'
import { ask } from '../support/ask.ts'
import { type Fork, forkOrigin } from '../support/forkOrigin.ts'
import { settleQuote } from '../support/settleQuote.ts'
import { transact } from '../support/transact.ts'

/**
 * What other clients of this family of services send, and the fields they cannot do without: Kyber's (first generation),
 * Tycho's (second generation, the strictest) and Balmy's. Their requests are repeated, their models are ours.
 */
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const digits = z.string().regex(/^\d+$/)
const bytes = z.string().regex(/^0x([0-9a-f]{2})*$/)
const fee = z.object({ signer: address, feeRecipient: address, feeRate: z.number() })

/** Every field is needed there, and numbers are numbers. */
const secondGeneration = z.object({
  success: z.literal(true),
  orders: z
    .array(
      z.object({
        pool: address,
        signer: address,
        recipient: address,
        sellerToken: address,
        buyerToken: address,
        effectiveSellerTokenAmount: digits,
        sellerTokenAmount: digits,
        buyerTokenAmount: digits,
        deadlineTimestamp: z.int(),
        nonce: z.int().nonnegative(),
        quoteId: z.string(),
        multiHop: z.boolean(),
        signature: bytes,
        externalSwapCalldata: bytes,
        amountOutMinimum: digits,
        widgetFee: fee,
        widgetFeeSignature: bytes,
      }),
    )
    .min(1),
  widgetFee: fee,
  widgetFeeSignature: bytes,
  recipient: address,
  amountIn: digits,
  amountOut: digits,
  amountOutBeforeFee: digits,
  fallbackSwapDataArray: z.unknown(),
  tokenTransferFeeOnPercent: z.number(),
  txRequest: z.object({ target: address, calldata: bytes, value: z.string() }),
  source: z.array(z.int().nonnegative()),
  errorMessage: z.string(),
  router_version: z.string(),
  amountInOffset: z.int(),
  amountOutMinimumOffset: z.int(),
})

let fork: Fork
beforeAll(async () => {
  fork = await forkOrigin({
    mining: 'auto',
    world: (world) => ({
      ...world,
      chain: { ...world.chain, name: 'ethereum' },
      service: { ...world.service, apiKeys: ['key'], impactBpsMax: 1_000 },
    }),
  })
})
afterAll(() => fork?.close())

const headers = { apikey: 'key' }
const token = (symbol: string) => fork.ready.tokens[symbol]?.address ?? ''
const treasury = () => {
  const { treasury: wallet } = fork.ready.wallets
  if (wallet === undefined) throw new Error('no treasury')
  return wallet
}
const get = (path: string, query: Readonly<Record<string, string>>) =>
  ask(fork.ready.serviceUrl, path, query, headers)
const wordAt = (calldata: string, offset: number) =>
  BigInt(`0x${calldata.slice(2 + 2 * offset, 2 + 2 * (offset + 32))}`)

describe('Tycho', () => {
  const asked = () => ({
    from_address: treasury().address,
    src_chain: 'ethereum',
    dst_chain: 'ethereum',
    token_in: token('WETH'),
    token_out: token('USDC'),
    amount_wei: `${2n * 10n ** 18n}`,
    version: '4',
    allow_multihop: 'true',
    slippage: '0.5',
  })

  test('a firm quote has every field of its model, and settles', async () => {
    const { status, body } = await get('firm-quote', asked())
    expect(status).toBe(200)
    const quote = secondGeneration.parse(body)
    expect(quote.amountIn).toBe(asked().amount_wei)
    const { calldata } = quote.txRequest
    expect(wordAt(calldata, quote.amountInOffset)).toBe(BigInt(quote.amountIn))
    const minimum = (BigInt(quote.amountOut) * 995n + 999n) / 1_000n
    expect(wordAt(calldata, quote.amountOutMinimumOffset)).toBe(minimum)
    expect(quote.orders[0]?.amountOutMinimum).toBe(minimum.toString())
    const { received } = await settleQuote(fork.rpc, {
      quote: body as FirmQuote,
      privateKey: treasury().privateKey,
    })
    expect(received).toBe(BigInt(quote.amountOut))
  })

  test('without a version, or below 2, the body is of the first generation', async () => {
    for (const version of ['', '1'])
      expect(typeof (await get('firm-quote', { ...asked(), version })).body.source).toBe('string')
  })

  test('the rows of a pair in both spellings are not two books', async () => {
    const { body } = await get('orderbook', { chain: 'ethereum' })
    const rows = body as {
      base_address: string
      quote_address: string
      side: string
      levels: [number, number][]
    }[]
    // It takes the rows as they are spelt and others only where a side has none, so direct ones must be complete.
    const direct = rows.filter(
      (row) => row.base_address === token('WETH') && row.quote_address === token('USDC'),
    )
    expect(direct.map(({ side }) => side).sort()).toEqual(['ask', 'bid'])
    for (const row of rows.filter(({ side }) => side === 'bid'))
      for (const [amount, price] of row.levels) {
        expect(amount).toBeGreaterThan(0)
        expect(price).toBeGreaterThan(0)
      }
  })

  test.each([
    ['amount_wei', '0', 131004],
    ['token_out', '0x00000000000000000000000000000000000000aa', 171015],
    ['amount_wei', `${10n ** 30n}`, 101010],
    ['expiry_time', '121', 171018],
  ])('a refusal is a code and a message it knows: %s %s', async (name, value, code) => {
    const { body } = await get('firm-quote', { ...asked(), [name]: value })
    expect(body).toMatchObject({ code, message: expect.any(String) })
  })
})

describe('Kyber', () => {
  test('the first level is no more than the minimum: it sells nothing below that level', async () => {
    const { body } = await get('orderbook', { chain: 'ethereum' })
    const rows = body as { levels: [number, number][]; minimum_in_base: number; side: string }[]
    const limited = rows.filter(({ minimum_in_base: minimum }) => minimum > 0)
    expect(limited.length).toBeGreaterThan(2)
    for (const { levels, minimum_in_base: minimum } of limited)
      expect(levels[0]?.[0]).toBeLessThanOrEqual(minimum * (1 + 1e-9))
  })

  test('chain by number, a recipient of its own, slippage with two decimals', async () => {
    const { status, body } = await get('firm-quote', {
      src_chain: String(fork.world.chain.chainId),
      dst_chain: String(fork.world.chain.chainId),
      token_in: token('WETH').toLowerCase(),
      token_out: token('USDC').toLowerCase(),
      amount_wei: `${10n ** 16n}`,
      from_address: treasury().address,
      to_address: treasury().address,
      beneficiary_address: treasury().address,
      expiry_time: '60',
      slippage: '1.23',
    })
    expect(status).toBe(200)
    expect(body.success).toBe(true)
    expect(body.txRequest.value).toBe('0')
  })
})

describe('Balmy', () => {
  test('the transaction alone, for the coin as well, and it settles', async () => {
    const query = {
      chain: 'ethereum',
      token_in: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
      token_out: token('USDC'),
      amount: '0.5',
      address: treasury().address,
      slippage: '0.333333333333333333',
    }
    const { status, body } = await get('firm-quote/calldata', query)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      from: treasury().address,
      to: body.target,
      value: `${5n * 10n ** 17n}`,
    })
    expect(wordAt(body.calldata, body.amountInOffset)).toBe(5n * 10n ** 17n)
    const receipt = await transact(fork.rpc, {
      privateKey: treasury().privateKey,
      to: body.to,
      data: body.calldata,
      value: BigInt(body.value),
    })
    expect(receipt.success).toBe(true)
  })

  test.each([
    [{ amount: '0' }],
    [{ token_out: '0x00000000000000000000000000000000000000aa' }],
    [{ amount: '1000000000000' }],
  ])('a refusal has a message for the user: %o', async (change) => {
    const { status, body } = await get('firm-quote', {
      chain: 'ethereum',
      token_in: token('WETH'),
      token_out: token('USDC'),
      amount: '1',
      address: treasury().address,
      ...change,
    })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(body).toMatchObject({ success: false, errorMessage: expect.any(String) })
  })
})
