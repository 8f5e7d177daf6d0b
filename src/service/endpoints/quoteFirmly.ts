import { type FirmQuote, firmCalldata, firmQuote } from '../../api/firmQuote.ts'
import { exactInputOffsets } from '../../chain/settlement/codec.ts'
import { display } from '../../core/display.ts'
import type { Snapshot } from '../createSnapshots.ts'
import { withoutDecliners } from '../makers/withoutDecliners.ts'
import { type Priced, price } from '../price/price.ts'
import { QuoteRefused } from '../refusal/errors.ts'
import { type QuoteRequest, readQuoteRequest } from '../request/readQuoteRequest.ts'
import { settle } from '../settle/settle.ts'
import type { Asked, Desk, Operation } from './operation.ts'
import { inSecondGeneration } from './secondGeneration.ts'

/** `GET /v1/firm-quote`: the indicative price, signed, with the transaction that settles it. */
export const quoteFirmly: Operation = {
  endpoint: firmQuote,
  summary: 'Signed orders and the transaction that settles them.',
  waitsForMakers: true,
  async answer(desk, asked) {
    const value = await firmly(desk, asked)
    return { value: Number(asked.query.version) >= 2 ? inSecondGeneration(value, desk) : value }
  },
}

/** `GET /v1/firm-quote/calldata`: the transaction of a firm quote alone. */
export const quoteCalldata: Operation = {
  endpoint: firmCalldata,
  summary: 'The transaction that settles a firm quote, without its orders.',
  waitsForMakers: true,
  async answer(desk, asked) {
    const { recipient, txRequest } = await firmly(desk, asked)
    return {
      value: {
        from: recipient,
        to: txRequest.target,
        ...txRequest,
        amountInOffset: exactInputOffsets.amountIn,
        amountOutMinimumOffset: exactInputOffsets.amountOutMinimum,
      },
    }
  },
}

async function firmly(desk: Desk, asked: Asked): Promise<FirmQuote> {
  const { market, snapshots, clock, nextOrderId } = desk
  const request = readQuoteRequest(market, asked)
  const snapshot = await snapshots.latest()
  if (market.needsBalance === true) await assertHeld(desk, { request, snapshot })
  // The later of the two clocks: a chain behind ours gives more time, one ahead of it must not give none.
  const nowSeconds = Math.max(snapshot.block.timestamp, Math.floor(clock.now() / 1_000))
  const deadline = BigInt(nowSeconds + request.expirySeconds)
  const { priced, value } = await withoutDecliners(snapshot, async (remaining) => {
    // Nothing may be awaited between the price and the reservation that settling begins with.
    const priced = price(market, { snapshot: snapshots.fresh(remaining), request })
    const value: FirmQuote = await settle(market, { priced, deadline, nextOrderId })
    return { priced, value }
  })
  count(desk, priced)
  note(desk, { asked, priced, quoteId: value.orders[0]?.quoteId, block: snapshot.block })
  return value
}

/**
 * Nothing is reserved for a taker that could not settle. Its allowance is not read: clients approve exactly the amount,
 * and only once they have the quote.
 */
async function assertHeld(
  { balanceOf }: Desk,
  { request: { sell, amountIn, from }, snapshot }: { request: QuoteRequest; snapshot: Snapshot },
): Promise<void> {
  if ((await balanceOf(snapshot, { token: sell, taker: from })) < amountIn)
    throw new QuoteRefused(
      'BALANCE_TOO_LOW',
      `from_address does not hold that much ${sell.symbol} at block ${snapshot.block.number}.`,
    )
}

function count({ metrics, drift }: Desk, priced: Priced): void {
  const { legs } = priced.route
  metrics.routed(legs.map(({ offer }) => offer.source))
  const makers = legs.filter(({ offer }) => offer.settlement.kind === 'maker')
  // One more: the service's own, over all of them.
  metrics.signed(makers.length + 1)
  const bps = drift.of(priced)
  if (bps !== undefined) metrics.drifted(bps)
}

/** Enough to price the same question again from the same block. */
function note(
  { log }: Desk,
  {
    asked: { query, requestId },
    priced: { request, amountOut },
    quoteId,
    block,
  }: {
    asked: Asked
    priced: Priced
    quoteId: string | undefined
    block: { readonly number: number; readonly hash: string }
  },
): void {
  const { sell, buy, amountIn, from, to, expirySeconds } = request
  log.info(
    {
      requestId,
      quoteId,
      block: block.number,
      blockHash: block.hash,
      sell: sell.address,
      buy: buy.address,
      amountIn: amountIn.toString(),
      amountOut: amountOut.toString(),
      expirySeconds,
      from,
      to,
      // Whose order it is, for the desk's own screening; it moves no funds.
      beneficiary: query.beneficiary_address && display(query.beneficiary_address, 64),
    },
    'quoted firmly',
  )
}
