import {
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseTransaction,
  serializeTransaction,
  toRlp,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { judgeRequest, type SignerLimits } from '../../../../src/bot/sign/process/judge.ts'
import {
  decodeExactInput,
  encodeExactInputWithPermit,
  encodeOrders,
} from '../../../../src/chain/settlement/codec.ts'
import type { ExactInput, Order } from '../../../../src/chain/settlement/order.ts'
import type { Token } from '../../../../src/core/token.ts'
import {
  dai,
  executor,
  order,
  parties,
  pins,
  poolOrder,
  quoteOf,
  type Recipe,
  router,
  usdc,
  weth,
} from '../../verify/goodQuote.ts'
import {
  approvalOf,
  approve,
  base,
  bytesOf,
  cancellation,
  exactInput,
  key,
  limits,
  oneWeth,
  recipient,
  swapOf,
  wallet,
} from './signerCase.ts'

const stranger = '0x00000000000000000000000000000000000000ee'
const withPermit = (data: Hex) =>
  encodeExactInputWithPermit(decodeExactInput(data), {
    ...{ deadline: 1_800_000_060n, v: 27, r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}` },
  })
const judged = (unsigned: Hex) => judgeRequest(unsigned, { wallet, limits })

describe('what is signed', () => {
  test.each([
    ['a swap', swapOf(), 'SWAP', oneWeth],
    ['a swap to a listed recipient', swapOf({ call: { recipient } }), 'SWAP', oneWeth],
    [
      'a swap of the coin itself',
      { ...swapOf({ call: { toWrap: true } }), value: oneWeth },
      'SWAP',
      oneWeth,
    ],
    [
      'a swap that brings a permit along',
      { ...base, data: withPermit(exactInput()) },
      'SWAP',
      oneWeth,
    ],
    ['an approval up to the limit', approvalOf(oneWeth), 'APPROVE', undefined],
    ['an approval of nothing', approvalOf(0n), 'APPROVE', undefined],
    [
      'an approval of nothing for a token that is only bought',
      { ...approvalOf(0n), to: usdc.address },
      'APPROVE',
      undefined,
    ],
    ['a cancellation', cancellation, 'CANCEL', undefined],
    [
      'a tip above the largest',
      { ...cancellation, maxPriorityFeePerGas: 51n },
      'CANCEL',
      undefined,
    ],
    ['the most gas', { ...cancellation, gas: 500_000n }, 'CANCEL', undefined],
    ['the dearest gas', { ...cancellation, maxFeePerGas: 100n }, 'CANCEL', undefined],
    [
      'gas of nothing, for nothing',
      { ...cancellation, gas: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
      'CANCEL',
      undefined,
    ],
    [
      'a swap with the most orders',
      swapOf({ orders: Array.from({ length: 8 }, () => order()) }),
      'SWAP',
      oneWeth,
    ],
    [
      'a first transaction',
      { ...cancellation, nonce: 0, maxPriorityFeePerGas: 0n },
      'CANCEL',
      undefined,
    ],
  ] as const)('%s, every field as it came', async (_, transaction, kind, sold) => {
    const found = await judged(bytesOf(transaction))
    expect({ kind: found.kind, sold: found.sold?.wei }).toEqual({ kind, sold })
    const to = transaction.to.toLowerCase()
    expect(found.transaction).toEqual({ type: 'eip1559', ...transaction, to })
  })
})

test('a call of exactly the most bytes is signed, and one of one more is not', async () => {
  const { data } = swapOf()
  const callBytesMax = data.length / 2 - 1
  const judge = (most: number) =>
    judgeRequest(bytesOf(swapOf()), { wallet, limits: { ...limits, callBytesMax: most } })
  expect((await judge(callBytesMax)).kind).toBe('SWAP')
  await expect(judge(callBytesMax - 1)).rejects.toMatchObject({ facts: { rule: 'CALL_SIZE' } })
})

test('an approval of what may stand, and of no more', async () => {
  const tokens = limits.tokens.map((one) => ({ ...one, standing: 5n * oneWeth }))
  const judge = (wei: bigint) =>
    judgeRequest(bytesOf(approvalOf(wei)), { wallet, limits: { ...limits, tokens } })
  expect((await judge(5n * oneWeth)).kind).toBe('APPROVE')
  await expect(judge(5n * oneWeth + 1n)).rejects.toMatchObject({
    facts: { rule: 'ABOVE_PER_TRANSACTION' },
  })
})

test('an approval of nothing is allowed to any spender: it takes back', async () => {
  const judged = await judgeRequest(bytesOf(approvalOf(0n, stranger)), { wallet, limits })
  expect(judged.kind).toBe('APPROVE')
})

const ordersOf = (...orders: readonly Order[]) =>
  encodeOrders(orders.map((one) => ({ order: one, signature: '0x12' })))

const transferAbi = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amount)',
  'function increaseAllowance(address spender, uint256 amount)',
])
const transfer = encodeFunctionData({
  abi: transferAbi,
  functionName: 'transfer',
  args: [stranger, 1n],
})

/** Everything that is refused, and by which rule. */
const forbidden: Readonly<Record<string, readonly [rule: string, unsigned: Hex]>> = {
  'a transfer of a token': ['UNKNOWN_CALL', bytesOf({ ...base, to: weth.address, data: transfer })],
  'an increase of an allowance': [
    'UNKNOWN_CALL',
    bytesOf({
      ...base,
      to: weth.address,
      data: encodeFunctionData({
        abi: transferAbi,
        functionName: 'increaseAllowance',
        args: [router, 1n],
      }),
    }),
  ],
  'a bare payment': ['UNKNOWN_TARGET', bytesOf({ ...base, to: stranger, value: 1n })],
  'a call of another contract': ['UNKNOWN_TARGET', bytesOf({ ...swapOf(), to: stranger })],
  'an approval of a token that is not listed': [
    'UNKNOWN_TARGET',
    bytesOf({ ...approvalOf(1n), to: stranger }),
  ],
  'an approval of another contract': ['WRONG_SPENDER', bytesOf(approvalOf(1n, stranger))],
  'an approval above the limit': ['ABOVE_PER_TRANSACTION', bytesOf(approvalOf(oneWeth + 1n))],
  'an approval without end': ['ABOVE_PER_TRANSACTION', bytesOf(approvalOf(2n ** 256n - 1n))],
  'an approval of a token that is only bought': [
    'ABOVE_PER_TRANSACTION',
    bytesOf({ ...approvalOf(1n), to: usdc.address }),
  ],
  'an approval that pays': ['WRONG_VALUE', bytesOf({ ...approvalOf(1n), value: 1n })],
  'an approval with bytes behind it': [
    'NOT_CANONICAL',
    bytesOf({ ...approvalOf(1n), data: `${approve(router, 1n)}00` }),
  ],
  'an approval with a dirty address': [
    'NOT_CANONICAL',
    bytesOf({
      ...approvalOf(1n),
      data: `${approve(router, 1n).slice(0, 10)}01${approve(router, 1n).slice(12)}` as Hex,
    }),
  ],
  'another function of the router': ['UNKNOWN_CALL', bytesOf({ ...base, data: '0x8456cb59' })],
  'the router without a call': ['UNKNOWN_CALL', bytesOf({ ...base, value: 1n })],
  'a swap to somebody else': [
    'WRONG_RECIPIENT',
    bytesOf(swapOf({ call: { recipient: stranger } })),
  ],
  'a swap above the limit': [
    'ABOVE_PER_TRANSACTION',
    bytesOf(swapOf({ call: { amountIn: oneWeth + 1n } })),
  ],
  'a sale of a token that is only bought': [
    'ABOVE_PER_TRANSACTION',
    bytesOf(
      swapOf({
        call: { amountIn: 1n },
        orders: [order({ sellerToken: usdc.address, buyerToken: weth.address })],
      }),
    ),
  ],
  'a swap of a token that is not listed': [
    'UNKNOWN_TOKEN',
    bytesOf(swapOf({ orders: [order({ sellerToken: stranger })] })),
  ],
  'a swap for a token that is not listed': [
    'UNKNOWN_TOKEN',
    bytesOf(swapOf({ orders: [order({ buyerToken: stranger })] })),
  ],
  'a swap through a token that is not listed': [
    'UNKNOWN_TOKEN',
    bytesOf(
      swapOf({ orders: [order({ buyerToken: stranger }), order({ sellerToken: stranger })] }),
    ),
  ],
  'a swap without orders': ['BAD_ORDERS', bytesOf(swapOf({ orders: [] }))],
  'a swap with too many orders': [
    'BAD_ORDERS',
    bytesOf(swapOf({ orders: Array.from({ length: 9 }, () => order()) })),
  ],
  'a swap with unreadable orders': ['BAD_ORDERS', bytesOf(swapOf({ call: { orders: '0x1234' } }))],
  'orders of another wallet': [
    'WRONG_PARTIES',
    bytesOf(swapOf({ orders: [order({ seller: stranger })] })),
  ],
  'orders that another wallet sends': [
    'WRONG_PARTIES',
    bytesOf(swapOf({ orders: [order({ caller: stranger })] })),
  ],
  'orders with bytes behind them': [
    'NOT_CANONICAL',
    bytesOf(
      swapOf({
        call: { orders: `${ordersOf(order())}00` },
      }),
    ),
  ],
  'a swap that takes anything in return': [
    'NO_MINIMUM',
    bytesOf(swapOf({ call: { amountOutMinimum: 0n } })),
  ],
  'a swap that pays besides': ['WRONG_VALUE', bytesOf({ ...swapOf(), value: 1n })],
  'a swap of the coin that pays more': [
    'WRONG_VALUE',
    bytesOf({ ...swapOf({ call: { toWrap: true } }), value: oneWeth + 1n }),
  ],
  'a swap with bytes behind it': ['NOT_CANONICAL', bytesOf({ ...base, data: `${exactInput()}00` })],
  'a swap with a permit and bytes behind it': [
    'NOT_CANONICAL',
    bytesOf({ ...base, data: `${withPermit(exactInput())}00` }),
  ],
  'a swap with a permit above the limit': [
    'ABOVE_PER_TRANSACTION',
    bytesOf({ ...base, data: withPermit(exactInput({ call: { amountIn: oneWeth + 1n } })) }),
  ],
  'another function with the arguments of a swap': [
    'NOT_CANONICAL',
    bytesOf({ ...base, data: `0x8456cb59${exactInput().slice(10)}` }),
  ],
  'a payment to oneself': ['NOT_A_CANCELLATION', bytesOf({ ...cancellation, value: 1n })],
  'a call of oneself': ['NOT_A_CANCELLATION', bytesOf({ ...cancellation, data: '0x00' })],
  'another chain': ['WRONG_CHAIN', bytesOf({ ...swapOf(), chainId: 1 })],
  'too much gas': ['GAS_LIMIT', bytesOf({ ...swapOf(), gas: 500_001n })],
  'too dear gas': ['GAS_PRICE', bytesOf({ ...swapOf(), maxFeePerGas: 101n })],
  'too large a tip': ['TIP', bytesOf({ ...swapOf(), maxPriorityFeePerGas: 51n })],
  'too long a call': ['CALL_SIZE', bytesOf({ ...base, data: `0x${'ab'.repeat(8_193)}` })],
  'a nonce that no number holds': ['NOT_EIP1559', rlpOf({ nonce: '0x20000000000000' })],
  'a new contract': [
    'CREATES_CONTRACT',
    serializeTransaction({ type: 'eip1559', chainId: 31_337, gas: 1n, data: '0x00' }),
  ],
  'an access list': [
    'ACCESS_LIST',
    serializeTransaction({
      type: 'eip1559',
      ...swapOf(),
      accessList: [{ address: stranger, storageKeys: [] }],
    }),
  ],
  'a legacy transaction': [
    'NOT_EIP1559',
    serializeTransaction({ type: 'legacy', chainId: 31_337, to: router, gas: 1n, gasPrice: 1n }),
  ],
  'a transaction with an authorisation list': [
    'NOT_EIP1559',
    serializeTransaction({
      type: 'eip7702',
      ...swapOf(),
      authorizationList: [
        { address: stranger, chainId: 31_337, nonce: 0, r: '0x1', s: '0x1', yParity: 0 },
      ],
    }),
  ],
  'a message': ['NOT_EIP1559', '0x19457468657265756d'],
  'a digest': ['NOT_EIP1559', `0x${'12'.repeat(32)}`],
  nothing: ['NOT_EIP1559', '0x'],
  'bytes behind the transaction': ['NOT_EIP1559', `${bytesOf(swapOf())}00`],
  'a number with a zero before it': ['NOT_CANONICAL', rlpOf({ nonce: '0x0007' })],
  'a tip above its fee': ['NOT_EIP1559', rlpOf({ tip: '0x5b' })],
}

describe('what is refused', () => {
  test.each(Object.entries(forbidden))('%s', async (_, [rule, unsigned]) => {
    await expect(judged(unsigned)).rejects.toMatchObject({
      code: 'SIGNER_REFUSED',
      fault: 'refused',
      facts: { rule },
    })
  })

  test('what is signed already', async () => {
    const signed = await privateKeyToAccount(key).signTransaction({ type: 'eip1559', ...swapOf() })
    expect(parseTransaction(signed).r).toBeDefined()
    await expect(judged(signed)).rejects.toMatchObject({ facts: { rule: 'SIGNED_ALREADY' } })
  })

  test('the taker of the fixtures is the wallet', () => {
    expect(parties.taker.address).toBe(privateKeyToAccount(key).address)
  })
})

describe('the price of a swap', () => {
  const per = (sell: Token, buy: Token, wei: bigint) => ({
    sold: { token: sell, wei: 10n ** BigInt(sell.decimals) },
    bought: { token: buy, wei },
  })
  const priced = (minimumPrices: SignerLimits['minimumPrices'], call: Partial<ExactInput> = {}) =>
    judgeRequest(bytesOf(swapOf({ call })), { wallet, limits: { ...limits, minimumPrices } })

  test.each<[string, SignerLimits['minimumPrices'], Partial<ExactInput>?]>([
    ['exactly its minimum', [per(weth, usdc, 2_997_000_000n)]],
    ['a minimum of another sold token', [per(usdc, weth, oneWeth)]],
    [
      'a minimum that is rounded up',
      [per(weth, usdc, 2_997_000_001n)],
      { amountIn: oneWeth / 3n, amountOutMinimum: 999_000_001n },
    ],
  ])('%s: signed', async (_, prices, call) => {
    expect(await priced(prices, call)).toMatchObject({ kind: 'SWAP' })
  })

  test.each<[rule: string, string, SignerLimits['minimumPrices'], Partial<ExactInput>?]>([
    ['BELOW_PRICE', 'one unit less than its minimum', [per(weth, usdc, 2_997_000_001n)]],
    [
      'BELOW_PRICE',
      'less than one unit less',
      [per(weth, usdc, 2_997_000_001n)],
      { amountIn: oneWeth / 3n, amountOutMinimum: 999_000_000n },
    ],
    ['BELOW_PRICE', 'the dearer of two', [1n, 2_997_000_001n].map((wei) => per(weth, usdc, wei))],
    ['NO_PRICE', 'a pair without a price beside one that has it', [per(weth, dai, 1n)]],
    [
      'NO_PRICE',
      'a way that passes the bought token of a price and ends in another',
      [per(weth, usdc, 1n)],
      { orders: ordersOf(order(), order({ sellerToken: usdc.address, buyerToken: weth.address })) },
    ],
  ])('%s: %s', async (rule, _, prices, call) => {
    await expect(priced(prices, call)).rejects.toMatchObject({ facts: { rule } })
  })
})

describe('signatures inside a swap', () => {
  const pinned = { feeSigner: pins.feeSigner, makers: pins.makers }
  const { stranger: other } = parties
  const judgedQuote = async (recipe: Recipe, parts: Partial<SignerLimits> = pinned) => {
    const { quote } = await quoteOf(recipe)
    const unsigned = bytesOf({ ...base, data: quote.txRequest.calldata as Hex })
    return judgeRequest(unsigned, { wallet, limits: { ...limits, ...parts } })
  }

  test.each<[string, Recipe, Partial<SignerLimits>?]>([
    ['a maker and the fee signer', {}],
    ['the fee signer alone, over a pool', { orders: [poolOrder()] }],
    [
      'any maker, where makers are unchecked',
      { signers: { maker: other } },
      { ...pinned, makers: ['unchecked'] },
    ],
    [
      'any authorisation, where it is unchecked',
      { signers: { fee: other } },
      { ...pinned, feeSigner: 'unchecked' },
    ],
  ])('of %s: signed', async (_, recipe, parts) => {
    expect(await judgedQuote(recipe, parts)).toMatchObject({ kind: 'SWAP' })
  })

  const elsewhere = { chainId: 31_337, router: executor }
  test.each<[rule: string, string, Recipe, Partial<SignerLimits>?]>([
    ['UNKNOWN_MAKER', 'a maker that is not listed', {}, { ...pinned, makers: [other.address] }],
    ['UNKNOWN_MAKER', 'a maker for the funds of another', { orders: [order({ buyer: stranger })] }],
    [
      'UNKNOWN_MAKER',
      'a key that signs for a maker and is not listed',
      { orders: [order({ signer: other.address })], signers: { maker: other } },
    ],
    ['UNKNOWN_MAKER', 'a maker, where none is listed', {}, { ...pinned, makers: [] }],
    [
      'UNKNOWN_MAKER',
      'somebody over a pool',
      { bend: (legs) => legs.map((leg) => ({ ...leg, order: poolOrder() })) },
    ],
    ['MAKER_SIGNATURE', 'another key', { signers: { maker: other } }],
    ['MAKER_SIGNATURE', 'a maker of another router', { domains: { maker: elsewhere } }],
    [
      'MAKER_SIGNATURE',
      'nobody',
      { bend: (legs) => legs.map((leg) => ({ ...leg, signature: '0x' })) },
    ],
    [
      'MAKER_SIGNATURE',
      'the second order by another key',
      { bend: (legs) => legs.flatMap((leg) => [leg, { ...leg, order: order({ id: 8n }) }]) },
    ],
    ['FEE_SIGNER', 'another fee signer', { signers: { fee: other } }],
    ['FEE_SIGNER', 'the fee signer for another caller', { authorized: stranger }],
    [
      'FEE_SIGNER',
      'the fee signer under another name',
      { swap: { widgetFee: { signer: stranger, feeRecipient: router, feeRate: 0n } } },
    ],
    ['FEE_SIGNER', 'garbage instead of the fee signer', { swap: { widgetFeeSignature: '0x34' } }],
  ])('%s: of %s', async (rule, _, recipe, parts) => {
    await expect(judgedQuote(recipe, parts)).rejects.toMatchObject({ facts: { rule } })
  })
})

/** A cancellation in bytes that no library of ours would write. */
function rlpOf({ nonce = '0x07', tip = '0x01' }: { nonce?: Hex; tip?: Hex }): Hex {
  const fields: Hex[] = ['0x7a69', nonce, tip, '0x5a', '0x5208', wallet, '0x', '0x']
  return `0x02${toRlp([...fields, []]).slice(2)}`
}
