import { isTwofold, parseDecimal, twofoldText } from '../../core/decimal.ts'
import { BallastError } from '../../core/errors.ts'
import type { Path, Problem } from '../../core/problem.ts'
import { type Address, nativeAddress, sameAddress, type Token } from '../../core/token.ts'
import { checkSymbol } from './codecs.ts'
import { key, list, plain, reject, text } from './field.ts'
import { readWith } from './schemaTree.ts'

/** The tokens of a file by their symbol. */
export type Listed = ReadonlyMap<string, Token>

/** Reads the tokens of a file for the names in the rest of it; undefined where they are not right. */
export function listedTokens(
  tokens: Parameters<
    typeof readWith<Readonly<Record<string, Omit<Token, 'chainId' | 'symbol'>>>>
  >[0],
  { written, chainId }: { written: unknown; chainId: number },
): Listed | undefined {
  const { value } = readWith(tokens, written)
  return value && bySymbolOf(value, chainId)
}

/** The tokens of a file once they are read. */
export function bySymbolOf(
  tokens: Readonly<Record<string, Omit<Token, 'chainId' | 'symbol'>>>,
  chainId: number,
): Listed {
  return new Map(
    Object.entries(tokens).map(([symbol, { address, decimals }]) => [
      symbol,
      { chainId, address, symbol, decimals },
    ]),
  )
}

/** Stands for a token that cannot be looked up before the tokens are right; the file is refused for those. */
const unread: Token = { chainId: 0, address: nativeAddress, symbol: '', decimals: 36 }

/** A token by its symbol. `hint` ends the sentence about one that is not there. */
export const listedToken = (listed: Listed | undefined, hint: (symbol: string) => string) =>
  text(
    (symbol) => {
      checkSymbol(symbol)
      const found = listed === undefined ? { ...unread, symbol } : listed.get(symbol)
      return found ?? reject(`'${symbol}' is not among the tokens${hint(symbol)}`)
    },
    { example: 'WETH', form: 'The symbol of a token.', encode: ({ symbol }) => symbol },
  )

/** Two tokens, the base first. */
export const tokenPair = (token: ReturnType<typeof listedToken>) =>
  list(token, '[WETH, USDC]')
    .length(2, 'names two tokens, such as [WETH, USDC].')
    .transform(([base = unread, quote = unread]) => [base, quote] as const)

/** The effective text of a key, as a sentence repeats it. */
export type TextAt = (path: Path) => string

export type CheckedTokens = {
  readonly currency: string
  readonly listed: Readonly<
    Record<string, Pick<Token, 'address' | 'decimals'> & { readonly wrapsNative: boolean }>
  >
  readonly textAt: TextAt
}

/** Exactly one token wraps the currency, and no two are the same. */
export function checkTokens({ currency, listed, textAt }: CheckedTokens): readonly Problem[] {
  const problems: Problem[] = []
  const entries = Object.entries(listed)
  const wrappers = entries.filter(([, { wrapsNative }]) => wrapsNative)
  if (wrappers.length === 0)
    problems.push({
      path: ['tokens'],
      sentence: `no token wraps ${currency}: write wrapsNative: true at the one that does, such as W${currency}.`,
    })
  for (const [symbol] of wrappers.slice(1))
    problems.push({
      path: ['tokens', symbol, 'wrapsNative'],
      sentence: `${wrappers[0]?.[0]} wraps ${currency} already: only one token can.`,
    })
  for (const [symbol, { decimals }] of wrappers.slice(0, 1))
    if (decimals !== 18)
      problems.push({
        path: ['tokens', symbol, 'decimals'],
        sentence: `${decimals} cannot be right for a token that wraps ${currency}: write 18.`,
      })
  for (const [symbol] of entries)
    if (symbol === currency)
      problems.push({
        path: ['tokens', symbol],
        sentence: `${symbol} is the chain's own currency (chain.currency) and needs no entry: remove it, or name the token that wraps it.`,
      })
  return [...problems, ...sharedAddresses(listed, textAt)]
}

