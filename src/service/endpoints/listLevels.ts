import { type OrderPair, orderbook } from '../../api/orderbook.ts'
import { readChain } from '../request/readChain.ts'
import type { Operation } from './operation.ts'

/** `GET /v1/orderbook`: what the makers offer at the default expiry. */
export const listLevels: Operation = {
  path: orderbook.path,
  async answer({ market, snapshots }, query): Promise<readonly OrderPair[]> {
    readChain(market, query)
    const { states } = await snapshots.latest()
    return states.flatMap((state) => state.rows(market.expiry.defaultSeconds))
  },
}
