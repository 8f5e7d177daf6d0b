import type { World } from './world.ts'

/**
 * What one of each token is worth in US dollars when a world starts. A token the world does not price is left out.
 *
 * Where prices move, they say it. Elsewhere a pool carries the worth of one of its tokens to the other, from the tokens
 * that are dollars by definition. In doubles: where a sandbox starts is nobody's money.
 */
export function dollarsOf(world: World): ReadonlyMap<string, number> {
  const { prices, tokens, pools } = world
  if (prices !== undefined)
    return new Map(
      Object.keys(tokens).map((symbol) => [symbol, Number(prices.model[symbol]?.start ?? 1)]),
    )
  const worth = new Map(
    Object.entries(tokens).flatMap(([symbol, { isDollar }]) => (isDollar ? [[symbol, 1]] : [])),
  )
  // Each round carries prices one pool further.
  for (const _ of pools)
    for (const pool of pools) {
      if (pool.kind !== 'uniswap-v2') continue
      const [a, b] = pool.tokens
      const [reserveA, reserveB] = pool.reserves.map(Number) as [number, number]
      const [worthA, worthB] = [worth.get(a), worth.get(b)]
      if (worthA === undefined && worthB !== undefined) worth.set(a, (worthB * reserveB) / reserveA)
      if (worthB === undefined && worthA !== undefined) worth.set(b, (worthA * reserveA) / reserveB)
    }
  return worth
}
