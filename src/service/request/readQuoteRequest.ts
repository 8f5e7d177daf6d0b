import { addressField } from '../../api/fields.ts'
import { parseDecimal } from '../../core/decimal.ts'
import { BallastError } from '../../core/errors.ts'
import { type Address, isNative, sameAddress, type Token, zeroAddress } from '../../core/token.ts'
import type { ServiceMarket } from '../market.ts'
import { QuoteRefused } from '../refusal/errors.ts'
import { type Query, readChain } from './readChain.ts'

/**
 * The request, checked. `sell` and `buy` are as requested, `path` is what the orders carry: the wrapped form of the
 * native currency.
 */
export type QuoteRequest = {
  readonly sell: Token
  readonly buy: Token
  readonly path: { readonly sell: Token; readonly buy: Token }
  readonly amountIn: bigint
  readonly from: Address
  readonly to: Address
  readonly expirySeconds: number
  readonly slippage: Slippage
  /**
   * Who shares a maker's stock with others: the API key, or the network where none is needed, and the taker within it. A
   * `from_address` is anybody's to name, so what others name counts against them.
   */
  readonly callers: readonly string[]
}

/** Percent scaled by {@link slippageScale}. */
export type Slippage = bigint
export const slippageScale = 18

/** Reads the parameters both quotes share. The rules for what the specification leaves open are the reference's (api.md section 7). */
export function readQuoteRequest(
  market: ServiceMarket,
  { query, caller }: { readonly query: Query; readonly caller: string },
): QuoteRequest {
  readChain(market, query)
  const sell = readToken(market, query, 'token_in')
  const buy = readToken(market, query, 'token_out')
  const wrap = (token: Token) => (isNative(token) ? market.wrapped : token)
  const path = { sell: wrap(sell), buy: wrap(buy) }
  if (sameAddress(sell.address, buy.address))
    throw new QuoteRefused('INVALID_PARAMETER', 'token_in and token_out are the same token.')
  // One for one at the wrapping token itself: a maker's order in between would only cost gas.
  if (sameAddress(path.sell.address, path.buy.address))
    throw new QuoteRefused(
      'WRAP_UNSUPPORTED',
      `token_in and token_out are ${market.native.symbol} and its wrapped form: wrap or unwrap it at ${market.wrapped.address}, one for one.`,
    )
  const { from, to } = readParties(market, query)
  return {
    sell,
    buy,
    path,
    amountIn: readAmount(query, sell),
    from,
    to,
    expirySeconds: readExpiry(market, query),
    slippage: readSlippage(query),
    callers: [caller, `taker ${from.toLowerCase()} of ${caller}`],
  }
}

function readToken(
  { native, tokens }: ServiceMarket,
  query: Query,
  name: 'token_in' | 'token_out',
): Token {
  const text = required(query, name)
  // As this service spells it: nothing is left to examine.
  const asListed = tokens.find(({ address }) => address === text)
  if (asListed !== undefined) return asListed
  // The sentinel in any case: its usual spelling carries a checksum that many clients lose.
  if (isNative({ address: text }) || text === zeroAddress || text === '0x0') return native
  const address = readAddress(name, text)
  const token = tokens.find((known) => sameAddress(known.address, address))
  if (token === undefined)
    throw new QuoteRefused('TOKEN_UNKNOWN', `token not available: ${name} is not traded here.`)
  return token
}

function readParties(
  { router, executor }: ServiceMarket,
  query: Query,
): { from: Address; to: Address } {
  const aliases = [query.from_address, query.address].filter((text) => text)
  const [first, second] = aliases
  if (first === undefined) throw missing('from_address')
  if (second !== undefined && !sameAddress(first, second))
    throw new QuoteRefused('INVALID_PARAMETER', 'address contradicts from_address.')
  const from = readAddress('from_address', first)
  const to = query.to_address ? readAddress('to_address', query.to_address) : from
  for (const [name, party] of Object.entries({ from_address: from, to_address: to }))
    if ([zeroAddress, router, executor].some((refused) => sameAddress(refused, party)))
      throw new QuoteRefused(
        'INVALID_PARAMETER',
        `${name} is the zero address or one of the router's own contracts, so it cannot trade.`,
      )
  return { from, to }
}

/** Exactly one of `amount` (token units) and `amount_wei`. Both are refused even when they agree. */
function readAmount({ amount, amount_wei }: Query, sell: Token): bigint {
  const hasAmount = amount !== undefined && amount !== ''
  const hasWei = amount_wei !== undefined && amount_wei !== ''
  if (hasAmount === hasWei)
    throw new QuoteRefused(
      'INVALID_PARAMETER',
      hasAmount ? 'Send amount or amount_wei, not both.' : 'amount or amount_wei is required.',
    )
  const name = hasAmount ? 'amount' : 'amount_wei'
  const wei = hasAmount ? readDecimal(name, amount, sell.decimals) : readWei(amount_wei ?? '')
  if (wei === 0n) throw new QuoteRefused('INVALID_PARAMETER', `${name} must be above zero.`)
  if (wei >= 2n ** 128n)
    throw new QuoteRefused('INVALID_PARAMETER', `${name} is larger than any token supply.`)
  return wei
}

/** A duration in seconds; 0 is "the default", as in the published API. */
function readExpiry({ expiry }: ServiceMarket, { expiry_time: text }: Query): number {
  if (text === undefined || text === '') return expiry.defaultSeconds
  if (!/^(?:0|[1-9]\d{0,15})$/.test(text))
    throw new QuoteRefused('UNREADABLE_PARAMETER', 'expiry_time is not a whole number of seconds.')
  const seconds = Number(text)
  if (seconds > expiry.maxSeconds)
    throw new QuoteRefused(
      'EXPIRY_TOO_LONG',
      `expire time exceeds global limit ${expiry.maxSeconds}s: expiry_time is a duration in seconds.`,
    )
  return seconds === 0 ? expiry.defaultSeconds : seconds
}

function readSlippage({ slippage: text }: Query): Slippage {
  if (text === undefined || text === '') return 0n
  const percent = readDecimal('slippage', text, slippageScale)
  if (percent >= 50n * 10n ** BigInt(slippageScale))
    throw new QuoteRefused('INVALID_PARAMETER', 'slippage is in percent and below 50.')
  return percent
}

function readWei(text: string): bigint {
  if (/^\d+(?:\.\d+)$/.test(text))
    throw new QuoteRefused('UNREADABLE_PARAMETER', 'amount_wei must be a whole number.')
  return readDecimal('amount_wei', text, 0)
}

function readDecimal(name: string, text: string, scale: number): bigint {
  try {
    return parseDecimal(text, scale)
  } catch (cause) {
    if (!(cause instanceof BallastError)) throw cause
    // JavaScript writes small and large numbers so, and a client may not know it.
    const hint = /^[\d.]+[eE][-+ ]?\d+$/.test(text)
      ? ' Write it without an exponent: 0.0000001 for 1e-7.'
      : ''
    throw new QuoteRefused('UNREADABLE_PARAMETER', `${name}: ${cause.summary}${hint}`)
  }
}

function readAddress(name: string, text: string): Address {
  const parsed = addressField.safeParse(text)
  if (!parsed.success)
    throw new QuoteRefused(
      'UNREADABLE_PARAMETER',
      `${name} ${parsed.error.issues[0]?.message ?? 'is not an address'}.`,
    )
  return parsed.data
}

function required(query: Query, name: string): string {
  const text = query[name]
  if (text === undefined || text === '') throw missing(name)
  return text
}

function missing(name: string): QuoteRefused {
  return new QuoteRefused('INVALID_PARAMETER', `${name} is required.`)
}
