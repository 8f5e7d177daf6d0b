import { createQuoteApi, type QuoteApi } from '../bot/quote/api/createQuoteApi.ts'
import type { Config } from '../config/config.ts'

type Options = Pick<Parameters<typeof createQuoteApi>[0], 'clock' | 'onDate'>

/** The configured quoting service, before its first request. */
export function openQuotes({ service, quote }: Config, options: Options): QuoteApi {
  const { url, apiKey } = service
  const { timeoutMs } = quote
  return createQuoteApi({ url: url.reveal(), apiKey, timeoutMs, ...options })
}
