import { describe, expect, test } from 'vitest'
import type { FirmQuote } from '../../../src/api/firmQuote.ts'
import { createVerify } from '../../../src/bot/verify/verify.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { decodeExactInput, encodeExactInput } from '../../../src/chain/settlement/codec.ts'
import type { ExactInput } from '../../../src/chain/settlement/order.ts'
import type { Refused } from '../../../src/core/check.ts'
import {
  ether,
  executor,
  now,
  order,
  parties,
  pins,
  poolData,
  poolOrder,
  quoteOf,
  type Recipe,
  router,
  usdc,
  weth,
} from './goodQuote.ts'

const clock = { now: () => now * 1_000, sleep: async () => {} }
const verify = createVerify({ pins, clock })
const stranger = parties.stranger.address

/** Replaces fields of the transaction after signing: what a service does that signs one thing and sends another. */
const resend = (changes: Partial<ExactInput>) => (quote: FirmQuote) => {
  const swap = decodeExactInput(quote.txRequest.calldata) as ExactInput
  const calldata = encodeExactInput({ ...swap, ...changes })
  return { ...quote, txRequest: { ...quote.txRequest, calldata } }
}
const request = (changes: Partial<FirmQuote['txRequest']>) => (quote: FirmQuote) => ({
  ...quote,
  txRequest: { ...quote.txRequest, ...changes },
})
const firstOrder = (changes: object) => (quote: FirmQuote) => ({
  ...quote,
  orders: quote.orders.map((one, index) => (index === 0 ? { ...one, ...changes } : one)),
})
/** The mirror of a signature on the curve: valid to some, and a second one of the same order. */
const mirrored = (signature: Hex): Hex => {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const s = order - BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.endsWith('1b') ? '1c' : '1b'
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}` as Hex
}
const half = 10n ** 18n / 2n

describe('verify: accepts', () => {
  const controls: Record<string, Recipe> = {
    'one maker order': {},
    'one pool leg': { orders: [poolOrder()] },
    'a split between maker and pool': {
      orders: [
        order({ sellerTokenAmount: half, buyerTokenAmount: 1_500_000_000n }),
        poolOrder({ sellerTokenAmount: half, buyerTokenAmount: 1_500_000_000n }),
      ],
    },
    'the native token sold': { sell: ether },
    'the native token bought': {
      sell: usdc,
      buy: ether,
      orders: [order({ sellerToken: usdc.address, buyerToken: weth.address })],
    },
    'a fee within policy': {
      orders: [order({ sellerTokenAmount: 10n ** 18n - 10n ** 15n })],
      swap: {
        widgetFee: { signer: parties.feeSigner.address, feeRecipient: stranger, feeRate: 10n },
      },
    },
    'a minimum above what was asked': { swap: { amountOutMinimum: 3_000_000_000n } },
    'a maker with a pool behind it': { swap: { fallbackSwapDataArray: [poolData(3, 500)] } },
    'addresses in another case': {
      json: (quote) => ({ ...quote, recipient: quote.recipient.toLowerCase() }),
    },
  }
  for (const [name, recipe] of Object.entries(controls))
    test(name, async () => {
      const { checks } = await verify(await quoteOf(recipe))
      expect(checks.filter(({ ok }) => !ok)).toEqual([])
      expect(checks.length).toBeGreaterThanOrEqual(25)
    })
})

describe('verify: refuses', () => {
  const hostile: Record<string, [check: string, recipe: Recipe]> = {
    'another target': ['router', { json: request({ target: stranger }) }],
    'a token as target': ['router', { json: request({ target: weth.address }) }],
    'a call of another function': ['selector', { json: request({ calldata: '0x095ea7b3' }) }],
    'no call data': ['selector', { json: request({ calldata: '0x' }) }],
    'bytes after the call': [
      'canonical-call',
      {
        json: (quote) => request({ calldata: `${quote.txRequest.calldata}00` })(quote),
      },
    ],
    'orders that are no orders': ['orders-decode', { swap: { orders: '0x1234' } }],
    'no orders at all': ['orders-present', { orders: [] }],
    'nine orders': [
      'orders-present',
      { orders: Array.from({ length: 9 }, (_, index) => order({ id: BigInt(index) })) },
    ],
    'another order list in the JSON': [
      'json-orders-bytes',
      { json: (quote) => ({ ...quote, calldata: '0x00' }) },
    ],
    'a better price in the JSON': [
      'json-orders',
      { json: firstOrder({ buyerTokenAmount: '3100000000' }) },
    ],
    'another maker in the JSON': ['json-orders', { json: firstOrder({ signer: stranger }) }],
    'a later deadline in the JSON': [
      'json-orders',
      { json: firstOrder({ deadlineTimestamp: now + 60 }) },
    ],
    'an order less in the JSON': [
      'json-orders-count',
      { json: (quote) => ({ ...quote, orders: [] }) },
    ],
    'another input in the JSON': [
      'json-amount-in',
      { json: (quote) => ({ ...quote, amountIn: '1' }) },
    ],
    'other wrap flags in the JSON': [
      'json-wrap-flags',
      { json: (quote) => ({ ...quote, toWrap: true }) },
    ],
    'another fee in the JSON': [
      'json-fee',
      { json: (quote) => ({ ...quote, widgetFee: { ...quote.widgetFee, feeRate: 1 } }) },
    ],
    'another authorisation in the JSON': [
      'json-authorization',
      { json: (quote) => ({ ...quote, widgetFeeSignature: '0x00' }) },
    ],
    'other fallbacks in the JSON': [
      'json-fallbacks',
      { json: (quote) => ({ ...quote, fallbackSwapDataArray: ['0x'] }) },
    ],
    'another recipient, signed for': ['recipient', { swap: { recipient: stranger } }],
    'another recipient in the JSON': [
      'json-recipient',
      { json: (quote) => ({ ...quote, recipient: stranger }) },
    ],
    'somebody else as caller': ['caller-and-seller', { orders: [order({ caller: stranger })] }],
    'somebody else as seller': ['caller-and-seller', { orders: [order({ seller: stranger })] }],
    'a maker nobody configured': ['makers', { orders: [order({ buyer: stranger })] }],
    'another token sold': ['token-in', { orders: [order({ sellerToken: stranger })] }],
    'another token bought': ['token-out', { orders: [order({ buyerToken: stranger })] }],
    'a wrap nobody asked for': ['wrap', { swap: { toWrap: true } }],
    'an unwrap nobody asked for': ['unwrap', { swap: { toUnwrap: true } }],
    'value for a token': ['value', { json: request({ value: '1' }) }],
    'too much value for the native token': [
      'value',
      { sell: ether, json: request({ value: '1000000000000000001' }) },
    ],
    'a leg that sells what was not bought': [
      'legs',
      {
        orders: [
          order({ buyerToken: stranger }),
          order({ id: 8n, sellerToken: executor, buyerToken: usdc.address }),
        ],
      },
    ],
    'a way through a token nobody configured': [
      'known-tokens',
      {
        orders: [
          poolOrder({ buyerToken: stranger }),
          poolOrder({
            id: 8n,
            sellerToken: stranger,
            buyerToken: usdc.address,
            sellerTokenAmount: 3_000_000_000n,
          }),
        ],
      },
    ],
    'a leg of nothing': [
      'legs',
      { orders: [order(), order({ id: 8n, sellerTokenAmount: 0n, buyerTokenAmount: 0n })] },
    ],
    'orders of two quotes': [
      'quote-id',
      {
        orders: [
          order({ sellerTokenAmount: half }),
          order({ id: 8n, sellerTokenAmount: half, quoteId: '0xffffffffffffffffffffffffffffffff' }),
        ],
      },
    ],
    'another amount than was asked': ['amount-in', { swap: { amountIn: 10n ** 18n + 1n } }],
    'legs that do not use the input': [
      'legs-input',
      { orders: [order({ sellerTokenAmount: half })] },
    ],
    'an output the legs do not give': [
      'amount-out',
      { json: (quote) => ({ ...quote, amountOut: '3100000000' }) },
    ],
    'a minimum one unit below the slippage': [
      'minimum',
      { swap: { amountOutMinimum: 2_996_999_999n } },
    ],
    'a minimum above the output': ['minimum', { swap: { amountOutMinimum: 3_000_000_001n } }],
    'one unit below the floor': [
      'floor',
      {
        plan: {
          intent: {
            sell: { token: weth, wei: 10n ** 18n },
            buy: usdc,
            floor: { token: usdc, wei: 2_997_000_001n },
            reason: '',
          },
        },
      },
    ],
    'a fee above policy': [
      'fee-rate',
      {
        swap: {
          widgetFee: { signer: parties.feeSigner.address, feeRecipient: stranger, feeRate: 11n },
        },
      },
    ],
    'a fee signer nobody configured': [
      'fee-signer',
      {
        swap: { widgetFee: { signer: stranger, feeRecipient: stranger, feeRate: 0n } },
        signers: { fee: parties.stranger },
      },
    ],
    'a deadline that is too close': [
      'deadline-far-enough',
      { orders: [order({ deadlineTimestamp: BigInt(now + 7) })] },
    ],
    'a second order with a close deadline': [
      'deadline-far-enough',
      {
        orders: [
          order({ sellerTokenAmount: half }),
          order({ id: 8n, sellerTokenAmount: half, deadlineTimestamp: BigInt(now - 1) }),
        ],
      },
    ],
    'a deadline later than was asked': [
      'deadline-near-enough',
      { orders: [order({ deadlineTimestamp: BigInt(now + 36) })] },
    ],
    'a maker signature by a stranger': [
      'leg-1-signature',
      { signers: { maker: parties.stranger } },
    ],
    'a mirrored maker signature': [
      'leg-1-signature',
      { bend: (legs) => legs.map((leg) => ({ ...leg, signature: mirrored(leg.signature) })) },
    ],
    'a cut maker signature': [
      'leg-1-signature',
      {
        bend: (legs) =>
          legs.map((leg) => ({ ...leg, signature: leg.signature.slice(0, -2) as Hex })),
      },
    ],
    'a stranger as signer of a known maker': [
      'leg-1-signer',
      { orders: [order({ signer: stranger })], signers: { maker: parties.stranger } },
    ],
    'a signature on a pool leg': [
      'leg-1-unsigned',
      {
        orders: [poolOrder()],
        bend: (legs) => legs.map((leg) => ({ ...leg, signature: '0x01' })),
      },
    ],
    'a pool of an unknown kind': [
      'leg-1-pool',
      { orders: [poolOrder()], swap: { fallbackSwapDataArray: [poolData(9, 3_000)] } },
    ],
    'a raw call behind a maker': [
      'leg-1-pool',
      { swap: { fallbackSwapDataArray: ['0x095ea7b3'] } },
    ],
    'a fallback too many': ['fallback-count', { swap: { fallbackSwapDataArray: ['0x', '0x'] } }],
    'an authorisation by a stranger': ['authorization', { signers: { fee: parties.stranger } }],
    'a mirrored authorisation': [
      'authorization',
      {
        json: (quote) => {
          const widgetFeeSignature = mirrored(quote.widgetFeeSignature)
          return { ...resend({ widgetFeeSignature })(quote), widgetFeeSignature }
        },
      },
    ],
    'a recipient changed after signing': ['recipient', { json: resend({ recipient: stranger }) }],
    'a minimum lowered after signing': [
      'authorization',
      { json: resend({ amountOutMinimum: 2_998_000_000n }) },
    ],
  }
  for (const [name, [check, recipe]] of Object.entries(hostile))
    test(name, async () => {
      const quoted = await quoteOf(recipe)
      const refusal = await verify(quoted).then(
        () => expect.unreachable('was accepted'),
        (error: Refused) => error,
      )
      expect(refusal).toMatchObject({ name: 'Refused', stage: 'verify', fault: 'refused' })
      const failed = refusal.checks.filter(({ ok }) => !ok).map(({ name }) => name)
      expect(failed).toContain(`verify.${check}`)
    })
})

test('verify: the router is the one of the pins, whatever the JSON says', async () => {
  expect((await verify(await quoteOf())).call.to).toBe(router)
})
