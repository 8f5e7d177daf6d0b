import { decodeErrorResult } from 'viem'
import { swapRouterAbi } from '../../chain/abi/swapRouter.ts'
import type { Hex } from '../../chain/calls/fields.ts'

/** Why the router refused, in its own words: `OrderExpired(0, 1795175623)`. The bytes where it has no name for it. */
export function revertName(data: Hex): string {
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: swapRouterAbi, data })
    return `${errorName}(${(args as readonly unknown[]).join(', ')})`
  } catch {
    // Not an error of the router: a token's own, or none at all.
    return data === '0x' ? 'no reason' : data
  }
}
