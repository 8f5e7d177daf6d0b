import { parseAmount, tokenOf } from '../core/amount.ts'
import { BallastError } from '../core/errors.ts'
import type { Problem } from '../core/problem.ts'
import type { Token } from '../core/token.ts'
import type { Tokens } from './config.ts'
import { fileSchema } from './fileSchema.ts'
import { withUsd } from './withUsd.ts'

/** What the lists of the policy say about each other: every token known, allowed where it is limited, counted in one unit. */
export function checkPolicy(
  raw: Readonly<Record<string, unknown>>,
  tokens: Tokens,
): readonly Problem[] {
  return [
    ...checkLists(raw.policy, tokens.bySymbol),
    ...checkPairs(raw.policy, tokens.bySymbol),
    ...checkNotional(raw, withUsd(tokens)),
  ]
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
  // Without a list to be in, everything would be missing from it.
  const allowed = Array.isArray(partOf(policy, 'tokens')) ? tokens : undefined
  for (const key of ['perSwap', 'perDay'])
    read(key, (text) => parseAmount(text, bySymbol).token, allowed)
  return problems
}

function checkPairs(policy: unknown, bySymbol: ReadonlyMap<string, Token>): readonly Problem[] {
  const listed = textsOf(policy, 'tokens')
  const isList = Array.isArray(partOf(policy, 'tokens'))
  return textsOf(policy, 'pairs').flatMap((text, index) => {
    const path = ['policy', 'pairs', index]
    return text.split('/').flatMap((symbol): Problem[] => {
      try {
        tokenOf(symbol, bySymbol)
      } catch (error) {
        if (!(error instanceof BallastError)) throw error
        return [{ path, sentence: error.summary }]
      }
      if (!isList || listed.includes(symbol)) return []
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

function textsOf(section: unknown, key: string): readonly string[] {
  const list = partOf(section, key)
  return Array.isArray(list) && list.every((item) => typeof item === 'string') ? list : []
}
