import { encodeAbiParameters, parseAbiParameters, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { FirmQuote } from '../../../src/api/firmQuote.ts'
import { type Funded, pass } from '../../../src/bot/stages.ts'
import type { Legible } from '../../../src/bot/verify/decode.ts'
import type { Pins } from '../../../src/bot/verify/pins.ts'
import type { Hex } from '../../../src/chain/calls/fields.ts'
import { encodeExactInput, encodeOrders } from '../../../src/chain/settlement/codec.ts'
import type { ExactInput, Order, SignedOrder } from '../../../src/chain/settlement/order.ts'
import { authorizationTypedData, type Domain } from '../../../src/chain/settlement/typedData.ts'
import { type Address, nativeAddress, type Token } from '../../../src/core/token.ts'
import { orderTypedData } from '../../support/orderTypedData.ts'

const account = (digit: string) => privateKeyToAccount(`0x${digit.repeat(64)}`)

/** The parties of the tests. `stranger` signs what nobody should accept. */
export const parties = {
  maker: account('1'),
  otherMaker: account('5'),
  collector: account('6'),
  feeSigner: account('2'),
  taker: account('3'),
  stranger: account('4'),
}

export const now = 1_800_000_000
export const router: Address = '0x00000000000000000000000000000000000000b1'
export const executor: Address = '0x00000000000000000000000000000000000000b2'
const token = (symbol: string, address: Address, decimals: number): Token => ({
  chainId: 31_337,
  address,
  symbol,
  decimals,
})
export const weth = token('WETH', '0x00000000000000000000000000000000000000c1', 18)
export const usdc = token('USDC', '0x00000000000000000000000000000000000000c2', 6)
export const dai = token('DAI', '0x00000000000000000000000000000000000000c3', 18)
export const ether = token('ETH', nativeAddress, 18)

export const pins: Pins = {
  chainId: 31_337,
  router,
  executor,
  feeSigner: parties.feeSigner.address,
  feeRecipients: [parties.collector.address],
  makers: [parties.maker.address, parties.otherMaker.address],
  tokens: [weth.address, usdc.address, dai.address],
  wrapped: weth.address,
  feeBpsMax: 10,
  timeToDeadlineSecondsMin: 8,
}

/** Everything a dishonest service could vary before it signs. */
export type Recipe = {
  readonly sell?: Token
  readonly buy?: Token
  readonly orders?: readonly Order[]
  readonly swap?: Partial<ExactInput>
  readonly signers?: { readonly maker?: typeof parties.maker; readonly fee?: typeof parties.maker }
  /** For which router the maker and the service sign, and for whom the service does. */
  readonly domains?: { readonly maker?: Domain; readonly fee?: Domain }
  readonly authorized?: Address
  /** Changes orders and signatures after they are made, before the authorisation is. */
  readonly bend?: (signed: readonly SignedOrder[]) => readonly SignedOrder[]
  /** Changes the JSON after everything is signed. */
  readonly json?: (quote: FirmQuote) => unknown
  readonly plan?: Partial<Funded>
}

export const order = (changes: Partial<Order> = {}): Order => ({
  id: 7n,
  signer: parties.maker.address,
  buyer: parties.maker.address,
  seller: parties.taker.address,
  buyerToken: usdc.address,
  sellerToken: weth.address,
  buyerTokenAmount: 3_000_000_000n,
  sellerTokenAmount: 10n ** 18n,
  caller: parties.taker.address,
  quoteId: '0x0123456789abcdef0123456789abcdef',
  deadlineTimestamp: BigInt(now + 30),
  ...changes,
})

/** An AMM leg: bought by the executor, signed by nobody. */
export const poolOrder = (changes: Partial<Order> = {}): Order =>
  order({ signer: zeroAddress, buyer: executor, ...changes })

export const poolData = (kind: number, fee: number): Hex =>
  encodeAbiParameters(parseAbiParameters('uint8, uint24'), [kind, fee])

/** A firm quote that is right in everything, but for what the recipe says. */
export async function quoteOf(recipe: Recipe = {}): Promise<Legible> {
  const { sell = weth, buy = usdc, signers = {}, domains = {} } = recipe
  const { maker = parties.maker, fee = parties.feeSigner } = signers
  const orders = recipe.orders ?? [order()]
  const signed = await Promise.all(
    orders.map(
      async (one): Promise<SignedOrder> => ({
        order: one,
        signature:
          one.buyer === executor
            ? '0x'
            : await maker.signTypedData(orderTypedData(domains.maker ?? pins, one)),
      }),
    ),
  )
  const legs = recipe.bend?.(signed) ?? signed
  const unsigned: ExactInput = {
    orders: encodeOrders(legs),
    recipient: parties.taker.address,
    amountIn: 10n ** 18n,
    amountOutMinimum: 2_997_000_000n,
    toWrap: sell === ether,
    toUnwrap: buy === ether,
    widgetFee: {
      signer: parties.feeSigner.address,
      feeRecipient: parties.feeSigner.address,
      feeRate: 0n,
    },
    widgetFeeSignature: '0x',
    fallbackSwapDataArray: legs.some(({ order: one }) => one.buyer === executor)
      ? legs.map(({ order: one }) => (one.buyer === executor ? poolData(2, 3_000) : '0x'))
      : [],
    ...recipe.swap,
  }
  const authorization = authorizationTypedData(domains.fee ?? pins, {
    orders: legs,
    caller: recipe.authorized ?? parties.taker.address,
    swap: unsigned,
  })
  const swap = {
    ...unsigned,
    widgetFeeSignature: recipe.swap?.widgetFeeSignature ?? (await fee.signTypedData(authorization)),
  }
  const bought = legs.at(-1)?.order.buyerToken
  const honest: FirmQuote = {
    success: true,
    orders: legs.map(({ order: one }) => ({
      ...one,
      id: one.id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(one.id) : one.id,
      buyerTokenAmount: one.buyerTokenAmount.toString(),
      sellerTokenAmount: one.sellerTokenAmount.toString(),
      quoteId: uuidOf(one.quoteId),
      deadlineTimestamp: Number(one.deadlineTimestamp),
    })),
    widgetFee: { ...swap.widgetFee, feeRate: Number(swap.widgetFee.feeRate) },
    widgetFeeSignature: swap.widgetFeeSignature,
    recipient: parties.taker.address,
    calldata: swap.orders,
    amountIn: swap.amountIn.toString(),
    amountOut: legs
      .filter(({ order: { buyerToken } }) => buyerToken === bought)
      .reduce((sum, { order: { buyerTokenAmount } }) => sum + buyerTokenAmount, 0n)
      .toString(),
    toWrap: swap.toWrap,
    toUnwrap: swap.toUnwrap,
    fallbackSwapDataArray: [...swap.fallbackSwapDataArray],
    source: 'maker-a',
    txRequest: {
      target: router,
      calldata: encodeExactInput(swap),
      value: sell === ether ? swap.amountIn.toString() : '0',
    },
  }
  return pass<Legible>({
    swapId: 'swap-1',
    key: 'key-1',
    strategy: 'test',
    intent: {
      sell: { token: sell, wei: 10n ** 18n },
      buy,
      floor: { token: buy, wei: 2_990_000_000n },
      reason: 'because',
    },
    wallet: parties.taker.address,
    recipient: parties.taker.address,
    slippageBps: 10,
    expirySeconds: 30,
    indication: undefined,
    notional: undefined,
    approvals: [],
    appraisal: {
      askedAt: 0,
      references: [],
      absent: [],
      notional: undefined,
      coin: undefined,
      pegs: [],
    },
    request: {} as never,
    quote: (recipe.json?.(honest) ?? honest) as FirmQuote,
    body: '',
    requestedAt: now * 1_000,
    receivedAt: now * 1_000,
    ...recipe.plan,
  })
}

const uuidOf = (bytes: Hex) =>
  bytes.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
