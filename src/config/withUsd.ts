import { type Token, usdOf } from '../core/token.ts'
import type { Tokens } from './config.ts'

/** What may be named where something is priced: the tokens and the US dollar. */
export function withUsd({ bySymbol, native }: Tokens): ReadonlyMap<string, Token> {
  const usd = usdOf(native.chainId)
  return new Map([...bySymbol, [usd.symbol, usd]])
}
