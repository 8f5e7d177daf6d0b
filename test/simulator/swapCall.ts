import type { Hex } from '../../src/chain/calls/fields.ts'
import type { Address } from '../../src/core/token.ts'

/** What the router of the simulated chain is told; as words, because nobody decodes it but the chain. */
export type SwapCall = {
  readonly authorization: Hex
  /** Unix seconds. */
  readonly deadline: number
  readonly token: Address
  readonly amountIn: bigint
  readonly minimum: bigint
  readonly quoteId: Hex
}

const selector = '0x5157a900'

const word = (value: bigint | number) => value.toString(16).padStart(64, '0')

export function writeSwapCall(call: SwapCall): Hex {
  const { authorization, deadline, token, amountIn, minimum, quoteId } = call
  const words = [word(deadline), token.slice(2).padStart(64, '0'), word(amountIn), word(minimum)]
  return `${selector}${authorization.slice(2)}${words.join('')}${quoteId.slice(2)}` as Hex
}

/** The inverse of {@link writeSwapCall}; undefined for any other call. */
export function readSwapCall(data: Hex): SwapCall | undefined {
  if (!data.startsWith(selector)) return undefined
  const wordAt = (index: number) => data.slice(10 + 64 * index, 74 + 64 * index)
  return {
    authorization: `0x${wordAt(0)}`,
    deadline: Number.parseInt(wordAt(1), 16),
    token: `0x${wordAt(2).slice(24)}`,
    amountIn: BigInt(`0x${wordAt(3)}`),
    minimum: BigInt(`0x${wordAt(4)}`),
    quoteId: `0x${data.slice(10 + 64 * 5)}`,
  }
}