/** Tokens that are the same contract. */
export function sharedAddresses(
  listed: Readonly<Record<string, { readonly address: Address }>>,
  textAt: TextAt,
): readonly Problem[] {
  const entries = Object.entries(listed)
  return entries.flatMap(([symbol, { address }], index): readonly Problem[] => {
    const twin = entries.slice(0, index).find(([, other]) => sameAddress(other.address, address))
    if (twin === undefined) return []
    const path = ['tokens', symbol, 'address']
    const sentence = `${textAt(path)} is the address of ${twin[0]} already: give each token its own.`
    return [{ path, sentence }]
  })
}

/** A JSON number carries fifteen digits: what is published is then exactly what is filled. */
const digitsMax = 15

export const decimal = (example: string) =>
  plain(
    (value) => {
      parseDecimal(value, 77)
      if (isTwofold(value)) reject(twofoldText(value))
      if (value.replace('.', '').replace(/^0+/, '').length > digitsMax)
        reject(`${value.slice(0, 64)} has more than ${digitsMax} digits: round it.`)
    },
    { example, form: `A plain decimal of at most ${digitsMax} digits, in quotes.` },
  )

const level = list(decimal('10'), '["10", "3000"]')
  .length(2, 'is an amount and a price, such as ["10", "3000"].')
  .transform(([amount = '0', price = '0']) => [amount, price] as const)

/** The sides of a book of fixed prices. */
export const sides = {
  bid: key(
    list(level, '[["10", "3000"]]').prefault([]),
    'What the maker buys: amounts of the base with their price, the best first.',
  ),
  ask: key(
    list(level, '[["10", "3010"]]').prefault([]),
    'What the maker sells: amounts of the base with their price, the best first.',
  ),
}

export const minimumInBase = key(
  decimal('0.01').prefault('0'),
  'The least that is filled, in the base.',
)

/** Amounts with more decimals than their token has. */
export function tooFine(
  amounts: readonly { readonly amount: string; readonly path: Problem['path'] }[],
  { decimals }: Pick<Token, 'decimals'>,
): readonly Problem[] {
  return amounts.flatMap(({ amount, path }) =>
    problemsOf(() => parseDecimal(amount, decimals), path),
  )
}

type Levels = readonly (readonly [amount: string, price: string])[]

/** Levels by which a maker gives money away: of nothing, not the best first, or with a bid that an ask is not above. */
export function brokenSides(
  { bid, ask }: { readonly bid: Levels; readonly ask: Levels },
  path: Problem['path'],
): readonly Problem[] {
  const read = (text: string) => parseDecimal(text, decimalsMost)
  const sides = [
    ['bid', bid, (price: bigint, before: bigint) => price <= before],
    ['ask', ask, (price: bigint, before: bigint) => price >= before],
  ] as const
  const problems = sides.flatMap(([side, levels, follows]) =>
    levels.flatMap(([amount, price], nth): readonly Problem[] => {
      const at = [...path, side, nth]
      if (read(amount) === 0n || read(price) === 0n)
        return [{ path: at, sentence: 'is a level of nothing: leave it out.' }]
      const before = levels[nth - 1]?.[1]
      return before === undefined || follows(read(price), read(before))
        ? []
        : [
            {
              path: at,
              sentence: `is better than the level before it: write the best ${side} first.`,
            },
          ]
    }),
  )
  const [best, least] = [bid[0]?.[1], ask[0]?.[1]]
  if (best === undefined || least === undefined || read(best) < read(least)) return problems
  const sentence = `buys at ${best} and sells at ${least}: whoever does both takes the difference.`
  return [...problems, { path: [...path, 'bid', 0], sentence }]
}

/** Books of one maker for the same two tokens: who trades between the two takes what they differ by. */
export function repeatedBooks(
  books: readonly { readonly base: Token; readonly quote: Token }[],
  path: Problem['path'],
): readonly Problem[] {
  const seen = new Set<string>()
  return books.flatMap(({ base, quote }, index): readonly Problem[] => {
    const sides = [base.address, quote.address].sort().join()
    const isNew = !seen.has(sides)
    seen.add(sides)
    const sentence = `is a second book of ${base.symbol} and ${quote.symbol}: write one for both ways.`
    return isNew ? [] : [{ path: [...path, index], sentence }]
  })
}

/** More than any price is written with. */
const decimalsMost = 77

/** The problem of a text that `read` refuses; none where it reads. */
export function problemsOf(read: () => unknown, path: Problem['path']): readonly Problem[] {
  try {
    read()
    return []
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    return [{ path, sentence: error.summary }]
  }
}
