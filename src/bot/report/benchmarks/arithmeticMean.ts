/** What somebody gets on average who sells the same at every one of these prices. In doubles; undefined of nothing. */
export function arithmeticMean(prices: readonly number[]): number | undefined {
  if (prices.length === 0) return undefined
  return prices.reduce((sum, price) => sum + price, 0) / prices.length
}
