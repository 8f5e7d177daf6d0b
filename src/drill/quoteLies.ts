import { concat, encodeFunctionData, maxUint256, parseAbi } from 'viem'
import { swapRouterAbi } from '../../contracts/abi/swapRouter.ts'
import type { FirmQuote } from '../api/firmQuote.ts'
import type { Hex } from '../chain/calls/fields.ts'
import { encodeExactInput } from '../chain/settlement/codec.ts'
import type { ExactInput, Order } from '../chain/settlement/order.ts'
import { compactJson } from '../core/json.ts'
import { sameAddress } from '../core/token.ts'
import { type Forger, type HonestQuote, poolData, poolOrder } from './createForger.ts'
import type { NodeAnswer, NodeCall, NodeScene, QuoteLie } from './lie.ts'

type Bend = QuoteLie['bend']

const lie = (name: string, what: string, bend: Bend, more: Partial<QuoteLie> = {}): QuoteLie => ({
  kind: 'quote',
  name,
  what,
  bend,
  ...more,
})

/** Changes the JSON alone: the transaction stays the honest one. */
const json =
  (changes: (quote: FirmQuote, forger: Forger) => object): Bend =>
  ({ quote }, forger) => ({ ...quote, ...changes(quote, forger) })

/** Changes an order of the JSON. */
const jsonOrder = (changes: object): Bend =>
  json(({ orders }) => ({
    orders: orders.map((one, index) => (index === 0 ? { ...one, ...changes } : one)),
  }))

/** Changes the transaction alone. */
const request = (
  changes: (request: FirmQuote['txRequest'], honest: HonestQuote, forger: Forger) => object,
): Bend => {
  return (honest, forger) => ({
    ...honest.quote,
    txRequest: { ...honest.quote.txRequest, ...changes(honest.quote.txRequest, honest, forger) },
  })
}

/** Changes the calldata's arguments after they were signed. */
const resent = (changes: (swap: ExactInput, forger: Forger) => Partial<ExactInput>): Bend =>
  request((_, { swap }, forger) => ({
    calldata: encodeExactInput({ ...swap, ...changes(swap, forger) }),
  }))

/** Changes the first order and signs everything again. */
const order =
  (changes: (order: Order, forger: Forger) => Partial<Order>): Bend =>
  (honest, forger) =>
    forger.seal(honest, {
      orders: [{ ...honest.order, ...changes(honest.order, forger) }],
    })

/** Changes the swap and signs everything again. */
const swap =
  (changes: (swap: ExactInput, forger: Forger) => Partial<ExactInput>): Bend =>
  (honest, forger) =>
    forger.seal(honest, { swap: changes(honest.swap, forger) })

/** Another price that nothing in the quote contradicts. */
const priced =
  (bps: bigint): Bend =>
  (honest, forger) => {
    const left = (wei: bigint) => (wei * bps) / 10_000n
    const orders = honest.orders.map(({ order: one }) => ({
      ...one,
      buyerTokenAmount: left(one.buyerTokenAmount),
    }))
    const out = orders.reduce((sum, { buyerTokenAmount }) => sum + buyerTokenAmount, 0n)
    // The minimum keeps its distance from the amount, so that only the price is wrong.
    const minimum = (out * 9_990n + 9_999n) / 10_000n
    return forger.seal(honest, { orders, swap: { amountOutMinimum: minimum } })
  }

/** Selectors of `latestRoundData()`, `getReserves()` and `token0()`. */
const [roundData, reserves, firstToken] = ['0xfeaf968c', '0x0902f1ac', '0x0dfe1681']
/** Feeds have eight decimals; all but that of the wrapped currency say one dollar in the market of the drill. */
const dollarsMany = 100n * 10n ** 8n

