import { larger } from '../core/holdings.ts'

/** The price of gas by a block and a node, wei per gas. */
type Market = { readonly baseFeePerGas: bigint; readonly priorityFee: bigint }

/** The offer of a transaction, wei per gas. */
type Bid = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** The base fee about doubles in this number of full blocks: enough for unhurried transactions. */
const unhurriedBlocks = 6

/**
 * A fee leaves room for this number of full blocks at most: the base fee grows fourfold. The wallet must hold the whole
 * fee, so room for each of the 120 blocks that a fast chain makes in 30 seconds would ask for a million times the price;
 * a base fee that does outgrow it is outbid by a dearer signature, an eighth more each time.
 */
const blocksMax = 12

/**
 * The fee fields of a transaction that is to be mined within this number of blocks: room for the base fee to rise by an
 * eighth in each of them, {@link blocksMax} at most. The unneeded part is not paid.
 *
 * Never above {@link feeWithRoom} of the ceiling. The caller must refuse one below today's price; here it only caps.
 */
export function feesFor(
  { baseFeePerGas, priorityFee }: Market,
  { ceiling, blocks = unhurriedBlocks }: { ceiling: bigint; blocks?: number },
): Bid {
  const most = feeWithRoom(ceiling)
  let base = baseFeePerGas
  const rises = Math.min(blocks, blocksMax)
  for (let block = 0; block < rises && base < most; block++) base = (base * 9n + 7n) / 8n
  return capped({ maxFeePerGas: base + priorityFee, maxPriorityFeePerGas: priorityFee }, most)
}

/** No more than this limit per gas, the tip included. */
export function capped({ maxFeePerGas, maxPriorityFeePerGas }: Bid, most: bigint): Bid {
  const within = (fee: bigint) => (fee < most ? fee : most)
  return {
    maxFeePerGas: within(maxFeePerGas),
    maxPriorityFeePerGas: within(maxPriorityFeePerGas),
  }
}

/** A ninth below the ceiling: a replacement, an eighth dearer, still fits under it. */
export const feeWithRoom = (ceiling: bigint): bigint => (ceiling * 8n) / 9n

/**
 * Fees that replace an earlier bid in every mempool, and those of now as far as `most` allows: their room for dearer
 * blocks is cut before nothing is offered at all. Undefined where a replacement costs more. Clients compare both fields,
 * so both rise.
 */
export function outbid(old: Bid, { fresh, most }: { fresh: Bid; most: bigint }): Bid | undefined {
  const least = replacementFee(old.maxFeePerGas)
  if (least > most) return undefined
  const now = capped(fresh, most)
  return {
    maxFeePerGas: larger(now.maxFeePerGas, least),
    maxPriorityFeePerGas: larger(
      now.maxPriorityFeePerGas,
      replacementFee(old.maxPriorityFeePerGas),
    ),
  }
}

/**
 * A fee that replaces this one in every mempool: an eighth more and at least one; clients require a tenth, on both
 * fields.
 */
export function replacementFee(fee: bigint): bigint {
  const eighthMore = (fee * 9n + 7n) / 8n
  return eighthMore > fee ? eighthMore : fee + 1n
}

/** The cost of a transfer where data is not charged for by gas: no chain takes less. */
export const gasOfTransfer = 21_000n

/** The least gas limit of an `approve`: plain tokens use half of it, one that uses more gets more. */
export const gasOfApproval = 100_000n
