import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { QuoteRefused } from './errors.ts'

export type Keyring = {
  /** Throws unless the request carries a known key; always content when there are none. */
  check(headers: IncomingHttpHeaders): void
}

/** The published clients of this API family spell the header in two ways; letter case does not count. */
const headerNames = ['apikey', 'api_key']

/** Keeps hashes only, and compares in constant time. */
export function createKeyring(apiKeys: readonly string[]): Keyring {
  const known = apiKeys.map(digest)
  return {
    check(headers) {
      if (known.length === 0) return
      const sent = headerNames.map((name) => headers[name]).find((value) => value !== undefined)
      const candidate = digest(typeof sent === 'string' ? sent : '')
      // Every key is compared, so the time says nothing about which one it was.
      const matches = known.filter((key) => timingSafeEqual(key, candidate))
      if (matches.length === 0) throw new QuoteRefused('BAD_API_KEY', 'auth get api key is invalid')
    },
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest()
