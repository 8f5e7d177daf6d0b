/** A node that answers is not a node that follows the chain: below this it may just be between two blocks. */
const headAgeMsMin = 15_000

/** How old the latest block may be for a look at the market: three blocks, and never less than a pause between two. */
export function headAgeMsMax(blockTimeMs: number): number {
  return Math.max(3 * blockTimeMs, headAgeMsMin)
}
