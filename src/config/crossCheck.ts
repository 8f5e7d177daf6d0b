import { parseAmount, tokenOf } from '../core/amountText.ts'
import { parseBps } from '../core/bps.ts'
import { parseDuration } from '../core/duration.ts'
import { BallastError } from '../core/errors.ts'
import { sameAddress, type Token } from '../core/token.ts'
import { buildTokens } from './buildTokens.ts'
import { checkReferences } from './checkReferences.ts'
import type { Tokens } from './config.ts'
import { type FileText, fileSchema } from './fileSchema.ts'
import type { Path } from './parseYaml.ts'
import { sameEndpoint } from './sameEndpoint.ts'
import { withUsd } from './withUsd.ts'

/** One sentence about one key. `meant` is the key a misspelt one stands for. */
export type Problem = { readonly path: Path; readonly sentence: string; readonly meant?: Path }

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
    problems.push(...checkLists(raw.policy, bySymbol))
    problems.push(...checkPairs(raw.policy, bySymbol))
    problems.push(...checkNotional(raw, withUsd(built)))
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

function checkLists(policy: unknown, bySymbol: ReadonlyMap<string, Token>): readonly Problem[] {
  const problems: Problem[] = []
  const read = (key: string, reader: (text: string) => Token, allowed?: ReadonlySet<string>) => {
    const seen = new Set<string>()
    for (const [index, text] of textsOf(policy, key).entries()) {
      const path = ['policy', key, index]
      try {
        const { symbol } = reader(text)
        if (seen.has(symbol))
          problems.push({ path, sentence: `${symbol} is in this list already: keep one of them.` })
        if (allowed !== undefined && !allowed.has(symbol))
          problems.push({
            path,
            sentence: `${symbol} has a limit but is not in policy.tokens: add it there or remove the limit.`,
          })
        seen.add(symbol)
      } catch (error) {
        if (!(error instanceof BallastError)) throw error
        problems.push({ path, sentence: error.summary })
      }
    }
    return seen
  }
  const tokens = read('tokens', (symbol) => tokenOf(symbol, bySymbol))
  for (const key of ['perSwap', 'perDay'])
    read(key, (text) => parseAmount(text, bySymbol).token, tokens)
  return problems
}

function checkPairs(policy: unknown, bySymbol: ReadonlyMap<string, Token>): readonly Problem[] {
  const listed = textsOf(policy, 'tokens')
  return textsOf(policy, 'pairs').flatMap((text, index) => {
    const path = ['policy', 'pairs', index]
    return text.split('/').flatMap((symbol): Problem[] => {
      try {
        tokenOf(symbol, bySymbol)
      } catch (error) {
        if (!(error instanceof BallastError)) throw error
        return [{ path, sentence: error.summary }]
      }
      if (listed.includes(symbol)) return []
      const sentence = `${symbol} is in a pair but not in policy.tokens: add it there or remove the pair.`
      return [{ path, sentence }]
    })
  })
}

/** All limits count in one unit: sums of different ones mean nothing. */
function checkNotional(
  { policy, service }: Readonly<Record<string, unknown>>,
  units: ReadonlyMap<string, Token>,
): readonly Problem[] {
  const limits = fileSchema.shape.policy.shape.notional.safeParse(partOf(policy, 'notional'))
  const foreign = partOf(service, 'maxNotional')
  const amounts = [
    ...(limits.success ? Object.entries(limits.data) : []).map(([key, text]) => ({
      path: ['policy', 'notional', key],
      text,
    })),
    ...(typeof foreign === 'string' ? [{ path: ['service', 'maxNotional'], text: foreign }] : []),
  ]
  const written = partOf(policy, 'unit')
  const unit = typeof written === 'string' ? written : 'USD'
  let perSwap: bigint | undefined
  return amounts.flatMap(({ path, text }): Problem[] => {
    try {
      const { token, wei } = parseAmount(text, units)
      perSwap ??= wei
      if (!units.has(unit)) return []
      if (token.symbol === unit && (path[0] !== 'service' || wei < perSwap)) return []
      if (token.symbol === unit)
        return [
          {
            path,
            sentence: `${text} is not below policy.notional.perSwap: a router that cannot be read gets less.`,
          },
        ]
      const sentence = `${text} is not in ${unit}, the unit of account (policy.unit): count it in that.`
      return [{ path, sentence }]
    } catch (error) {
      if (!(error instanceof BallastError)) throw error
      return [{ path, sentence: error.summary }]
    }
  })
}

const partOf = (section: unknown, key: string): unknown =>
  typeof section === 'object' && section !== null ? Reflect.get(section, key) : undefined

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

function textsOf(section: unknown, key: string): readonly string[] {
  const list = partOf(section, key)
  return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : []
}
