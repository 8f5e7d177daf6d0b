import { getAddress } from 'viem/utils'
import { tokenOf } from '../core/amount.ts'
import { assert } from '../core/assert.ts'
import { parseDuration } from '../core/duration.ts'
import { secretUrl } from '../core/secret.ts'
import { isNative, type Token } from '../core/token.ts'
import type { ReferenceConfig, Tokens } from './config.ts'
import type { FileText } from './fileSchema.ts'

/** An answer of a quoting service is a few hundred milliseconds old; its makers requote within seconds. */
const bookAge = '5s'

/** A reference as it is written, its currency standing as the token that wraps it. */
export function buildReference(
  { kind, pair, venue, address: at, url, maxAge }: FileText['policy']['references'][number],
  { tokens, priced }: { tokens: Tokens; priced: ReadonlyMap<string, Token> },
): ReferenceConfig {
  const [base = '', quote = ''] = pair.split('/')
  const side = (symbol: string) => {
    const token = tokenOf(symbol, priced)
    return isNative(token) ? tokens.wrapped : token
  }
  const sides = [side(base), side(quote)] as const
  if (kind === 'order-book')
    return {
      kind,
      pair: sides,
      url: url === undefined ? undefined : secretUrl(url.replace(/\/v1\/?$/, '')),
      ageMsMax: parseDuration(maxAge ?? bookAge),
    }
  assert(at !== undefined, 'the schema asks for the address')
  if (kind === 'feed') {
    assert(maxAge !== undefined, 'the schema asks for the age of a feed')
    return { kind, pair: sides, address: getAddress(at), ageMsMax: parseDuration(maxAge) }
  }
  assert(venue !== undefined, 'the schema asks for the venue of a pool')
  return { kind, pair: sides, venue, address: getAddress(at) }
}
