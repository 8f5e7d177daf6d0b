import { parseAmount } from '../core/amount.ts'
import { parseBps } from '../core/bps.ts'
import { parseDuration } from '../core/duration.ts'
import { BallastError } from '../core/errors.ts'
import type { Problem } from '../core/problem.ts'
import { sameAddress, type Token } from '../core/token.ts'
import { buildTokens } from './buildTokens.ts'
import { checkPolicy } from './checkPolicy.ts'
import { checkReferences } from './checkReferences.ts'
import type { Tokens } from './config.ts'
import { type FileText, fileSchema } from './fileSchema.ts'
import { sameEndpoint } from './sameEndpoint.ts'
import { withUsd } from './withUsd.ts'

/**
 * What one key says about another. Looks at each part that is right by itself, so that a mistake in one section
 * does not hide those in the next.
 */
export function crossCheck(raw: Readonly<Record<string, unknown>>): readonly Problem[] {
  const { chain, tokens, policy, quote } = fileSchema.shape
  const known = { chain: chain.safeParse(raw.chain), tokens: tokens.safeParse(raw.tokens) }
  const limits = policy.safeParse(raw.policy)
  const asked = quote.safeParse(raw.quote)
  const problems: Problem[] = [...repeatedNames(raw.strategies), ...checkProfile(raw)]

  if (known.chain.success && known.tokens.success) {
    const parts = { chain: known.chain.data, tokens: known.tokens.data }
    problems.push(...checkTokens(parts))
    const built = buildTokens(parts)
    const { bySymbol } = built
    problems.push(...checkWitness(parts.chain, built))
    problems.push(...checkSenders(parts.chain))
    problems.push(...checkPolicy(raw, built))
    problems.push(...checkReferences(raw, parts))
    problems.push(...checkGas(raw.breakers, { bySymbol, currency: parts.chain.currency }))
  }
  if (limits.success && asked.success) {
    const { slippage, expiry } = asked.data
    const { maxSlippage, minTimeToDeadline } = limits.data
    if (parseBps(slippage) > parseBps(maxSlippage))
      problems.push({
        path: ['quote', 'slippage'],
        sentence: `${slippage} is above policy.maxSlippage (${maxSlippage}): lower it, or every swap is refused.`,
      })
    if (parseDuration(expiry) <= parseDuration(minTimeToDeadline))
      problems.push({
        path: ['quote', 'expiry'],
        sentence: `${expiry} does not reach policy.minTimeToDeadline (${minTimeToDeadline}): raise it, or every quote is too old.`,
      })
  }
  return problems
}

const profileKeys = {
  ballast: ['executor', 'feeSigner', 'makers'],
  opaque: ['selectors', 'maxNotional'],
} as const

/** A key of the other profile would be believed to protect, and protect nothing. */
function checkProfile(raw: Readonly<Record<string, unknown>>): readonly Problem[] {
  const read = fileSchema.shape.service.safeParse(raw.service)
  if (!read.success) return []
  const { profile } = read.data
  const other = profile === 'ballast' ? 'opaque' : 'ballast'
  return [
    ...profileKeys[profile]
      .filter((key) => read.data[key] === undefined)
      .map((key) => ({
        path: ['service', key],
        sentence: `is missing: a service of profile ${profile} needs it.`,
      })),
    ...profileKeys[other]
      .filter((key) => read.data[key] !== undefined)
      .map((key) => ({
        path: ['service', key],
        sentence: `is for profile ${other}, and this service is of profile ${profile}: remove it.`,
      })),
  ]
}

