import { formatDecimal, isTwofold, parseDecimal, twofoldText } from './decimal.ts'
import { asWritten } from './display.ts'
import { type BallastError, ballastError } from './errors.ts'
import { nearest } from './nearest.ts'
import type { Token } from './token.ts'

/** An exact quantity of one token, in its smallest unit. */
export type Amount = { readonly token: Token; readonly wei: bigint }

/** An amount as it leaves the process: exact integer and readable text. */
export type AmountText = { readonly token: string; readonly wei: string; readonly text: string }

/** Reads a decimal such as `'250.5'`; refuses digits the token cannot hold. */
export function amountOf(token: Token, decimal: string): Amount {
  return { token, wei: parseDecimal(decimal, token.decimals) }
}

/**
 * The middle of several amounts of one token; undefined of none. Of two middles the larger one: as a limit it counts a
 * swap for more, as a floor it requires more.
 */
export function medianAmount(amounts: readonly Amount[]): Amount | undefined {
  const sorted = [...amounts].sort((a, b) => (a.wei < b.wei ? -1 : a.wei > b.wei ? 1 : 0))
  return sorted[Math.floor(sorted.length / 2)]
}

/** `250.5 USDC` */
export function show(amount: Amount): string {
  return `${formatDecimal(amount.wei, amount.token.decimals)} ${amount.token.symbol}`
}

/** The shape of an amount in every `--json` output and HTTP answer. */
export function toText(amount: Amount): AmountText {
  return {
    token: amount.token.symbol,
    wei: amount.wei.toString(),
    text: formatDecimal(amount.wei, amount.token.decimals),
  }
}

/** An amount that has left the process already, as {@link show} prints it. */
export const showText = ({ text, token }: Pick<AmountText, 'text' | 'token'>): string =>
  `${text} ${token}`

/** Reads `5 WETH` with the tokens known by symbol. Exact: digits the token cannot hold are refused, not rounded. */
export function parseAmount(text: string, bySymbol: ReadonlyMap<string, Token>): Amount {
  const match = /^(\d+(?:\.\d+)?) ([^\s\d]\S{0,31})$/.exec(text)
  if (match === null) throw refusal(advice(text.slice(0, 64), bySymbol))
  const [, decimal = '', symbol = ''] = match
  // A point is one of a fraction here, and of thousands elsewhere.
  if (isTwofold(decimal)) throw refusal(twofoldText(decimal, ` ${symbol}`))
  return amountOf(tokenOf(symbol, bySymbol), decimal)
}

/** Finds a token by symbol; an unknown one is refused with the list of known ones. */
export function tokenOf(symbol: string, bySymbol: ReadonlyMap<string, Token>): Token {
  const token = bySymbol.get(symbol)
  if (token !== undefined) return token
  const meant = nearest(symbol, bySymbol.keys())
  const hint = meant === undefined ? '.' : `; did you mean ${meant}?`
  const known = [...bySymbol.keys()].join(', ')
  throw ballastError(
    'UNKNOWN_TOKEN',
    `${asWritten(symbol)} is not a configured token${hint} Known tokens: ${known}.`,
  )
}

function advice(text: string, bySymbol: ReadonlyMap<string, Token>): string {
  const example = [...bySymbol.keys()][0] ?? 'WETH'
  if (/^\d+(?:\.\d+)?$/.test(text))
    return `'${text}' does not say which token: write '${text} ${example}'.`
  // A comma is a point in half the world and a thousand in the other: which one is meant is not guessed.
  if (/^\d[\d,]*,\d/.test(text))
    return `'${text}' has a comma: write the number with a point for its fraction and nothing between thousands, such as '1500.5 ${example}'.`
  const crowded = /^([\d_']+(?:\.\d+)?) ?([A-Za-z]\S*)$/.exec(text)
  if (crowded !== null)
    return `'${text}' is not an amount: write '${crowded[1]?.replace(/[_']/g, '')} ${crowded[2]}'.`
  if (/^[-+]/.test(text))
    return `'${text}' has a sign: write the amount alone, such as '5 ${example}'.`
  return `'${text}' is not an amount: write a number, a space and a token, such as '5 ${example}'.`
}

function refusal(summary: string): BallastError {
  return ballastError('NOT_AN_AMOUNT', summary)
}

/** Whether a value of unknown kind, such as a parameter, is an amount. */
export const isAmount = (value: unknown): value is Amount => {
  const { token, wei } = (value ?? {}) as Partial<Amount>
  return typeof wei === 'bigint' && typeof token?.address === 'string'
}
