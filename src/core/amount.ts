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

/**
 * The middle of several amounts of one token; undefined of none. Of two middles the larger one: as a limit it counts
 * a swap for more, as a floor it asks for more.
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
