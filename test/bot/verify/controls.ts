import {
  dai,
  ether,
  now,
  order,
  parties,
  poolData,
  poolOrder,
  type Recipe,
  usdc,
  weth,
} from './goodQuote.ts'

const half = 10n ** 18n / 2n
const taker = parties.taker.address.toLowerCase() as `0x${string}`

/** Quotes that must be accepted: whoever refuses everything is safe as well. */
export const controls: Readonly<Record<string, Recipe>> = {
  'one maker order': {},
  'one pool leg': { orders: [poolOrder()] },
  'one pool of the third kind': {
    orders: [poolOrder()],
    swap: { fallbackSwapDataArray: [poolData(3, 500)] },
  },
  'a split between maker and pool': {
    orders: [
      order({ sellerTokenAmount: half, buyerTokenAmount: 1_500_000_000n }),
      poolOrder({ sellerTokenAmount: half, buyerTokenAmount: 1_500_000_000n }),
    ],
  },
  'a split between two makers with the same id': {
    orders: [
      order({ sellerTokenAmount: half, buyerTokenAmount: 1_500_000_000n }),
      order({
        buyer: parties.otherMaker.address,
        sellerTokenAmount: half,
        buyerTokenAmount: 1_500_000_000n,
      }),
    ],
  },
  'two pool legs, whose ids nobody counts': {
    orders: [
      poolOrder({ sellerTokenAmount: half, buyerTokenAmount: 1_500_000_000n }),
      poolOrder({ sellerTokenAmount: half, buyerTokenAmount: 1_500_000_000n }),
    ],
    swap: { fallbackSwapDataArray: [poolData(2, 3_000), poolData(3, 100)] },
  },
  'eight orders': {
    orders: Array.from({ length: 8 }, (_, index) =>
      order({
        id: BigInt(index),
        sellerTokenAmount: 10n ** 18n / 8n,
        buyerTokenAmount: 375_000_000n,
      }),
    ),
  },
  'two hops': {
    orders: [
      poolOrder({ buyerToken: dai.address, buyerTokenAmount: 3_001n * 10n ** 18n }),
      order({ sellerToken: dai.address, sellerTokenAmount: 3_001n * 10n ** 18n }),
    ],
  },
  'two hops, the first of them split': {
    orders: [
      order({
        buyerToken: dai.address,
        sellerTokenAmount: half,
        buyerTokenAmount: 1_500n * 10n ** 18n,
      }),
      poolOrder({
        buyerToken: dai.address,
        sellerTokenAmount: half,
        buyerTokenAmount: 1_501n * 10n ** 18n,
      }),
      order({ id: 8n, sellerToken: dai.address, sellerTokenAmount: 3_001n * 10n ** 18n }),
    ],
  },
  'the native token sold': { sell: ether },
  'the native token bought': {
    sell: usdc,
    buy: ether,
    orders: [order({ sellerToken: usdc.address, buyerToken: weth.address })],
  },
  'a fee within policy, for the fee signer': {
    orders: [order({ sellerTokenAmount: 10n ** 18n - 10n ** 15n })],
    swap: {
      widgetFee: {
        signer: parties.feeSigner.address,
        feeRecipient: parties.feeSigner.address,
        feeRate: 10n,
      },
    },
  },
  'a fee for a configured recipient': {
    orders: [order({ sellerTokenAmount: 10n ** 18n - 10n ** 15n })],
    swap: {
      widgetFee: {
        signer: parties.feeSigner.address,
        feeRecipient: parties.collector.address,
        feeRate: 10n,
      },
    },
  },
  'no fee, for whomever': {
    swap: {
      widgetFee: {
        signer: parties.feeSigner.address,
        feeRecipient: parties.stranger.address,
        feeRate: 0n,
      },
    },
  },
  'a minimum above what was asked': { swap: { amountOutMinimum: 3_000_000_000n } },
  'a maker with a pool behind it': { swap: { fallbackSwapDataArray: [poolData(3, 500)] } },
  'a maker that signs for another': {
    orders: [order({ signer: parties.otherMaker.address })],
    signers: { maker: parties.otherMaker },
  },
  'an order id beyond 2^53': { orders: [order({ id: 1_644_529_534_389_398_715n })] },
  'the largest order id': { orders: [order({ id: 2n ** 256n - 1n })] },
  'somebody else as recipient, as planned': {
    swap: { recipient: parties.collector.address },
    plan: { recipient: parties.collector.address },
  },
  'addresses in another case': {
    orders: [order({ caller: taker, seller: taker })],
    json: (quote) => ({
      ...quote,
      recipient: taker,
      txRequest: { ...quote.txRequest, target: quote.txRequest.target.toLowerCase() },
    }),
  },
  'bytes in capitals': {
    json: (quote) => ({
      ...quote,
      calldata: `0x${quote.calldata.slice(2).toUpperCase()}`,
      txRequest: {
        ...quote.txRequest,
        calldata: `0x${quote.txRequest.calldata.slice(2).toUpperCase()}`,
      },
    }),
  },
  'a quote id without dashes': {
    json: (quote) => ({
      ...quote,
      orders: quote.orders.map((one) => ({ ...one, quoteId: one.quoteId.replaceAll('-', '') })),
    }),
  },
  'the nearest deadline': { orders: [order({ deadlineTimestamp: BigInt(now + 8) })] },
  'the furthest deadline': { orders: [order({ deadlineTimestamp: BigInt(now + 35) })] },
  'a minimum that is the floor, to the wei': {
    plan: {
      intent: {
        sell: { token: weth, wei: 10n ** 18n },
        buy: usdc,
        floor: { token: usdc, wei: 2_997_000_000n },
        reason: '',
      },
    },
  },
}
