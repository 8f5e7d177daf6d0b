import { assert } from '../core/assert.ts'
import { bump } from './bump.ts'
import type { Drivetrain } from './drivetrain.ts'
import { attemptsOf, type Swap } from './journal/swaps/load.ts'
import { isDue } from './next.ts'
import { send } from './send.ts'

/**
 * Outbids what a swap offers for its block space. Where that may not be, the bytes it has are offered again in time; says
 * whether anything was done.
 */
export async function bumpSwap(
  swap: Swap,
  { train, block }: { train: Drivetrain; block: number },
): Promise<boolean> {
  const newest = attemptsOf(swap, 'SWAP').at(-1)
  assert(newest !== undefined && swap.offer !== undefined, 'only a signed swap is outbid')
  if (await bump(newest.bytes, { train, most: swap.feeMost })) return true
  if (!isDue(swap.offer, block)) return false
  await send(newest.bytes, { train, block })
  return true
}
