import { decodeErrorResult } from 'viem'
import { swapRouterAbi } from '../../chain/abi/swapRouter.ts'
import type { Hex } from '../../chain/calls/fields.ts'
import { display } from '../../core/display.ts'

/** Why the router refused, in its own words: `OrderExpired(0, 1795175623)`. The bytes where it has no name for it. */
export function revertName(data: Hex): string {
  // A token may revert with megabytes; none of the router's own errors is near this long.
  if (data.length > 2_048) return `${data.slice(0, 66)}… (${data.length} characters)`
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: swapRouterAbi, data })
    return display(`${errorName}(${(args as readonly unknown[]).join(', ')})`)
  } catch {
    // Not an error of the router: a token's own, or none at all.
    return data === '0x' ? 'no reason' : display(data)
  }
}
