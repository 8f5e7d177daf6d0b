import { parseBps } from '../../core/bps.ts'
import { parseDecimal } from '../../core/decimal.ts'
import { parseDuration } from '../../core/duration.ts'
import { BallastError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import type { Path, Problem } from '../../core/problem.ts'
import { checkTokens } from '../crossCheck.ts'
import type { ServiceText } from './schema.ts'

/** The router's own cap. */
const feeBpsMax = 100

/** What one key of `service.yaml` says about another. */
export function crossCheck(text: ServiceText): readonly Problem[] {
  const { tokens, pools, makers, remoteMakers, hubs, expiry, widgetFee } = text
  const problems: Problem[] = [...checkTokens(text)]
  const says = (path: Path, sentence: string) => problems.push({ path, sentence })
  const known = Object.keys(tokens)
  const checkTokensOf = (path: Path, symbols: readonly string[]) => {
    for (const [index, symbol] of symbols.entries())
      if (tokens[symbol] === undefined)
        says([...path, index], `'${symbol}' is not among the tokens${hint(symbol, known)}`)
  }
  const checkPair = (path: Path, pair: readonly string[]) => {
    checkTokensOf(path, pair)
    if (pair[0] === pair[1]) says(path, `${pair[0]} is traded for itself: name two tokens.`)
  }

  checkTokensOf(['hubs'], hubs)
  for (const [index, { kind, fee, tokens: pair }] of pools.entries()) {
    const path = ['pools', index]
    checkPair([...path, 'tokens'], pair)
    if (kind === 'uniswap-v3' && fee === undefined)
      says(path, 'a v3 pool has a fee: write fee: 100, 500, 3000 or 10000.')
    if (kind === 'uniswap-v2' && fee !== undefined)
      says([...path, 'fee'], 'all v2 pools have the same fee: remove it.')
  }
  const names = new Set<string>()
  for (const [index, { name, books }] of makers.entries()) {
    const path = ['makers', index]
    if (names.has(name))
      says([...path, 'name'], `${name} is another maker's name: give each its own.`)
    names.add(name)
    for (const [nth, book] of books.entries()) {
      const at = [...path, 'books', nth]
      checkPair([...at, 'pair'], book.pair)
      const decimals = Number(tokens[book.pair[0] ?? '']?.decimals ?? 36)
      const amounts = [
        ...book.bid.map(([amount = ''], n) => ({ amount, path: [...at, 'bid', n] })),
        ...book.ask.map(([amount = ''], n) => ({ amount, path: [...at, 'ask', n] })),
        { amount: book.minimumInBase, path: [...at, 'minimumInBase'] },
      ]
      for (const { amount, path: where } of amounts) {
        const sentence = refusalOf(amount, decimals)
        if (sentence !== undefined) says(where, sentence)
      }
    }
  }
  for (const [index, { name, pairs }] of remoteMakers.entries()) {
    const path = ['remoteMakers', index]
    if (names.has(name))
      says([...path, 'name'], `${name} is another maker's name: give each its own.`)
    names.add(name)
    for (const [nth, pair] of pairs.entries()) checkPair([...path, 'pairs', nth], pair)
  }
  if (pools.length + makers.length + remoteMakers.length === 0)
    says([], 'there is nothing to quote from: name a pool or a maker.')
  if (parseDuration(expiry.default) > parseDuration(expiry.max))
    says(['expiry', 'default'], `${expiry.default} is above expiry.max (${expiry.max}): lower it.`)
  if (parseBps(widgetFee.rate) > feeBpsMax)
    says(
      ['widgetFee', 'rate'],
      `${widgetFee.rate} is more than the router allows: at most 100 bps.`,
    )
  return problems
}

function hint(symbol: string, known: readonly string[]): string {
  const meant = nearest(symbol, known)
  return meant === undefined ? `: known are ${known.join(', ')}.` : `; did you mean ${meant}?`
}

function refusalOf(amount: string, decimals: number): string | undefined {
  try {
    parseDecimal(amount, decimals)
    return undefined
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    return error.summary
  }
}