/** What is sold at a hundredth of its price, by every feed and pool of the wrapped currency. */
async function cheapened(
  call: NodeCall,
  answer: NodeAnswer,
  scene: NodeScene,
): Promise<NodeAnswer> {
  const { result } = answer
  if (call.method !== 'eth_call' || typeof result !== 'string') return answer
  const { to, data, input } = call.params[0] as { to: string; data?: string; input?: string }
  const sells = sameAddress(scene.sold, scene.wrapped)
  const scaled = (word: number, isCheaper: boolean) => {
    const at = 2 + 64 * word
    const value = BigInt(`0x${result.slice(at, at + 64)}`)
    const bent = (isCheaper ? value / 100n : value * 100n).toString(16).padStart(64, '0')
    return { ...answer, result: result.slice(0, at) + bent + result.slice(at + 64) }
  }
  switch (data ?? input) {
    case roundData:
      return BigInt(`0x${result.slice(66, 130)}`) < dollarsMany ? answer : scaled(1, sells)
    case reserves: {
      const token0 = String(await scene.ask('eth_call', [{ to, data: firstToken }, 'latest']))
      const isFirst = sameAddress(`0x${token0.slice(-40)}`, scene.wrapped)
      return scaled(isFirst ? 1 : 0, sells)
    }
    default:
      return answer
  }
}

const erc20 = parseAbi([
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
])

/** Calls the sold token in the name of the wallet. */
const tokenCall = (name: 'transfer' | 'approve' | 'transferFrom'): Bend =>
  request((_, { order: { sellerToken }, swap: { amountIn } }, { stranger, scene }) => ({
    target: sellerToken,
    calldata: encodeFunctionData({
      abi: erc20,
      functionName: name,
      args: (name === 'transferFrom'
        ? [scene.wallet, stranger.address, amountIn]
        : [stranger.address, name === 'approve' ? maxUint256 : amountIn]) as never,
    }),
  }))

/** The mirror of a signature on the curve: valid to some, and a second one of the same bytes. */
function mirrored(signature: Hex): Hex {
  const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const s = n - BigInt(`0x${signature.slice(66, 130)}`)
  const v = signature.endsWith('1b') ? '1c' : '1b'
  return `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}` as Hex
}

const halves = (one: Order): readonly [Order, Order] => {
  const sold = one.sellerTokenAmount / 2n
  const bought = one.buyerTokenAmount / 2n
  return [
    { ...one, sellerTokenAmount: sold, buyerTokenAmount: bought },
    {
      ...one,
      id: one.id + 1n,
      sellerTokenAmount: one.sellerTokenAmount - sold,
      buyerTokenAmount: one.buyerTokenAmount - bought,
    },
  ]
}

/** Replaces a value in the text of the answer, as JSON.stringify could not. */
const text =
  (from: (quote: FirmQuote) => string, to: string): Bend =>
  ({ quote }) =>
    compactJson(quote).replace(from(quote), to)

const later = (seconds: number) =>
  order(({ deadlineTimestamp }) => ({ deadlineTimestamp: deadlineTimestamp + BigInt(seconds) }))

