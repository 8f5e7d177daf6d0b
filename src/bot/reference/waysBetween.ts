import { sameToken, type Token, usdOf } from '../../core/token.ts'
import type { Reference } from './reference.ts'

/** One reference, or two that meet in a third token. */
export type Way = readonly Reference[]

/**
 * The ways of the references from one token to another: those of the pair itself, and pairs of them that meet in the
 * dollar, which is how feeds quote a pair. Only where there is neither, pairs that meet in any other token: a pool
 * would otherwise have a vote in every pair next to its own.
 *
 * The configuration decides, not the answers: a source that fails is missed, never replaced.
 */
export function waysBetween(
  references: readonly Reference[],
  { from, to }: { from: Token; to: Token },
): readonly Way[] {
  const direct = references.filter((one) => leads(one, from, to)).map((one): Way => [one])
  const crosses = references.flatMap((first) => {
    const middle = otherSide(first, from)
    if (middle === undefined || sameToken(middle, to)) return []
    return references
      .filter((second) => leads(second, middle, to))
      .map((second) => ({ middle, way: [first, second] as Way }))
  })
  const usd = usdOf(from.chainId)
  const inDollars = crosses.filter(({ middle }) => sameToken(middle, usd))
  const nearest = [...direct, ...inDollars.map(({ way }) => way)]
  return nearest.length > 0 ? nearest : crosses.map(({ way }) => way)
}

const leads = (reference: Reference, from: Token, to: Token) => {
  const other = otherSide(reference, from)
  return other !== undefined && sameToken(other, to)
}

function otherSide({ pair: [first, second] }: Reference, token: Token): Token | undefined {
  if (sameToken(first, token)) return second
  return sameToken(second, token) ? first : undefined
}
