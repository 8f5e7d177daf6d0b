import { type ChainListing, chains } from '../../api/chains.ts'
import type { Operation } from './operation.ts'

/** `GET /v1/chains`. */
export const listChains: Operation = {
  endpoint: chains,
  summary: 'Every supported chain.',
  answer: async ({ market }) => ({ value: [market.chain] satisfies readonly ChainListing[] }),
}
