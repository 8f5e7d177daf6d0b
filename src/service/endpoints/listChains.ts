import { type ChainListing, chains } from '../../api/chains.ts'
import type { Operation } from './operation.ts'

/** `GET /v1/chains`. */
export const listChains: Operation = {
  path: chains.path,
  answer: async ({ market }): Promise<readonly ChainListing[]> => [market.chain],
}
