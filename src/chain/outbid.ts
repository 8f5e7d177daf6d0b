import type { Bid } from './fees.ts'
import { replacementFee } from './replacementFee.ts'

/**
 * Fees that replace an earlier bid in every mempool and pay what blocks ask for today; undefined where that is more
 * than `most`. Clients compare both fields, so both rise.
 */
export function outbid(old: Bid, { fresh, most }: { fresh: Bid; most: bigint }): Bid | undefined {
  const maxFeePerGas = larger(fresh.maxFeePerGas, replacementFee(old.maxFeePerGas))
  if (maxFeePerGas > most) return undefined
  const tip = larger(fresh.maxPriorityFeePerGas, replacementFee(old.maxPriorityFeePerGas))
  return { maxFeePerGas, maxPriorityFeePerGas: tip }
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b)
