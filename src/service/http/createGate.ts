import type { FastifyRequest } from 'fastify'
import type { Keyring } from '../createKeyring.ts'
import type { RateLimiter } from '../createRateLimiter.ts'
import { QuoteRefused } from '../refusal/errors.ts'

/**
 * Whom an operation is for: `key` and its short name, or `from` and the network where none is needed. Throws unless the
 * key is good and its allowance lasts.
 */
export type Gate = (request: FastifyRequest) => string

/**
 * Known keys have an allowance each. A caller with none, or a wrong one, is counted by address, so that guessing keys
 * is slow.
 */
export function createGate({
  keyring,
  limiter,
}: {
  keyring: Keyring
  limiter: RateLimiter | undefined
}): Gate {
  const spend = (who: string) => {
    const waitMs = limiter?.take(who)
    if (waitMs !== undefined)
      throw new QuoteRefused('RATE_LIMITED', 'rate reach limit: fewer requests per second.', {
        retryAfterMs: waitMs,
      })
  }
  return (request) => {
    const stranger = `from ${networkOf(request.ip)}`
    let key: string | undefined
    try {
      key = keyring.identify(request.headers)
    } catch (error) {
      spend(stranger)
      throw error
    }
    const caller = key === undefined ? stranger : `key ${key}`
    spend(caller)
    return caller
  }
}

/** One IPv6 customer has a whole /64 of addresses. */
function networkOf(address: string): string {
  const v4 = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (v4 !== undefined || !address.includes(':')) return v4 ?? address
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  // What '::' stands for begins where the head ends; only the first four groups count.
  const filled = tail === undefined ? groups : [...groups, '0', '0', '0', '0']
  return `${filled.slice(0, 4).join(':')}::/64`
}
