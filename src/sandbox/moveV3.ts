/** Which token an arbitrageur sells into a v3 pool, and the price at which it stops. */
export type MoveV3 = { readonly sells: 0 | 1; readonly sqrtPriceLimitX96: bigint }

/** Below a basis point the trade earns less than anybody's gas. */
const moveMin = 0.0001

/**
 * Brings a v3 pool to the edge of the band its fee leaves around a price; nothing while it is inside.
 * `price` is smallest units of token1 per smallest unit of token0. Doubles: how far the pool is moved is nobody's money.
 */
export function moveV3({
  sqrtPriceX96,
  fee,
  price,
}: {
  sqrtPriceX96: bigint
  fee: number
  price: number
}): MoveV3 | undefined {
  const kept = 1 - fee / 1_000_000
  const now = (Number(sqrtPriceX96) / 2 ** 96) ** 2
  const limit = (edge: number) => BigInt(Math.floor(Math.sqrt(edge) * 2 ** 96))
  if (now * kept > price * (1 + moveMin))
    return { sells: 0, sqrtPriceLimitX96: limit(price / kept) }
  if (now * (1 + moveMin) < price * kept)
    return { sells: 1, sqrtPriceLimitX96: limit(price * kept) }
  return undefined
}
