/**
 * What somebody pays on average who spends the same at every one of these prices: never more than the arithmetic mean.
 * In doubles, for reports; undefined of nothing and where a price is not above zero.
 */
export function harmonicMean(prices: readonly number[]): number | undefined {
  if (prices.length === 0 || prices.some((price) => !(price > 0))) return undefined
  return prices.length / prices.reduce((sum, price) => sum + 1 / price, 0)
}
