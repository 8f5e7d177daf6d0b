import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { QuoteRefused } from './refusal/errors.ts'

/** The admitted callers. Keeps hashes only, compares in constant time. */
export type Keyring = {
  /**
   * A short name of the key a request carries, safe to log; undefined while no key is needed.
   * Throws unless the key is a known one.
   */
  identify(headers: IncomingHttpHeaders): string | undefined
  /**
   * From the next request on these keys count and no others. An empty list admits no caller: it never opens the
   * service.
   */
  replace(apiKeys: readonly string[]): void
}

/** The published clients of this API family spell the header in two ways; letter case does not count. */
const headerNames = ['apikey', 'api_key']

/** Longer than any key: what is beyond is not hashed for a stranger. */
const keyLengthMax = 512

/** Keys are plain text, or `sha256:` and 64 hex digits. An empty list to begin with: no key is needed. */
export function createKeyring(apiKeys: readonly string[]): Keyring {
  let needed = apiKeys.length > 0
  let known = apiKeys.map(hashOf)
  return {
    identify(headers) {
      if (!needed) return undefined
      const sent = headerNames.map((name) => headers[name]).find((value) => value !== undefined)
      const candidate = digest(typeof sent === 'string' ? sent.slice(0, keyLengthMax) : '')
      // Every key is compared, so the time shows nothing about which one it was.
      const matches = known.filter((key) => timingSafeEqual(key, candidate))
      if (matches.length === 0) throw new QuoteRefused('BAD_API_KEY', refusalOf(sent))
      return candidate.toString('hex').slice(0, 12)
    },
    replace(next) {
      needed = true
      known = next.map(hashOf)
    },
  }
}

const refusalOf = (sent: unknown) =>
  sent === undefined
    ? 'auth get api key is invalid: the header apiKey is missing.'
    : 'auth get api key is invalid: the key in the header apiKey is not known.'

function hashOf(apiKey: string): Buffer {
  const digits = /^sha256:([0-9a-f]{64})$/i.exec(apiKey)?.[1]
  return digits === undefined ? digest(apiKey.slice(0, keyLengthMax)) : Buffer.from(digits, 'hex')
}

const digest = (text: string) => hash('sha256', text, 'buffer')
