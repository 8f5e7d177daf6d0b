import type { FirmQuery, FirmQuote } from '../../api/firmQuote.ts'
import type { OpaqueQuote } from '../../api/opaqueQuote.ts'
import type { Clock } from '../../core/clock.ts'
import { formatDecimal } from '../../core/decimal.ts'
import { type Appraised, pass, type Quoted } from '../stages.ts'

/** The part of the quoting API this stage needs. */
type FirmQuotes = {
  firm(
    query: FirmQuery,
  ): Promise<{ readonly value: FirmQuote | OpaqueQuote; readonly text: string }>
}

/**
 * Asks for a firm quote with the plan's own expiry and slippage.
 *
 * Amounts go as `amount_wei` only: in this API family `amount` passes through a float.
 */
export function createRequestQuote({
  quotes,
  chain,
  clock,
}: {
  quotes: FirmQuotes
  chain: string
  clock: Clock
}) {
  return async function requestQuote(appraised: Appraised): Promise<Quoted> {
    const { intent, wallet, recipient, expirySeconds, slippageBps } = appraised
    const request: FirmQuery = {
      src_chain: chain,
      dst_chain: chain,
      token_in: intent.sell.token.address,
      token_out: intent.buy.address,
      amount_wei: intent.sell.wei.toString(),
      from_address: wallet,
      to_address: recipient,
      expiry_time: expirySeconds.toString(),
      slippage: formatDecimal(BigInt(slippageBps), 2),
    }
    const requestedAt = clock.now()
    const { value, text } = await quotes.firm(request)
    const answered = { request, quote: value, body: text, requestedAt, receivedAt: clock.now() }
    return pass<Quoted>({ ...appraised, ...answered })
  }
}
