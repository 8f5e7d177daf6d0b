import { tokenOf } from '../core/amount.ts'
import { BallastError } from '../core/errors.ts'
import type { Problem } from '../core/problem.ts'
import { isNative, sameAddress, sameToken, type Token, usdAddress } from '../core/token.ts'
import { buildTokens } from './buildTokens.ts'
import type { FileText } from './fileSchema.ts'
import { withUsd } from './withUsd.ts'

/** What the keys about prices say about the tokens, and about each other. `raw` may be wrong elsewhere. */
export function checkReferences(
  raw: Readonly<Record<string, unknown>>,
  parts: Pick<FileText, 'chain' | 'tokens'>,
): readonly Problem[] {
  const tokens = buildTokens(parts)
  const priced = withUsd(tokens)
  const policy = recordOf(raw.policy)
  return [
    ...checkDollar(parts),
    ...unknownToken(policy.unit, ['policy', 'unit'], priced),
    ...checkPairs(policy.references, (symbol) => {
      const token = tokenOf(symbol, priced)
      return isNative(token) ? tokens.wrapped : token
    }),
    ...Object.keys(recordOf(policy.stablecoins)).flatMap((symbol) =>
      unknownToken(symbol, ['policy', 'stablecoins', symbol], tokens.bySymbol),
    ),
  ]
}

/** A token of that name or address would be taken for the dollar, or the dollar for it. */
function checkDollar({ chain, tokens }: Pick<FileText, 'chain' | 'tokens'>): readonly Problem[] {
  const sentence =
    'USD is the US dollar itself, which policy counts in and nobody can trade: give the token another symbol.'
  return [
    ...(chain.currency === 'USD' ? [{ path: ['chain', 'currency'], sentence }] : []),
    ...Object.entries(tokens).flatMap(([symbol, { address }]): readonly Problem[] => {
      if (symbol === 'USD') return [{ path: ['tokens', symbol], sentence }]
      if (!sameAddress(address, usdAddress)) return []
      return [
        {
          path: ['tokens', symbol, 'address'],
          sentence: `${address} stands for the US dollar, and no token is there: write the address of ${symbol}.`,
        },
      ]
    }),
  ]
}

function checkPairs(references: unknown, sideOf: (symbol: string) => Token): readonly Problem[] {
  if (!Array.isArray(references)) return []
  const seen = new Set<string>()
  return references.flatMap((reference: unknown, index): readonly Problem[] => {
    const path = ['policy', 'references', index]
    const { kind, pair, address, url } = recordOf(reference)
    const [base, quote, ...rest] = typeof pair === 'string' ? pair.split('/') : []
    if (base === undefined || quote === undefined || rest.length > 0 || base === '' || quote === '')
      return []
    const problems: Problem[] = []
    const at = (key: string, sentence: string) => problems.push({ path: [...path, key], sentence })
    try {
      const sides = [sideOf(base), sideOf(quote)] as const
      if (sameToken(...sides))
        at(
          'pair',
          `${base} and ${quote} are the same: write what the price is in, such as ${base}/USD.`,
        )
      // A book may hold many pairs, a contract has one.
      const pairKey = sides
        .map((side) => side.address.toLowerCase())
        .sort()
        .join(' ')
      const key =
        typeof address === 'string' ? address.toLowerCase() : `${kind} ${pairKey} ${url ?? ''}`
      if (seen.has(key))
        at(
          typeof address === 'string' ? 'address' : 'pair',
          'is in this list already: a price counts once, so keep one of them.',
        )
      seen.add(key)
      const trades = kind === 'pool' || kind === 'order-book'
      if (trades && [base, quote].includes('USD'))
        at('pair', `no ${kind} trades US dollars: write the token it trades, or use kind: feed.`)
    } catch (error) {
      if (!(error instanceof BallastError)) throw error
      at('pair', error.summary)
    }
    return problems
  })
}

function unknownToken(
  symbol: unknown,
  path: Problem['path'],
  known: ReadonlyMap<string, Token>,
): readonly Problem[] {
  if (typeof symbol !== 'string') return []
  try {
    tokenOf(symbol, known)
    return []
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    return [{ path, sentence: error.summary }]
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
