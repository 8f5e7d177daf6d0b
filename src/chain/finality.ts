import { getBlock } from './calls/node.ts'
import type { Rpc } from './rpc/rpc.ts'

/** When a block counts: under so many others, or once the chain itself calls it `safe` or `finalized`. */
export type Finality = number | 'safe' | 'finalized'

/** The height up to which blocks count, under a head of this height; below zero where none does yet. */
export async function finalHeight(rpc: Rpc, finality: Finality, head: number): Promise<number> {
  if (typeof finality === 'number') return head - finality
  const final = await rpc.request(getBlock(finality))
  // Behind one address there may be several nodes, and the one that said this may be ahead.
  return final === undefined ? -1 : Math.min(final.number, head)
}

/** For a person: what a transaction waits for. */
export const showFinality = (finality: Finality): string =>
  typeof finality === 'number' ? `${finality} blocks deep` : finality
