import { encodeAbiParameters, parseAbiParameters, zeroAddress } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { FirmQuote } from '../api/firmQuote.ts'
import type { Hex } from '../chain/calls/fields.ts'
import { createDigests } from '../chain/crypto/createDigests.ts'
import {
  decodeExactInput,
  decodeOrders,
  encodeExactInput,
  encodeOrders,
} from '../chain/settlement/codec.ts'
import type { ExactInput, Order, SignedOrder } from '../chain/settlement/order.ts'
import type { Domain } from '../chain/settlement/typedData.ts'
import { assert } from '../core/assert.ts'
import { type Address, sameAddress } from '../core/token.ts'

/** A firm quote of the honest service, and the content of its calldata. */
export type HonestQuote = {
  readonly quote: FirmQuote
  readonly swap: ExactInput
  readonly orders: readonly SignedOrder[]
  /** The first order alone. */
  readonly order: Order
}

/** The changes a dishonest service makes before it signs. */
export type Recipe = {
  readonly orders?: readonly Order[]
  readonly swap?: Partial<ExactInput>
  readonly signers?: {
    readonly maker?: PrivateKeyAccount
    readonly fee?: PrivateKeyAccount
  }
  /** Signs for another chain or router. */
  readonly domain?: Partial<Domain>
  /** Changes signed orders before the authorisation covers them. */
  readonly bend?: (orders: readonly SignedOrder[]) => readonly SignedOrder[]
  /** Changes the JSON after everything is signed. */
  readonly json?: Partial<FirmQuote>
}

/** Signs anything on command, with the keys of the service and its makers, so that nothing contradicts itself. */
export type Forger = {
  readonly scene: DrillScene
  readonly stranger: PrivateKeyAccount
  seal(honest: HonestQuote, recipe: Recipe): Promise<FirmQuote>
  /** An honest quote of an earlier case, which the chain has settled. */
  readonly settled: () => string
}

export function createForger({
  scene,
  keys,
  settled,
}: {
  scene: DrillScene
  keys: {
    readonly makers: readonly PrivateKeyAccount[]
    readonly feeSigner: PrivateKeyAccount
    readonly stranger: PrivateKeyAccount
  }
  settled: () => string
}): Forger {
  const { makers, feeSigner, stranger } = keys
  const isPool = ({ buyer }: Order) => sameAddress(buyer, scene.executor)
  const makerOf = ({ signer }: Order) =>
    makers.find(({ address }) => sameAddress(address, signer)) ?? stranger

  return {
    scene,
    stranger,
    settled,
    async seal({ quote, swap, orders: honest }, recipe) {
      const { signers = {}, domain = {}, bend = (same) => same, json = {} } = recipe
      const digests = createDigests({ chainId: scene.chainId, router: scene.router, ...domain })
      const orders = recipe.orders ?? honest.map(({ order }) => order)
      const signed = await Promise.all(
        orders.map(async (order): Promise<SignedOrder> => {
          if (isPool(order)) return { order, signature: '0x' }
          const maker = signers.maker ?? makerOf(order)
          return { order, signature: await maker.sign({ hash: digests.order(order) }) }
        }),
      )
      const legs = bend(signed)
      const unsigned: ExactInput = {
        ...swap,
        orders: encodeOrders(legs),
        fallbackSwapDataArray: orders.some(isPool)
          ? orders.map((order) => (isPool(order) ? poolData(2, 3_000) : '0x'))
          : [],
        widgetFeeSignature: '0x',
        ...recipe.swap,
      }
      const hash = digests.authorization({ orders: legs, caller: scene.wallet, swap: unsigned })
      const widgetFeeSignature = await (signers.fee ?? feeSigner).sign({ hash })
      const sealed: ExactInput = { ...unsigned, widgetFeeSignature, ...signatureOf(recipe.swap) }
      return { ...quote, ...claimOf({ quote, swap: sealed, legs }), ...json }
    },
  }
}

/** The data the executor takes for a pool. */
export function poolData(kind: number, fee: number): Hex {
  return encodeAbiParameters(parseAbiParameters('uint8, uint24'), [kind, fee])
}

/** An AMM leg in the place of a maker's. */
export function poolOrder(order: Order, { executor }: { executor: Address }): Order {
  return { ...order, signer: zeroAddress, buyer: executor }
}

/** Reads an honest quote. */
export function honestQuote(quote: FirmQuote): HonestQuote {
  const swap = decodeExactInput(quote.txRequest.calldata)
  assert(swap !== undefined, 'an honest quote is a call of exactInput')
  const orders = decodeOrders(swap.orders)
  const [first] = orders
  assert(first !== undefined, 'an honest quote has orders')
  return { quote, swap, orders, order: first.order }
}

const signatureOf = (swap: Partial<ExactInput> = {}) =>
  swap.widgetFeeSignature === undefined ? {} : { widgetFeeSignature: swap.widgetFeeSignature }

/** The JSON that agrees with the calldata. */
function claimOf({
  quote,
  swap,
  legs,
}: {
  quote: FirmQuote
  swap: ExactInput
  legs: readonly SignedOrder[]
}): Partial<FirmQuote> {
  const last = legs.at(-1)?.order.buyerToken ?? ''
  const amountOut = legs
    .filter(({ order }) => sameAddress(order.buyerToken, last))
    .reduce((sum, { order }) => sum + order.buyerTokenAmount, 0n)
  return {
    orders: legs.map(({ order }) => ({
      ...order,
      id: Number(order.id),
      buyerTokenAmount: order.buyerTokenAmount.toString(),
      sellerTokenAmount: order.sellerTokenAmount.toString(),
      quoteId: order.quoteId.slice(2),
      deadlineTimestamp: Number(order.deadlineTimestamp),
    })),
    widgetFee: { ...swap.widgetFee, feeRate: Number(swap.widgetFee.feeRate) },
    widgetFeeSignature: swap.widgetFeeSignature,
    calldata: swap.orders,
    amountIn: swap.amountIn.toString(),
    amountOut: amountOut.toString(),
    toWrap: swap.toWrap,
    toUnwrap: swap.toUnwrap,
    fallbackSwapDataArray: [...swap.fallbackSwapDataArray],
    txRequest: { ...quote.txRequest, calldata: encodeExactInput(swap) },
  }
}

/** Where a case plays: facts of the embedded market that a liar knows as well. */
export type DrillScene = {
  readonly chainId: number
  readonly router: Address
  readonly executor: Address
  readonly wrapped: Address
  readonly wallet: Address
  /** The validity the bot requests for a quote. */
  readonly expirySeconds: number
  /** On chain, what the usual wish sells and buys. */
  readonly sold: Address
  readonly bought: Address
  readonly tokens: Readonly<
    Record<string, { readonly address: Address; readonly decimals: number }>
  >
}
