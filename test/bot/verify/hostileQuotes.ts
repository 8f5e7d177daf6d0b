import { concatHex, numberToHex, zeroAddress } from 'viem'
import type { FirmOrder, FirmQuote } from '../../../src/api/firmQuote.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { decodeExactInput, encodeExactInput } from '../../../src/chain/settlement/codec.ts'
import type { ExactInput, Order, SignedOrder } from '../../../src/chain/settlement/order.ts'
import type { Address } from '../../../src/core/token.ts'
import {
  dai,
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

const stranger = parties.stranger.address
const taker = parties.taker.address
const feeSigner = parties.feeSigner.address
/** As an address book shows it, it is the taker. */
const lookAlike =
  `${taker.slice(0, 12)}${'0'.repeat(22)}${taker.slice(-8)}`.toLowerCase() as Address
const uint256Max = 2n ** 256n - 1n
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const half = 10n ** 18n / 2n
const anotherChain = { chainId: 1, router }
const anotherRouter = { chainId: pins.chainId, router: executor }

/** Replaces fields of the transaction after signing: what a service does that signs one thing and sends another. */
const resend = (changes: Partial<ExactInput>) => (quote: FirmQuote) => {
  const swap = decodeExactInput(quote.txRequest.calldata)
  return request({ calldata: encodeExactInput({ ...swap, ...changes }) })(quote)
}
const request = (changes: Partial<FirmQuote['txRequest']>) => (quote: FirmQuote) => ({
  ...quote,
  txRequest: { ...quote.txRequest, ...changes },
})
const call = (change: (calldata: Hex) => string) => (quote: FirmQuote) =>
  request({ calldata: change(quote.txRequest.calldata) as Hex })(quote)
const json = (changes: object) => (quote: FirmQuote) => ({ ...quote, ...changes })
const firstOrder = (changes: object | ((one: FirmOrder) => object)) => (quote: FirmQuote) => ({
  ...quote,
  orders: quote.orders.map((one, index) =>
    index === 0 ? { ...one, ...(typeof changes === 'function' ? changes(one) : changes) } : one,
  ),
})
const signatures = (change: (signature: Hex) => string) => (legs: readonly SignedOrder[]) =>
  legs.map((leg) => ({ ...leg, signature: change(leg.signature) as Hex }))
/** Another authorisation, in the JSON and in the transaction alike. */
const authorization = (change: (signature: Hex) => string) => (quote: FirmQuote) => {
  const widgetFeeSignature = change(quote.widgetFeeSignature) as Hex
  return { ...resend({ widgetFeeSignature })(quote), widgetFeeSignature }
}
/** The mirror of a signature on the curve: valid to some, and a second one of the same order. */
const mirrored = (signature: Hex): Hex => {
  const s = curveOrder - BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.endsWith('1b') ? '1c' : '1b'
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}` as Hex
}
/** 64 bytes, `v` in the highest bit of `s`. */
const compact = (signature: Hex): string => {
  const s = BigInt(`0x${signature.slice(66, 130)}`) + (signature.endsWith('1c') ? 2n ** 255n : 0n)
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}`
}
const withV = (v: string) => (signature: Hex) => `${signature.slice(0, -2)}${v}`
/** Sets the first byte of a word, which belongs to no address and no flag. */
const dirtied = (bytes: Hex, word: number, prefix: number): Hex => {
  const at = prefix + 64 * word
  return `${bytes.slice(0, at)}ff${bytes.slice(at + 2)}` as Hex
}
const fee = (changes: Partial<ExactInput['widgetFee']>): Partial<ExactInput> => ({
  widgetFee: { signer: feeSigner, feeRecipient: feeSigner, feeRate: 0n, ...changes },
})
/** One order that leaves room for a fee. */
const feeOrders = (feeBps: bigint) => [
  order({ sellerTokenAmount: 10n ** 18n - (10n ** 18n * feeBps) / 10_000n }),
]
const halves = (changes: Partial<Order>) => [
  order({ sellerTokenAmount: half, buyerTokenAmount: 1_500_000_000n }),
  order({ id: 8n, sellerTokenAmount: half, buyerTokenAmount: 1_500_000_000n, ...changes }),
]
const hops = ({ bought, sold }: { bought: bigint; sold: bigint }) => [
  poolOrder({ buyerToken: dai.address, buyerTokenAmount: bought }),
  order({ sellerToken: dai.address, sellerTokenAmount: sold }),
]
const nine = Array.from({ length: 9 }, (_, index) =>
  order({
    id: BigInt(index),
    sellerTokenAmount: (10n ** 18n - 1n) / 9n + (index === 0 ? 1n : 0n),
    buyerTokenAmount: index === 0 ? 333_333_336n : 333_333_333n,
  }),
)

