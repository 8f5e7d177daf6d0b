import fc from 'fast-check'
import { encodeAbiParameters, encodeFunctionData, getAbiItem } from 'viem'
import { expect, test } from 'vitest'
import { swapRouterAbi } from '../../../contracts/abi/swapRouter.ts'
import {
  decodeExactInput,
  decodeOrders,
  encodeExactInput,
  encodeOrders,
} from '../../../src/chain/settlement/codec.ts'
import { authorized } from '../../support/randomSwaps.ts'

/** The tuple of the orders, as the ABI of the router has it in the order's own function. */
const orderFields = getAbiItem({ abi: swapRouterAbi, name: 'hashOrder' }).inputs[0].components
const signedOrders = [
  {
    type: 'tuple[]',
    components: [
      { name: 'order', type: 'tuple', components: orderFields },
      { name: 'signature', type: 'bytes' },
    ],
  },
] as const

test('codec: the bytes that viem writes, for random swaps', () => {
  fc.assert(
    fc.property(authorized, ({ orders, swap }) => {
      expect(encodeOrders(orders)).toBe(encodeAbiParameters(signedOrders, [orders]))
      expect(encodeExactInput(swap)).toBe(
        encodeFunctionData({ abi: swapRouterAbi, functionName: 'exactInput', args: [swap] }),
      )
    }),
    { numRuns: 500 },
  )
})

test('codec: what was written is read back and written again', () => {
  fc.assert(
    fc.property(authorized, ({ orders, swap }) => {
      const [call, list] = [encodeExactInput(swap), encodeOrders(orders)]
      expect(encodeExactInput(decodeExactInput(call))).toBe(call)
      expect(encodeOrders(decodeOrders(list))).toBe(list)
    }),
  )
})