/** Exactly one token wraps the currency, and no two are the same. */
export function checkTokens({
  chain,
  tokens,
}: {
  chain: { currency: string }
  tokens: Record<string, { address: string; decimals: string; wrapsNative: boolean }>
}): readonly Problem[] {
  const problems: Problem[] = []
  const entries = Object.entries(tokens)
  const wrappers = entries.filter(([, { wrapsNative }]) => wrapsNative)
  if (wrappers.length === 0)
    problems.push({
      path: ['tokens'],
      sentence: `no token wraps ${chain.currency}: write wrapsNative: true at the one that does, such as W${chain.currency}.`,
    })
  for (const [symbol] of wrappers.slice(1))
    problems.push({
      path: ['tokens', symbol, 'wrapsNative'],
      sentence: `${wrappers[0]?.[0]} wraps ${chain.currency} already: only one token can.`,
    })
  for (const [symbol, { decimals }] of wrappers.slice(0, 1))
    if (decimals !== '18')
      problems.push({
        path: ['tokens', symbol, 'decimals'],
        sentence: `${decimals} cannot be right for a token that wraps ${chain.currency}: write 18.`,
      })
  for (const [index, [symbol, { address }]] of entries.entries()) {
    if (symbol === chain.currency)
      problems.push({
        path: ['tokens', symbol],
        sentence: `${symbol} is the chain's own currency (chain.currency) and needs no entry: remove it, or name the token that wraps it.`,
      })
    const twin = entries.slice(0, index).find(([, other]) => sameAddress(other.address, address))
    if (twin !== undefined)
      problems.push({
        path: ['tokens', symbol, 'address'],
        sentence: `${address} is the address of ${twin[0]} already: give each token its own.`,
      })
  }
  return problems
}

function checkWitness({ rpcUrl, witness }: FileText['chain'], tokens: Tokens): readonly Problem[] {
  if (witness === undefined) return []
  if (sameEndpoint(witness.rpcUrl, rpcUrl))
    return [
      {
        path: ['chain', 'witness', 'rpcUrl'],
        sentence:
          'is the address of chain.rpcUrl, and a node agrees with itself: name one of another operator.',
      },
    ]
  try {
    parseAmount(witness.above, withUsd(tokens))
    return []
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    return [{ path: ['chain', 'witness', 'above'], sentence: error.summary }]
  }
}

/** The same bytes twice to one node tell nothing, and read like a second one. */
function checkSenders({ rpcUrl, witness, alsoSendTo }: FileText['chain']): readonly Problem[] {
  const told = witness?.sends === true ? [rpcUrl, witness.rpcUrl] : [rpcUrl]
  return alsoSendTo.flatMap((url, index) =>
    [...told, ...alsoSendTo.slice(0, index)].some((other) => sameEndpoint(url, other))
      ? [
          {
            path: ['chain', 'alsoSendTo', index],
            sentence: 'is the address of an endpoint that gets the bytes already: remove it.',
          },
        ]
      : [],
  )
}

/** Gas is paid in the chain's own currency, and a limit of nothing would lock for ever. */
function checkGas(
  breakers: unknown,
  { bySymbol, currency }: { bySymbol: ReadonlyMap<string, Token>; currency: string },
): readonly Problem[] {
  const { maxGasPerDay: text } = (breakers ?? {}) as { maxGasPerDay?: unknown }
  if (typeof text !== 'string') return []
  const path = ['breakers', 'maxGasPerDay']
  try {
    const { token, wei } = parseAmount(text, bySymbol)
    if (token.symbol === currency && wei > 0n) return []
    return [
      {
        path,
        sentence:
          wei === 0n
            ? `${text} locks after the first swap: write what a day may cost, or remove the key for no limit.`
            : `${text} is not in ${currency}, which pays for gas: write an amount of ${currency}.`,
      },
    ]
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    return [{ path, sentence: error.summary }]
  }
}

function repeatedNames(strategies: unknown): readonly Problem[] {
  if (!Array.isArray(strategies)) return []
  const seen = new Set<unknown>()
  return strategies.flatMap((strategy: unknown, index) => {
    const name =
      typeof strategy === 'object' && strategy !== null && 'name' in strategy && strategy.name
    if (typeof name !== 'string' || !seen.has(name)) {
      seen.add(name)
      return []
    }
    return [
      {
        path: ['strategies', index, 'name'],
        sentence: `'${name}' is the name of another strategy: the journal knows a strategy by its name, so give each its own.`,
      },
    ]
  })
}
