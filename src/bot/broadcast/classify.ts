import { foreignMax } from '../../core/display.ts'
import type { Verdict } from '../verdict.ts'
import { phrases, refusals } from './phrases.ts'

/**
 * Codes of an endpoint that did not look at the bytes: HTTP's own where a provider copies it, "limit exceeded" and
 * "method not found". Nothing else is read from a code: nodes give -32000 to everything, Besu gives -32005 to a gas
 * limit, and -32603 also comes after a node took the bytes.
 */
const refusing: ReadonlySet<number> = new Set([401, 403, 429, -32_005, -32_601])

/**
 * Reads an endpoint's answer to a broadcast, from its own words: libraries that name these errors name some wrong
 * ("already imported" as a nonce that is too low).
 *
 * Words about the transaction go before words and codes about the endpoint. A message with two different meanings for
 * the transaction means nothing, like an unknown one: `ambiguous`.
 */
export function classify({
  code,
  message,
}: {
  /** Of the JSON-RPC error; undefined where no such answer came. */
  readonly code: number | undefined
  readonly message: string
}): Verdict {
  let rest = read(message)
  const said = new Set<Verdict>()
  for (const [verdict, known] of phrases)
    for (const phrase of known) {
      const parts = rest.split(` ${phrase} `)
      if (parts.length === 1) continue
      if (verdict !== 'ambiguous') said.add(verdict)
      // The text before it and the text after it must not become a phrase together.
      rest = parts.join(' | ')
    }
  const [only, ...others] = said
  if (only !== undefined) return others.length === 0 ? only : 'ambiguous'
  const refused =
    (code !== undefined && refusing.has(code)) ||
    refusals.some((phrase) => rest.includes(` ${phrase} `))
  return refused ? 'endpoint-fault' : 'ambiguous'
}

/** Bounded, and each replacement takes time in proportion: a hostile message costs no more than a long one. */
function read(message: string): string {
  const words = message
    .slice(0, foreignMax)
    .toLowerCase()
    // A host or a path may be called anything.
    .replace(/[a-z]{2,8}:\/\/\S*/g, ' | ')
    .replace(/[^a-z0-9|]+/g, ' ')
    .replace(/(?<!http )\b\d+\b/g, '#')
    .trim()
  return ` ^ ${words} $ `
}