/** A call whose list of fallbacks points at one long text, over and over: 120 kB that decode to 120 MB. */
const bomb = (calldata: Hex): Hex => {
  const words = calldata.slice(10).match(/.{64}/g) ?? []
  const list = words.length - 1
  const times = 2_000
  const blob = 'ab'.repeat(60_000 - (60_000 % 32))
  const tuple = words.map((word, index) =>
    // The tuple's twelfth word is where its list of fallbacks begins, from the tuple's own start.
    index === 11 ? numberToHex(list * 32, { size: 32 }).slice(2) : word,
  )
  return concatHex([
    calldata.slice(0, 10) as Hex,
    `0x${tuple.slice(0, -1).join('')}`,
    numberToHex(0, { size: 32 }),
    numberToHex(times, { size: 32 }),
    ...Array.from({ length: times }, () => numberToHex(times * 32, { size: 32 })),
    numberToHex(blob.length / 2, { size: 32 }),
    `0x${blob}`,
  ])
}

const orderBytes: Hex = (await quoteOf()).quote.calldata

/** What a service could send that must not be signed, and the check that must say so. */
export const hostileQuotes: Readonly<Record<string, readonly [check: string, recipe: Recipe]>> = {
  // The call.
  'another target': ['router', { json: request({ target: stranger }) }],
  'a token as target': ['router', { json: request({ target: weth.address }) }],
  'the executor as target': ['router', { json: request({ target: executor }) }],
  'a target that looks alike': [
    'router',
    { json: request({ target: '0x00000000000000001000000000000000000000b1' }) },
  ],
  'the arguments in a call of another function': [
    'selector',
    { json: call((data) => `0x12345678${data.slice(10)}`) },
  ],
  'an approval': ['selector', { json: request({ calldata: '0x095ea7b3' }) }],
  'many calls in one': [
    'selector',
    { json: call((data) => `0xac9650d8${'00'.repeat(31)}20${data.slice(10)}`) },
  ],
  'no call data': ['selector', { json: request({ calldata: '0x' }) }],
  'no arguments': ['canonical-call', { json: call((data) => data.slice(0, 10)) }],
  'half of the arguments': ['canonical-call', { json: call((data) => data.slice(0, 330)) }],
  'bytes after the call': ['canonical-call', { json: call((data) => `${data}00`) }],
  'a word after the call': ['canonical-call', { json: call((data) => data + '00'.repeat(32)) }],
  'a recipient with dirty bits': ['canonical-call', { json: call((data) => dirtied(data, 2, 10)) }],
  'a flag that is neither': ['canonical-call', { json: call((data) => dirtied(data, 5, 10)) }],
  'a list that decodes to a hundred megabytes': ['canonical-call', { json: call(bomb) }],
  'orders that are no orders': ['canonical-orders', { swap: { orders: '0x1234' } }],
  'bytes after the orders': [
    'canonical-orders',
    { swap: { orders: `${orderBytes}${'00'.repeat(32)}` as Hex } },
  ],
  'an order with dirty bits': ['canonical-orders', { swap: { orders: dirtied(orderBytes, 5, 2) } }],
  'no orders at all': ['orders-present', { orders: [] }],
  'nine orders': ['orders-present', { orders: nine }],

  // The JSON against the call.
  'another order list in the JSON': ['json-orders-bytes', { json: json({ calldata: '0x00' }) }],
  'an order list with more behind it in the JSON': [
    'json-orders-bytes',
    { json: (quote) => ({ ...quote, calldata: `${quote.calldata}00` }) },
  ],
  'a better price in the JSON': [
    'json-orders',
    { json: firstOrder({ buyerTokenAmount: '3100000000' }) },
  ],
  'less to sell in the JSON': ['json-orders', { json: firstOrder({ sellerTokenAmount: '1' }) }],
  'another signer in the JSON': ['json-orders', { json: firstOrder({ signer: stranger }) }],
  'another maker in the JSON': ['json-orders', { json: firstOrder({ buyer: stranger }) }],
  'another seller in the JSON': ['json-orders', { json: firstOrder({ seller: stranger }) }],
  'another caller in the JSON': ['json-orders', { json: firstOrder({ caller: stranger }) }],
  'another token sold in the JSON': [
    'json-orders',
    { json: firstOrder({ sellerToken: dai.address }) },
  ],
  'another token bought in the JSON': [
    'json-orders',
    { json: firstOrder({ buyerToken: dai.address }) },
  ],
  'a later deadline in the JSON': [
    'json-orders',
    { json: firstOrder({ deadlineTimestamp: now + 60 }) },
  ],
  'a deadline in milliseconds in the JSON': [
    'json-orders',
    { json: firstOrder({ deadlineTimestamp: (now + 30) * 1_000 }) },
  ],
  'another id in the JSON': ['json-orders', { json: firstOrder({ id: 8 }) }],
  'the neighbour of an id beyond 2^53 in the JSON': [
    'json-orders',
    { orders: [order({ id: 2n ** 53n + 1n })], json: firstOrder({ id: 2 ** 53 }) },
  ],
  'another quote id in the JSON': [
    'json-orders',
    { json: firstOrder({ quoteId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }) },
  ],
  'a quote id that is none': ['json-orders', { json: firstOrder({ quoteId: '62716-206e-4ab7' }) }],
  'a quote id with a prefix': [
    'json-orders',
    { json: firstOrder({ quoteId: '0x0123456789abcdef0123456789abcdef' }) },
  ],
  'an order less in the JSON': ['json-orders', { json: json({ orders: [] }) }],
  'an order more in the JSON': [
    'json-orders',
    { json: (quote) => ({ ...quote, orders: [...quote.orders, ...quote.orders] }) },
  ],
  'the orders in another sequence in the JSON': [
    'json-orders',
    {
      orders: halves({}),
      json: (quote) => ({ ...quote, orders: quote.orders.toReversed() }),
    },
  ],
  'another input in the JSON': ['json-amount-in', { json: json({ amountIn: '1' }) }],
  'a wrap in the JSON': ['json-wrap-flags', { json: json({ toWrap: true }) }],
  'an unwrap in the JSON': ['json-wrap-flags', { json: json({ toUnwrap: true }) }],
  'another fee in the JSON': [
    'json-fee',
    { json: (quote) => ({ ...quote, widgetFee: { ...quote.widgetFee, feeRate: 1 } }) },
  ],
  'no fee in the JSON, and one in the call': [
    'json-fee',
    {
      orders: feeOrders(10n),
      swap: fee({ feeRate: 10n }),
      json: json({ widgetFee: { signer: zeroAddress, feeRecipient: zeroAddress, feeRate: 0 } }),
    },
  ],
  'a fee by nobody in the JSON': [
    'json-fee',
    {
      orders: feeOrders(10n),
      swap: fee({ feeRate: 10n }),
      json: json({ widgetFee: { signer: zeroAddress, feeRecipient: zeroAddress, feeRate: 10 } }),
    },
  ],
  'another fee recipient in the JSON': [
    'json-fee',
    { json: (quote) => ({ ...quote, widgetFee: { ...quote.widgetFee, feeRecipient: stranger } }) },
  ],
  'another fee signer in the JSON': [
    'json-fee',
    { json: (quote) => ({ ...quote, widgetFee: { ...quote.widgetFee, signer: stranger } }) },
  ],
  'another authorisation in the JSON': [
    'json-authorization',
    { json: json({ widgetFeeSignature: '0x00' }) },
  ],
  'a fallback in the JSON': ['json-fallbacks', { json: json({ fallbackSwapDataArray: ['0x'] }) }],
  'no fallback in the JSON': [
    'json-fallbacks',
    {
      swap: { fallbackSwapDataArray: [poolData(3, 500)] },
      json: json({ fallbackSwapDataArray: [] }),
    },
  ],

  // Who.
  'another recipient, signed for': ['recipient', { swap: { recipient: stranger } }],
  '[TOKEN-16] nobody as recipient': ['recipient', { swap: { recipient: zeroAddress } }],
  'the router as recipient': ['recipient', { swap: { recipient: router } }],
  'a recipient that looks alike': ['recipient', { swap: { recipient: lookAlike } }],
  'a recipient changed after signing': ['recipient', { json: resend({ recipient: stranger }) }],
  'the wallet where a recipient was planned': [
    'recipient',
    { plan: { recipient: parties.collector.address } },
  ],
  'another recipient in the JSON': ['json-recipient', { json: json({ recipient: stranger }) }],
  'somebody else as caller': ['caller-and-seller', { orders: [order({ caller: stranger })] }],
  'somebody else as seller': ['caller-and-seller', { orders: [order({ seller: stranger })] }],
  'nobody as caller': ['caller-and-seller', { orders: [order({ caller: zeroAddress })] }],
  'somebody else as caller of the second order': [
    'caller-and-seller',
    { orders: halves({ caller: stranger }) },
  ],
  'a maker nobody configured': ['makers', { orders: [order({ buyer: stranger })] }],
  'a second maker nobody configured': ['makers', { orders: halves({ buyer: stranger }) }],
  'ourselves as maker': ['makers', { orders: [order({ buyer: taker })] }],

  // What.
  '[API-18] [TOKEN-20] another token sold': [
    'token-in',
    { orders: [order({ sellerToken: dai.address })] },
  ],
  'another token bought': ['token-out', { orders: [order({ buyerToken: dai.address })] }],
  'a wrap nobody asked for': ['wrap', { swap: { toWrap: true } }],
  'no wrap for the native token': ['wrap', { sell: ether, swap: { toWrap: false } }],
  'an unwrap nobody asked for': ['unwrap', { swap: { toUnwrap: true } }],
  'no unwrap for the native token': [
    'unwrap',
    {
      sell: usdc,
      buy: ether,
      orders: [order({ sellerToken: usdc.address, buyerToken: weth.address })],
      swap: { toUnwrap: false },
    },
  ],
  'value for a token': ['value', { json: request({ value: '1' }) }],
  'too much value for the native token': [
    'value',
    { sell: ether, json: request({ value: '1000000000000000001' }) },
  ],
  'no value for the native token': ['value', { sell: ether, json: request({ value: '0' }) }],
  'a leg that sells what was not bought': [
    'legs',
    { orders: [order(), order({ id: 8n, sellerToken: dai.address })] },
  ],
  'hops in the wrong sequence': [
    'legs',
    {
      orders: [
        order({ sellerTokenAmount: half, buyerTokenAmount: 1_500_000_000n }),
        order({ id: 8n, sellerToken: dai.address, buyerTokenAmount: 1_500_000_000n }),
        poolOrder({ buyerToken: dai.address, sellerTokenAmount: half }),
        order({ id: 9n, sellerToken: dai.address, sellerTokenAmount: 1n }),
      ],
    },
  ],
  'a leg that buys back what we sell': [
    'legs',
    {
      orders: [
        poolOrder({ buyerToken: dai.address, buyerTokenAmount: 10n }),
        poolOrder({ sellerToken: dai.address, buyerToken: weth.address, sellerTokenAmount: 1n }),
        order({ sellerToken: dai.address, sellerTokenAmount: 9n }),
      ],
    },
  ],
  'a leg of a token for itself': [
    'legs',
    {
      orders: [
        poolOrder({ buyerToken: dai.address, buyerTokenAmount: 10n }),
        poolOrder({
          sellerToken: dai.address,
          buyerToken: dai.address,
          sellerTokenAmount: 10n,
          buyerTokenAmount: 10n,
        }),
        order({ sellerToken: dai.address, sellerTokenAmount: 10n }),
      ],
    },
  ],
  '[TOKEN-15] a leg of nothing': [
    'legs',
    { orders: [order(), order({ id: 8n, sellerTokenAmount: 0n, buyerTokenAmount: 0n })] },
  ],
  'a leg that sells what we buy': [
    'legs',
    {
      orders: [
        order(),
        poolOrder({
          sellerToken: usdc.address,
          buyerToken: dai.address,
          sellerTokenAmount: 1n,
          buyerTokenAmount: 5n,
        }),
        order({ id: 9n, sellerToken: dai.address, sellerTokenAmount: 5n, buyerTokenAmount: 1n }),
      ],
      swap: { amountOutMinimum: 2_997_000_001n },
    },
  ],
  'a leg that costs nothing': [
    'legs',
    {
      orders: [order(), order({ id: 8n, sellerTokenAmount: 0n, buyerTokenAmount: 1n })],
      swap: { amountOutMinimum: 2_997_000_001n },
    },
  ],
  'a gift to a maker': [
    'legs',
    { orders: halves({ buyerTokenAmount: 0n }), swap: { amountOutMinimum: 1_500_000_000n } },
  ],
  'more bought on the way than is sold on': ['hops', { orders: hops({ bought: 10n, sold: 9n }) }],
  'more sold on than was bought': ['hops', { orders: hops({ bought: 10n, sold: 11n }) }],
  'a way through a token nobody configured': [
    'known-tokens',
    {
      orders: [
        poolOrder({ buyerToken: stranger }),
        poolOrder({ id: 8n, sellerToken: stranger, sellerTokenAmount: 3_000_000_000n }),
      ],
    },
  ],
  '[TOKEN-20] a token bought that nobody configured': [
    'known-tokens',
    { buy: { ...usdc, address: executor }, orders: [order({ buyerToken: executor })] },
  ],
  'orders of two quotes': [
    'quote-id',
    { orders: halves({ quoteId: '0xffffffffffffffffffffffffffffffff' }) },
  ],
  'an order id twice': ['order-ids', { orders: halves({ id: 7n }) }],

  // How much.
  'more than was asked': [
    'amount-in',
    {
      orders: [order({ sellerTokenAmount: 10n ** 18n + 1n })],
      swap: { amountIn: 10n ** 18n + 1n },
    },
  ],
  'less than was asked': [
    'amount-in',
    {
      orders: [order({ sellerTokenAmount: 10n ** 18n - 1n })],
      swap: { amountIn: 10n ** 18n - 1n },
    },
  ],
  'all there is': [
    'amount-in',
    { orders: [order({ sellerTokenAmount: uint256Max })], swap: { amountIn: uint256Max } },
  ],
  'legs that do not use the input': [
    'legs-input',
    { orders: [order({ sellerTokenAmount: half })] },
  ],
  'legs that use more than the input': [
    'legs-input',
    { orders: halves({ sellerTokenAmount: 10n ** 18n }) },
  ],
  'an output the legs do not give': ['amount-out', { json: json({ amountOut: '3100000000' }) }],
  'a minimum one unit below the slippage': [
    'minimum',
    { swap: { amountOutMinimum: 2_996_999_999n } },
  ],
  'a minimum a fraction of a unit below the slippage': [
    'minimum',
    {
      orders: [order({ buyerTokenAmount: 3_000_000_001n })],
      swap: { amountOutMinimum: 2_997_000_000n },
    },
  ],
  'no minimum': ['minimum', { swap: { amountOutMinimum: 0n } }],
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
  'a fee above policy': ['fee-rate', { orders: feeOrders(11n), swap: fee({ feeRate: 11n }) }],
  'a fee of everything': [
    'fee-rate',
    { orders: feeOrders(10_000n), swap: fee({ feeRate: 10_000n }) },
  ],
  'a fee for somebody nobody configured': [
    'fee-recipient',
    { orders: feeOrders(10n), swap: fee({ feeRate: 10n, feeRecipient: stranger }) },
  ],
  'a fee signer nobody configured': ['fee-signer', { swap: fee({ signer: stranger }) }],
  'a fee signer nobody configured, who signs': [
    'fee-signer',
    { swap: fee({ signer: stranger }), signers: { fee: parties.stranger } },
  ],

  // Until when.
  'a deadline that is too close': [
    'deadline-far-enough',
    { orders: [order({ deadlineTimestamp: BigInt(now + 7) })] },
  ],
  'a deadline that has passed': [
    'deadline-far-enough',
    { orders: [order({ deadlineTimestamp: BigInt(now - 1) })] },
  ],
  '[API-16] no deadline': ['deadline-far-enough', { orders: [order({ deadlineTimestamp: 0n })] }],
  'a second order with a close deadline': [
    'deadline-far-enough',
    { orders: halves({ deadlineTimestamp: BigInt(now + 7) }) },
  ],
  'a deadline later than was asked': [
    'deadline-near-enough',
    { orders: [order({ deadlineTimestamp: BigInt(now + 36) })] },
  ],
  'a second order with a late deadline': [
    'deadline-near-enough',
    { orders: halves({ deadlineTimestamp: BigInt(now + 36) }) },
  ],
  'a deadline in milliseconds': [
    'deadline-near-enough',
    { orders: [order({ deadlineTimestamp: BigInt(now + 30) * 1_000n })] },
  ],
  'a deadline that wraps at 64 bits': [
    'deadline-near-enough',
    { orders: [order({ deadlineTimestamp: 2n ** 64n + BigInt(now + 30) })] },
  ],
  'a deadline at the end of time': [
    'deadline-near-enough',
    { orders: [order({ deadlineTimestamp: uint256Max })] },
  ],

  // Who signed.
  'a maker signature by a stranger': ['leg-1-signature', { signers: { maker: parties.stranger } }],
  'a maker signature by another maker': [
    'leg-1-signature',
    { signers: { maker: parties.otherMaker } },
  ],
  'a maker signature for another chain': ['leg-1-signature', { domains: { maker: anotherChain } }],
  'a maker signature for another router': [
    'leg-1-signature',
    { domains: { maker: anotherRouter } },
  ],
  'an order changed after its maker signed': [
    'leg-1-signature',
    {
      bend: (legs) =>
        legs.map((leg) => ({ ...leg, order: { ...leg.order, buyerTokenAmount: 3_001_000_000n } })),
    },
  ],
  'two maker signatures exchanged': [
    'leg-2-signature',
    {
      orders: halves({}),
      bend: (legs) =>
        legs.map((leg, index) => ({
          ...leg,
          signature: legs.at(index - 1)?.signature ?? '0x',
        })),
    },
  ],
  'a mirrored maker signature': ['leg-1-signature', { bend: signatures(mirrored) }],
  'a cut maker signature': ['leg-1-signature', { bend: signatures((one) => one.slice(0, -2)) }],
  'a maker signature of 64 bytes': ['leg-1-signature', { bend: signatures(compact) }],
  'a maker signature with a byte too many': [
    'leg-1-signature',
    { bend: signatures((one) => `${one}00`) },
  ],
  'a maker signature whose v is 0 or 1': [
    'leg-1-signature',
    { bend: signatures((one) => withV(one.endsWith('1b') ? '00' : '01')(one)) },
  ],
  'a maker signature whose v is 29': ['leg-1-signature', { bend: signatures(withV('1d')) }],
  'no maker signature': ['leg-1-signature', { bend: signatures(() => '0x') }],
  'a maker signature of zeros by nobody': [
    'leg-1-signature',
    {
      orders: [order({ signer: zeroAddress })],
      bend: signatures(() => `0x${'00'.repeat(64)}1b`),
    },
  ],
  'a maker signature beyond the curve': [
    'leg-1-signature',
    { bend: signatures(() => `0x${'ff'.repeat(32)}${'00'.repeat(31)}011b`) },
  ],
  'a stranger as signer of a known maker': [
    'leg-1-signer',
    { orders: [order({ signer: stranger })], signers: { maker: parties.stranger } },
  ],
  'the fee signer as signer of a known maker': [
    'leg-1-signer',
    { orders: [order({ signer: feeSigner })], signers: { maker: parties.feeSigner } },
  ],
  'a signature on a pool leg': [
    'leg-1-unsigned',
    { orders: [poolOrder()], bend: signatures(() => '0x01') },
  ],
  'a signer of a pool leg': [
    'leg-1-unsigned',
    { orders: [poolOrder({ signer: parties.maker.address })] },
  ],
  'a pool of an unknown kind': [
    'leg-1-pool',
    { orders: [poolOrder()], swap: { fallbackSwapDataArray: [poolData(9, 3_000)] } },
  ],
  'a pool of an unknown fee': [
    'leg-1-pool',
    { orders: [poolOrder()], swap: { fallbackSwapDataArray: [poolData(3, 1)] } },
  ],
  'a pool of the second kind with a fee of the third': [
    'leg-1-pool',
    { orders: [poolOrder()], swap: { fallbackSwapDataArray: [poolData(2, 500)] } },
  ],
  'a pool leg without its pool': [
    'leg-1-pool',
    { orders: [poolOrder()], swap: { fallbackSwapDataArray: [] } },
  ],
  'a pool with bytes behind it': [
    'leg-1-pool',
    {
      orders: [poolOrder()],
      swap: { fallbackSwapDataArray: [`${poolData(2, 3_000)}00`] },
    },
  ],
  'a pool with dirty bits': [
    'leg-1-pool',
    { orders: [poolOrder()], swap: { fallbackSwapDataArray: [dirtied(poolData(2, 3_000), 0, 2)] } },
  ],
  'a raw call behind a maker': ['leg-1-pool', { swap: { fallbackSwapDataArray: ['0x095ea7b3'] } }],
  'a raw call behind the second maker': [
    'leg-2-pool',
    { orders: halves({}), swap: { fallbackSwapDataArray: ['0x', '0x095ea7b3'] } },
  ],
  'a fallback too many': ['fallback-count', { swap: { fallbackSwapDataArray: ['0x', '0x'] } }],
  'a fallback too few': [
    'fallback-count',
    { orders: halves({}), swap: { fallbackSwapDataArray: ['0x'] } },
  ],
  'an authorisation by a stranger': ['authorization', { signers: { fee: parties.stranger } }],
  'an authorisation by the maker': ['authorization', { signers: { fee: parties.maker } }],
  'an authorisation for another caller': ['authorization', { authorized: stranger }],
  'an authorisation for another chain': ['authorization', { domains: { fee: anotherChain } }],
  'an authorisation for another router': ['authorization', { domains: { fee: anotherRouter } }],
  'a mirrored authorisation': ['authorization', { json: authorization(mirrored) }],
  'an authorisation of 64 bytes': ['authorization', { json: authorization(compact) }],
  'an authorisation whose v is 0': ['authorization', { json: authorization(withV('00')) }],
  'no authorisation': ['authorization', { swap: { widgetFeeSignature: '0x' } }],
  'a minimum lowered after signing': [
    'authorization',
    { json: resend({ amountOutMinimum: 2_998_000_000n }) },
  ],
  'a fee recipient changed after signing': [
    'authorization',
    {
      json: (quote) => {
        const widgetFee = { ...quote.widgetFee, feeRecipient: stranger }
        return { ...resend({ widgetFee: { ...widgetFee, feeRate: 0n } })(quote), widgetFee }
      },
    },
  ],
  'a fallback added after signing': [
    'authorization',
    {
      json: (quote) => {
        const fallbackSwapDataArray = [poolData(2, 3_000)]
        return { ...resend({ fallbackSwapDataArray })(quote), fallbackSwapDataArray }
      },
    },
  ],
}
