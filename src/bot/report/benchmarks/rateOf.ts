import type { Price } from '../../../core/price.ts'

/** Digits behind the point that are kept: enough for a double of any rate between two tokens. */
const digits = 40

/** What one whole unit of the sold token brings in whole units of the bought one, as the nearest double: for reports, never for a decision. */
export function rateOf({ sold, bought }: Price): number {
  if (sold.wei === 0n) return Number.NaN
  const numerator = bought.wei * 10n ** BigInt(sold.token.decimals + digits)
  return Number(`${numerator / (sold.wei * 10n ** BigInt(bought.token.decimals))}e-${digits}`)
}
