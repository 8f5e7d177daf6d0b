import type { Rpc } from '../rpc/rpc.ts'
import { type Block, getBlock } from './node.ts'

/** The block of an instant, and whether it is the chain's newest: then another one of that instant may still come. */
type BlockAt = { readonly block: Block; readonly isHead: boolean }

/**
 * The newest block that is not later than an instant, in milliseconds since the epoch; the first one where all are later.
 * Undefined where the node does not show a block that it must have. It reads a few dozen headers at most.
 */
export async function findBlockAt(rpc: Rpc, at: number): Promise<BlockAt | undefined> {
  const isLater = ({ timestamp }: Block) => timestamp * 1_000 > at
  const head = await rpc.request(getBlock('latest'))
  let above = head
  let below = head
  // Ever longer steps back, until one lands before it.
  for (let step = 1; head !== undefined && below !== undefined && isLater(below); step *= 2) {
    above = below
    if (below.number === 0) return { block: below, isHead: false }
    below = await rpc.request(getBlock(Math.max(0, head.number - step)))
  }
  while (above !== undefined && below !== undefined && above.number - below.number > 1) {
    const middle = await rpc.request(getBlock(Math.floor((above.number + below.number) / 2)))
    if (middle === undefined || isLater(middle)) above = middle
    else below = middle
  }
  return above === undefined || below === undefined
    ? undefined
    : { block: below, isHead: below.number === head?.number }
}
