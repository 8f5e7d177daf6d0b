import type { Config } from '../../config/config.ts'

/** The chain a swap is signed for is at most so many blocks on from the one it was played through on. */
const blocksMax = 2

/** Nothing is signed, or booked on paper, on a look at the chain that is older than this. */
export const simulationAgeMsMax = ({ chain }: Pick<Config, 'chain'>): number =>
  blocksMax * chain.blockTimeMs