/** Lies of the firm quote itself. The service holds every key: its signatures contradict nothing it states. */
export const quoteLies: readonly QuoteLie[] = [
  // The JSON states one thing, the calldata another.
  lie(
    'json-better-amount',
    'The JSON promises twice what the calldata gives.',
    json(({ amountOut }) => ({ amountOut: String(BigInt(amountOut) * 2n) })),
  ),
  lie(
    'json-better-order',
    'An order of the JSON gives more than the signed one.',
    jsonOrder({ buyerTokenAmount: '999999999999999999999' }),
  ),
  lie(
    'json-other-maker',
    'An order of the JSON names another maker than the signed one.',
    jsonOrder({ signer: '0x00000000000000000000000000000000000000d1' }),
  ),
  lie(
    'json-later-deadline',
    'An order of the JSON is good for longer than the signed one.',
    jsonOrder({ deadlineTimestamp: 4_000_000_000 }),
  ),
  lie(
    'json-other-quote-id',
    'The JSON names another quote than the calldata.',
    jsonOrder({ quoteId: '00000000-0000-4000-8000-000000000000' }),
  ),
  lie(
    'json-order-twice',
    'The JSON lists an order twice that the calldata has once.',
    json(({ orders }) => ({ orders: [...orders, ...orders] })),
  ),
  lie(
    'json-other-recipient',
    'The JSON says that somebody else receives.',
    json((_, { stranger }) => ({ recipient: stranger.address })),
  ),
  lie(
    'json-smaller-input',
    'The JSON says that less is sold than the calldata sells.',
    json(() => ({ amountIn: '1' })),
  ),
  lie(
    'json-hidden-fee',
    'The JSON shows another fee than the calldata takes.',
    json(({ widgetFee }) => ({ widgetFee: { ...widgetFee, feeRate: 7 } })),
  ),
  lie(
    'json-other-orders',
    'The JSON carries other order bytes than the call.',
    json(() => ({ calldata: '0x1234' })),
  ),
  lie(
    'json-wrap',
    'The JSON says that the chain’s own currency is wrapped.',
    json(({ toWrap }) => ({ toWrap: !toWrap })),
  ),
  lie(
    'json-other-authorisation',
    'The JSON shows another authorisation than the call.',
    json(() => ({ widgetFeeSignature: `0x${'11'.repeat(65)}` })),
  ),
  lie(
    'json-hidden-fallback',
    'The JSON shows a fallback that the call does not have.',
    json(() => ({ fallbackSwapDataArray: [poolData(2, 3_000)] })),
  ),

  // The transaction is another one.
  lie(
    'target-attacker',
    'The transaction goes to an address of the attacker.',
    request((_, __, { stranger }) => ({ target: stranger.address })),
  ),
  lie(
    'target-executor',
    'The transaction goes to the executor instead of the router.',
    request((_, __, { scene }) => ({ target: scene.executor })),
  ),
  lie('token-transfer', 'The transaction sends the token to the attacker.', tokenCall('transfer')),
  lie('token-approve', 'The transaction lets the attacker take everything.', tokenCall('approve')),
  lie(
    'token-transfer-from',
    'The transaction moves the token by allowance.',
    tokenCall('transferFrom'),
  ),
  lie(
    'router-other-function',
    "The transaction makes the attacker a signer of the wallet's orders.",
    request((_, __, { stranger }) => ({
      calldata: encodeFunctionData({
        abi: swapRouterAbi,
        functionName: 'setOrderSigner',
        args: [stranger.address, true] as never,
      }),
    })),
  ),
  lie(
    'unknown-function',
    'The transaction calls a function nobody knows.',
    request((tx) => ({ calldata: concat(['0xdeadbeef', `0x${tx.calldata.slice(10)}`]) })),
  ),
  lie(
    'empty-call',
    'The transaction carries no call at all.',
    request(() => ({ calldata: '0x' })),
  ),
  lie(
    'trailing-bytes',
    'Bytes follow the call that nobody decodes.',
    request((tx) => ({ calldata: `${tx.calldata}${'00'.repeat(32)}` })),
  ),
  lie(
    'cut-call',
    'The call ends before its arguments do.',
    request((tx) => ({ calldata: tx.calldata.slice(0, -64) })),
  ),
  lie(
    'dirty-address',
    'The upper bytes of an address in the call are not zero.',
    request((tx) => ({
      // The second word of the tuple is the recipient: selector, offset, orders, recipient.
      calldata: `${tx.calldata.slice(0, 10 + 128)}ff${tx.calldata.slice(10 + 130)}`,
    })),
  ),
  lie(
    'value-for-a-token',
    'The sale of a token sends the chain’s own currency along.',
    request(() => ({ value: '1000000000000000000' })),
  ),
  lie(
    'value-too-large',
    'The sale of the chain’s own currency sends more than is sold.',
    request((tx) => ({ value: String(BigInt(tx.value) * 2n) })),
    { wish: 'native' },
  ),
  lie(
    'value-missing',
    'The sale of the chain’s own currency sends nothing.',
    request(() => ({ value: '0' })),
    { wish: 'native' },
  ),

  // Signed first, changed then.
  lie(
    'recipient-after-signing',
    'The recipient is changed after signing.',
    resent((_, { stranger }) => ({ recipient: stranger.address })),
  ),
  lie(
    'minimum-after-signing',
    'The minimum is lowered after signing.',
    resent(() => ({ amountOutMinimum: 1n })),
  ),
  lie(
    'input-after-signing',
    'More is sold than was signed.',
    resent(({ amountIn }) => ({ amountIn: amountIn * 2n })),
  ),

  // Consistent, signed, and wrong.
  lie(
    'recipient-attacker',
    'Somebody else receives, and every signature agrees.',
    swap((_, { stranger }) => ({ recipient: stranger.address })),
  ),
  lie(
    'minimum-of-one',
    'The minimum is one unit, and every signature agrees.',
    swap(() => ({ amountOutMinimum: 1n })),
  ),
  lie(
    'minimum-one-below',
    'The minimum is one unit below the slippage that was asked for.',
    swap(({ amountOutMinimum }) => ({ amountOutMinimum: amountOutMinimum - 1n })),
  ),
  lie(
    'minimum-above-output',
    'The minimum is more than the orders give: it can only revert.',
    (honest, forger) =>
      forger.seal(honest, {
        swap: { amountOutMinimum: honest.order.buyerTokenAmount + 1n },
      }),
  ),
  lie(
    'price-three-percent',
    'The price is 3 % below the market, and everything agrees.',
    priced(9_700n),
  ),
  lie('price-halved', 'The price is half the market’s, and everything agrees.', priced(5_000n)),
  lie(
    'price-three-percent-unbounded',
    'The price is 3 % below the market, and the strategy set no bound.',
    priced(9_700n),
    { floor: 'lax' },
  ),
  lie(
    'price-halved-unbounded',
    'The price is half the market’s, and the strategy set no bound.',
    priced(5_000n),
    { floor: 'lax' },
  ),
  lie(
    'price-ten-times',
    'The price is ten times the market’s: a gift, or a mistake somebody will correct.',
    priced(100_000n),
    { floor: 'lax' },
  ),
  lie(
    'price-in-chorus',
    'Quote, indication and order book agree on 3 % below the market.',
    priced(9_700n),
    { floor: 'lax', chorusBps: 9_700n },
  ),
  lie(
    'price-halved-in-chorus',
    'Quote, indication and order book agree on half the market’s price.',
    priced(5_000n),
    { floor: 'lax', chorusBps: 5_000n },
  ),
  lie(
    'collusion',
    'The node, the service and its makers agree on a hundredth of the market’s price.',
    priced(100n),
    { floor: 'references', chorusBps: 100n, node: { bend: cheapened } },
  ),
  lie('input-doubled', 'Twice of what was asked for is sold.', (honest, forger) =>
    forger.seal(honest, {
      orders: [{ ...honest.order, sellerTokenAmount: honest.order.sellerTokenAmount * 2n }],
      swap: { amountIn: honest.swap.amountIn * 2n },
    }),
  ),
  lie(
    'input-not-used',
    'The orders use half of the input; the rest stays in the router.',
    order(({ sellerTokenAmount }) => ({ sellerTokenAmount: sellerTokenAmount / 2n })),
  ),
  lie('fee-above-policy', 'The service keeps 0.9 % as its fee.', (honest, forger) => {
    const { widgetFee, amountIn } = honest.swap
    const fee = (amountIn * 90n) / 10_000n
    return forger.seal(honest, {
      orders: [{ ...honest.order, sellerTokenAmount: amountIn - fee }],
      swap: { widgetFee: { ...widgetFee, feeRate: 90n } },
    })
  }),
  lie('fee-signer-stranger', 'Another fee signer vouches for the quote.', (honest, forger) =>
    forger.seal(honest, {
      swap: { widgetFee: { ...honest.swap.widgetFee, signer: forger.stranger.address } },
      signers: { fee: forger.stranger },
    }),
  ),
  lie('authorisation-stranger', 'A stranger signs in the place of the service.', (honest, forger) =>
    forger.seal(honest, { signers: { fee: forger.stranger } }),
  ),
  lie(
    'authorisation-mirrored',
    'The authorisation is the mirror image of the real one.',
    (honest, forger) =>
      forger.seal(honest, {
        swap: { widgetFeeSignature: mirrored(honest.swap.widgetFeeSignature) },
      }),
  ),
  lie(
    'maker-stranger',
    'A maker nobody configured signs for itself.',
    order((_, { stranger }) => ({ signer: stranger.address, buyer: stranger.address })),
  ),
  lie(
    'maker-signer-stranger',
    'A stranger signs an order of a known maker in its own name.',
    order((_, { stranger }) => ({ signer: stranger.address })),
  ),
  lie('maker-forged', 'A stranger signs an order in a known maker’s name.', (honest, forger) =>
    forger.seal(honest, { signers: { maker: forger.stranger } }),
  ),
  lie(
    'maker-mirrored',
    'The maker’s signature is the mirror image of the real one.',
    (honest, forger) =>
      forger.seal(honest, {
        bend: (legs) => legs.map((leg) => ({ ...leg, signature: mirrored(leg.signature) })),
      }),
  ),
  lie('maker-unsigned', 'The maker’s signature is missing.', (honest, forger) =>
    forger.seal(honest, {
      bend: (legs) => legs.map((leg) => ({ ...leg, signature: '0x' as const })),
    }),
  ),
  lie('signed-for-other-chain', 'Everything is signed for another chain.', (honest, forger) =>
    forger.seal(honest, { domain: { chainId: 1 } }),
  ),
  lie('signed-for-other-router', 'Everything is signed for another router.', (honest, forger) =>
    forger.seal(honest, { domain: { router: forger.stranger.address } }),
  ),
  lie(
    'caller-attacker',
    'Only the attacker could send the transaction.',
    order((_, { stranger }) => ({ caller: stranger.address })),
  ),
  lie(
    'seller-attacker',
    'The order is about somebody else’s tokens.',
    order((_, { stranger }) => ({ seller: stranger.address })),
  ),
  lie(
    'token-out-other',
    'Another token is bought than was asked for.',
    order((_, { scene }) => ({ buyerToken: scene.tokens.XLEAKY?.address ?? scene.wrapped })),
  ),
  lie(
    'token-in-other',
    'Another token is sold than was asked for.',
    order((_, { scene }) => ({ sellerToken: scene.tokens.XLEAKY?.address ?? scene.wrapped })),
  ),
  lie(
    'route-through-nowhere',
    'The way leads through a token nobody configured.',
    (honest, forger) => {
      const nowhere = forger.stranger.address
      const first = { ...poolOrder(honest.order, forger.scene), buyerToken: nowhere }
      const second = {
        ...poolOrder(honest.order, forger.scene),
        id: honest.order.id + 1n,
        sellerToken: nowhere,
        sellerTokenAmount: first.buyerTokenAmount,
      }
      return forger.seal(honest, { orders: [first, second] })
    },
  ),
  lie('leg-of-nothing', 'One of two orders gives nothing for nothing.', (honest, forger) =>
    forger.seal(honest, {
      orders: [
        honest.order,
        { ...honest.order, id: honest.order.id + 1n, sellerTokenAmount: 0n, buyerTokenAmount: 0n },
      ],
    }),
  ),
  lie('two-quotes-in-one', 'The orders belong to two quotes.', (honest, forger) => {
    const [first, second] = halves(honest.order)
    return forger.seal(honest, {
      orders: [first, { ...second, quoteId: `0x${'ab'.repeat(16)}` }],
    })
  }),
  lie('orders-missing', 'There are no orders at all.', (honest, forger) =>
    forger.seal(honest, { orders: [] }),
  ),
  lie('nine-orders', 'There are more orders than a router takes.', (honest, forger) =>
    forger.seal(honest, {
      orders: Array.from({ length: 9 }, (_, index) => ({
        ...honest.order,
        id: honest.order.id + BigInt(index),
      })),
    }),
  ),
  lie(
    'orders-trailing-bytes',
    'Bytes follow the orders within the signed call.',
    (honest, forger) =>
      forger.seal(honest, {
        swap: { orders: concat([honest.swap.orders, `0x${'00'.repeat(32)}`]) },
      }),
  ),
  lie(
    'orders-garbage',
    'The orders of the call are no orders.',
    swap(() => ({ orders: '0x1234' })),
  ),
  lie(
    'raw-call-behind-maker',
    'A raw call stands behind a maker’s order.',
    swap(() => ({ fallbackSwapDataArray: ['0x095ea7b3'] })),
  ),
  lie('unknown-pool', 'An order is filled by a kind of pool nobody knows.', (honest, forger) =>
    forger.seal(honest, {
      orders: [poolOrder(honest.order, forger.scene)],
      swap: { fallbackSwapDataArray: [poolData(9, 3_000)] },
    }),
  ),
  lie('pool-that-cannot', 'A pool is said to give more than it can.', (honest, forger) =>
    forger.seal(honest, {
      orders: [
        {
          ...poolOrder(honest.order, forger.scene),
          buyerTokenAmount: honest.order.buyerTokenAmount * 2n,
        },
      ],
      swap: { amountOutMinimum: honest.order.buyerTokenAmount * 2n },
    }),
  ),
  lie(
    'fallback-too-many',
    'There are more fallbacks than orders.',
    swap(() => ({ fallbackSwapDataArray: ['0x', '0x'] })),
  ),
  lie(
    'wrap-unasked',
    'The chain’s own currency is wrapped although a token is sold.',
    swap(() => ({ toWrap: true })),
  ),
  lie(
    'unwrap-unasked',
    'What is bought is unwrapped although a token was asked for.',
    swap(() => ({ toUnwrap: true })),
  ),
  lie('deadline-passed', 'The orders expired a minute ago.', later(-90)),
  lie('deadline-too-near', 'The orders are good for two seconds.', (honest, forger) => {
    const { deadlineTimestamp } = honest.order
    const now = deadlineTimestamp - BigInt(forger.scene.expirySeconds)
    return forger.seal(honest, { orders: [{ ...honest.order, deadlineTimestamp: now + 2n }] })
  }),
  lie('deadline-in-an-hour', 'The orders are good for an hour more than asked.', later(3_600)),
  lie(
    'deadline-in-milliseconds',
    'The deadline is in milliseconds: good for 50,000 years.',
    order(({ deadlineTimestamp }) => ({ deadlineTimestamp: deadlineTimestamp * 1_000n })),
  ),
  lie('quote-settled-before', 'A quote that was settled before comes again.', (_, forger) =>
    forger.settled(),
  ),

  // Numbers that are none, and other routers.
  lie(
    'amount-in-hex',
    'The amount bought is in hex.',
    json(({ amountOut }) => ({ amountOut: `0x${BigInt(amountOut).toString(16)}` })),
  ),
  lie(
    'amount-negative',
    'The amount bought is negative.',
    json(({ amountOut }) => ({ amountOut: `-${amountOut}` })),
  ),
  lie(
    'amount-with-exponent',
    'The amount bought is written with an exponent.',
    json(() => ({ amountOut: '3e9' })),
  ),
  lie(
    'amount-as-number',
    'The amount bought is a JSON number, which rounds.',
    text(({ amountOut }) => `"amountOut":"${amountOut}"`, '"amountOut":1e21'),
  ),
  lie(
    'amount-beyond-a-word',
    'The amount bought does not fit the chain’s largest number.',
    json(() => ({ amountOut: '9'.repeat(78) })),
  ),
  lie(
    'success-as-text',
    'The quote says success in quotes.',
    json(() => ({ success: 'true' })),
  ),
  lie(
    'success-false',
    'The quote says no success and carries a quote.',
    json(() => ({ success: false })),
  ),
  lie(
    'foreign-router-orders',
    'The orders are those of another router.',
    json(({ orders }) => ({
      router_version: '4.0',
      orders: orders.map(({ id, signer, caller, deadlineTimestamp }) => ({
        ...{ id, signer, trader: caller, deadlineTimestamp },
        ...{ pool: signer, nonce: 1, multiHop: false, externalSwapCalldata: '0x' },
      })),
    })),
  ),
]
