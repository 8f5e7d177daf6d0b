import { type ChainListing, chains } from '../../api/chains.ts'
import { orderbook } from '../../api/orderbook.ts'
import { readChain } from '../request/readChain.ts'
import type { Operation } from './operation.ts'

/** `GET /v1/chains`. */
export const listChains: Operation = {
  endpoint: chains,
  summary: 'Every supported chain.',
  answer: async ({ market }) => ({ value: [market.chain] satisfies readonly ChainListing[] }),
}

/** `GET /v1/orderbook`: what the makers offer at the default expiry. */
export const listLevels: Operation = {
  endpoint: orderbook,
  summary:
    'Price levels of every pair on one chain. Makers only: the depth of pools is in quotes alone.',
  hasVersions: true,
  async answer({ market, snapshots, bookOf }, { query }) {
    readChain(market, query)
    return { book: bookOf(await snapshots.latest()) }
  },
}
