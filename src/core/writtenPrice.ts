import { tokenOf } from './amount.ts'
import { isTwofold, parseDecimal, twofoldText } from './decimal.ts'
import { asWritten } from './display.ts'
import { invalidConfig } from './invalidConfig.ts'
import type { Price } from './price.ts'
import { sameToken, type Token } from './token.ts'

/**
 * A price as it is written, before it is known what is sold: `2950 USDC` for each one sold, or `2950 USDC per WETH`.
 * `units` of 10^-`scale`; more decimals than the token has are kept, so a price never rounds.
 */
export type WrittenPrice = {
  readonly units: bigint
  readonly scale: number
  readonly token: Token
  readonly per: Token | undefined
}

/** A price has fewer; a longer one is a slip of the keyboard. */
const decimalsMax = 36

/** Reads the text of a price with the tokens known by symbol. */
export function readPrice(text: string, bySymbol: ReadonlyMap<string, Token>): WrittenPrice {
  const match = /^(\d+(?:\.(\d+))?) ([^\s\d]\S*)(?: per ([^\s\d]\S*))?$/.exec(text)
  if (match === null)
    throw invalidConfig([
      `${asWritten(text)} is not a price: write what one unit brings, such as '2950 USDC' or '2950 USDC per WETH'.`,
    ])
  const [, decimal = '', fraction = '', symbol = '', perSymbol] = match
  if (isTwofold(decimal)) throw invalidConfig([twofoldText(decimal, text.slice(decimal.length))])
  if (fraction.length > decimalsMax)
    throw invalidConfig([`${asWritten(text)} has more than ${decimalsMax} decimals.`])
  const token = tokenOf(symbol, bySymbol)
  const per = perSymbol === undefined ? undefined : tokenOf(perSymbol, bySymbol)
  const scale = Math.max(fraction.length, token.decimals)
  const units = parseDecimal(decimal, scale)
  if (units === 0n) throw invalidConfig(['a price of zero would sell for nothing.'])
  return { units, scale, token, per }
}

/** The price of selling `sold` for `bought`; undefined when the written one is of other tokens. */
export function priceOf(
  { units, scale, token, per }: WrittenPrice,
  { sold, bought }: { readonly sold: Token; readonly bought: Token },
): Price | undefined {
  // Decimals beyond the token's own are carried by the other side, so that nothing is cut.
  const one = (of: Token) => 10n ** BigInt(of.decimals + scale - token.decimals)
  if (sameToken(token, bought) && (per === undefined || sameToken(per, sold)))
    return { sold: { token: sold, wei: one(sold) }, bought: { token: bought, wei: units } }
  if (per !== undefined && sameToken(token, sold) && sameToken(per, bought))
    return { sold: { token: sold, wei: units }, bought: { token: bought, wei: one(bought) } }
  return undefined
}
