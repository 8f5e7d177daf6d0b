import fc from 'fast-check'
import {
  createTestClient,
  domainSeparator,
  encodeDeployData,
  getAddress,
  hashTypedData,
  http,
  publicActions,
  toHex,
  walletActions,
} from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { swapRouterAbi } from '../../contracts/abi/swapRouter.ts'
import { encodeOrders } from '../../src/chain/settlement/codec.ts'
import type { ExactInput, Order, SignedOrder } from '../../src/chain/settlement/order.ts'
import { authorizationHash } from '../../src/chain/settlement/typedData.ts'
import { ownArtifact } from '../../src/sandbox/artifact.ts'
import { type Anvil, startAnvil } from '../../src/sandbox/startAnvil.ts'
import { orderTypedData } from '../support/orderTypedData.ts'

const chainId = 31_337
const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const address = fc
  .bigInt({ min: 0n, max: 2n ** 160n - 1n })
  .map((value) => getAddress(toHex(value, { size: 20 })))
const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((value) => toHex(value))

const order: fc.Arbitrary<Order> = fc.record({
  id: word,
  signer: address,
  buyer: address,
  seller: address,
  buyerToken: address,
  sellerToken: address,
  buyerTokenAmount: word,
  sellerTokenAmount: word,
  caller: address,
  quoteId: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((value) => toHex(value)),
  deadlineTimestamp: word,
})
const signedOrders: fc.Arbitrary<SignedOrder[]> = fc.array(
  fc.record({ order, signature: bytes(200) }),
  { minLength: 1, maxLength: 8 },
)
const terms: fc.Arbitrary<Omit<ExactInput, 'orders'>> = fc.record({
  recipient: address,
  amountIn: word,
  amountOutMinimum: word,
  toWrap: fc.boolean(),
  toUnwrap: fc.boolean(),
  widgetFee: fc.record({ signer: address, feeRecipient: address, feeRate: word }),
  widgetFeeSignature: bytes(65),
  fallbackSwapDataArray: fc.array(bytes(70), { maxLength: 8 }),
})

let anvil: Anvil
let router: `0x${string}`

beforeAll(async () => {
  anvil = await startAnvil({ chainId })
  const chain = client()
  const [owner] = await chain.getAddresses()
  if (owner === undefined) throw new Error('anvil has no accounts')
  const { bytecode } = ownArtifact('SwapRouter')
  const data = encodeDeployData({
    abi: swapRouterAbi,
    bytecode,
    args: [owner, owner, owner, owner, owner],
  })
  await chain.setAutomine(true)
  const hash = await chain.sendTransaction({ account: owner, data, chain: null })
  const { contractAddress } = await chain.waitForTransactionReceipt({ hash, pollingInterval: 50 })
  if (!contractAddress) throw new Error('the router was not deployed')
  router = getAddress(contractAddress)
})

afterAll(() => anvil.close())

const client = () =>
  createTestClient({ mode: 'anvil', transport: http(anvil.rpcUrl) })
    .extend(publicActions)
    .extend(walletActions)

const read = { abi: swapRouterAbi } as const

test('hashes: a random order has one digest on and off chain', async () => {
  const chain = client()
  await fc.assert(
    fc.asyncProperty(order, async (sample) => {
      const onChain = await chain.readContract({
        ...read,
        address: router,
        functionName: 'hashOrder',
        args: [sample],
      })
      expect(onChain).toBe(hashTypedData(orderTypedData({ chainId, router }, sample)))
    }),
    { numRuns: 60 },
  )
})

test('hashes: a random authorisation has one digest on and off chain', async () => {
  const chain = client()
  await fc.assert(
    fc.asyncProperty(signedOrders, terms, address, async (orders, rest, caller) => {
      const swap: ExactInput = { orders: encodeOrders(orders), ...rest }
      const onChain = await chain.readContract({
        ...read,
        address: router,
        functionName: 'hashAuthorization',
        args: [swap, caller],
      })
      expect(onChain).toBe(authorizationHash({ chainId, router }, { orders, caller, swap }))
    }),
    { numRuns: 60 },
  )
})

test('hashes: the domain separator is the one viem computes', async () => {
  const onChain = await client().readContract({
    ...read,
    address: router,
    functionName: 'domainSeparator',
  })
  const domain = { name: 'Ballast SwapRouter', version: '1', chainId, verifyingContract: router }
  expect(onChain).toBe(domainSeparator({ domain }))
})
