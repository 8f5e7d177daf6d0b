import { formatDecimal, parseDecimal } from './decimal.ts'
import type { Token } from './token.ts'

/** An exact quantity of one token, in its smallest unit. */
export type Amount = { readonly token: Token; readonly wei: bigint }

/** An amount as it leaves the process: exact integer and readable text. */
export type AmountText = { readonly token: string; readonly wei: string; readonly text: string }

/** Reads a decimal such as `'250.5'`; refuses digits the token cannot hold. */
export function amountOf(token: Token, decimal: string): Amount {
  return { token, wei: parseDecimal(decimal, token.decimals) }
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
