import fc from 'fast-check'
import {
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  type Hex,
} from 'viem'
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

/** What comes of bytes that are read and written again; undefined where they cannot be read. */
function again<value>(data: Hex, read: (data: Hex) => value, write: (value: value) => Hex) {
  try {
    return write(read(data))
  } catch {
    return undefined
  }
}

test('codec: reads what viem reads, and takes no bent bytes for canonical that viem does not', () => {
  const bend = fc.array(
    fc.record({ at: fc.nat(4_000), digit: fc.constantFrom('0', '1', '2', '4', 'f') }),
    { maxLength: 3 },
  )
  const bent = (data: Hex, changes: readonly { at: number; digit: string }[], cut: number): Hex => {
    const digits = [...data.slice(2)]
    for (const { at, digit } of changes) digits[at % digits.length] = digit
    return `0x${digits.slice(0, digits.length - 2 * cut).join('')}`
  }
  fc.assert(
    fc.property(
      authorized,
      bend,
      fc.constantFrom(0, 0, 0, 1, 32),
      ({ orders, swap }, changes, cut) => {
        const [call, list] = [encodeExactInput(swap), encodeOrders(orders)]
        const viemCall = (data: Hex) => decodeFunctionData({ abi: swapRouterAbi, data }).args[0]
        const viemList = (data: Hex) => decodeAbiParameters(signedOrders, data)[0]
        expect(decodeExactInput(call)).toEqual(viemCall(call))
        expect(decodeOrders(list)).toEqual(viemList(list))
        // The selector is compared by itself.
        const [bentCall, bentList] = [
          `${call.slice(0, 10)}${bent(`0x${call.slice(10)}`, changes, cut).slice(2)}` as Hex,
          bent(list, changes, cut),
        ]
        expect(again(bentCall, decodeExactInput, encodeExactInput) === bentCall).toBe(
          again(bentCall, viemCall as typeof decodeExactInput, encodeExactInput) === bentCall,
        )
        expect(again(bentList, decodeOrders, encodeOrders) === bentList).toBe(
          again(bentList, viemList, encodeOrders) === bentList,
        )
      },
    ),
    { numRuns: Number(process.env.CODEC_RUNS ?? 1_000) },
  )
})

test('codec: a list that points at one long text many times is not read', () => {
  const text = encodeAbiParameters([{ type: 'bytes' }], [`0x${'ab'.repeat(2_000)}`]).slice(66)
  const word = (value: number) => value.toString(16).padStart(64, '0')
  const count = 60
  const places = Array.from({ length: count }, () => word(32 * count)).join('')
  const list = `${word(count)}${places}${text}`
  const empty = encodeExactInput({
    orders: '0x',
    recipient: `0x${'1'.repeat(40)}`,
    amountIn: 1n,
    amountOutMinimum: 1n,
    toWrap: false,
    toUnwrap: false,
    widgetFee: { signer: `0x${'2'.repeat(40)}`, feeRecipient: `0x${'3'.repeat(40)}`, feeRate: 0n },
    widgetFeeSignature: '0x',
    fallbackSwapDataArray: [],
  })
  // The last word of the empty call is the length of its list.
  const call = `${empty.slice(0, -64)}${list}` as Hex
  expect(decodeFunctionData({ abi: swapRouterAbi, data: call }).args[0]).toBeDefined()
  expect(() => decodeExactInput(call)).toThrow(RangeError)
})
