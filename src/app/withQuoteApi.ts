import { createQuoteApi, type QuoteApi } from '../bot/quote/api/createQuoteApi.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../core/clock.ts'

/** Opens the configured quoting service for one task and closes it after. */
export async function withQuoteApi<result>(
  { config, clock }: { config: Config; clock: Clock },
  task: (quotes: QuoteApi) => Promise<result>,
): Promise<result> {
  const { url, apiKey } = config.service
  const { timeoutMs } = config.quote
  const quotes = createQuoteApi({ url: url.reveal(), apiKey, timeoutMs, clock })
  try {
    return await task(quotes)
  } finally {
    await quotes.close()
  }
}
