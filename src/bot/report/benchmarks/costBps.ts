/** Which way the base of a pair went. Prices are quote per base. */
export type Side = 'buy' | 'sell'

/** How much worse a price is than what it is compared with, in basis points of that; negative is better. In doubles. */
export function costBps(
  side: Side,
  { price, benchmark }: { readonly price: number; readonly benchmark: number },
): number {
  return 1e4 * (side === 'buy' ? price / benchmark - 1 : 1 - price / benchmark)
}
