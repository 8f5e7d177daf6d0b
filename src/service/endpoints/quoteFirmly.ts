import { type FirmQuote, firmQuote } from '../../api/firmQuote.ts'
import { price } from '../price/price.ts'
import { readQuoteRequest } from '../request/readQuoteRequest.ts'
import { settle } from '../settle/settle.ts'
import type { Operation } from './operation.ts'

/** `GET /v1/firm-quote`: the indicative price, signed, with the transaction that settles it. */
export const quoteFirmly: Operation = {
  path: firmQuote.path,
  async answer({ market, snapshots, clock, nextOrderId }, query): Promise<FirmQuote> {
    const request = readQuoteRequest(market, query)
    const snapshot = await snapshots.latest()
    const priced = price(market, { snapshot, request })
    // The later of the two clocks: a chain behind ours gives more time, one ahead of it must not give none.
    const nowSeconds = Math.max(snapshot.block.timestamp, Math.floor(clock.now() / 1_000))
    const deadline = BigInt(nowSeconds + request.expirySeconds)
    return settle(market, { priced, deadline, nextOrderId })
  },
}
