/** An arbitrageur's sale into a pool, and what it takes out. */
export type ArbitrageTrade = {
  readonly sells: 0 | 1
  readonly sellWei: bigint
  readonly buyWei: bigint
}

const feeLeft = 0.997

/** Below a basis point of the pool the trade earns less than any trader's gas. */
const shareMin = 0.0001

/**
 * The trade after which a Uniswap v2 pool's price, fee included, is the given one; none while the fee is more than the
 * difference. `price` is smallest units of token1 per smallest unit of token0.
 *
 * Doubles: the distance a pool is moved is no real money. The amount taken out is the pair's own integer formula.
 */
export function tradeToPrice({
  reserve0,
  reserve1,
  price,
}: {
  reserve0: bigint
  reserve1: bigint
  price: number
}): ArbitrageTrade | undefined {
  const sell0 = inputFor(Number(reserve0), Number(reserve1), price)
  if (sell0 > Number(reserve0) * shareMin)
    return tradeOf(0, sell0, { sold: reserve0, bought: reserve1 })
  const sell1 = inputFor(Number(reserve1), Number(reserve0), 1 / price)
  if (sell1 > Number(reserve1) * shareMin)
    return tradeOf(1, sell1, { sold: reserve1, bought: reserve0 })
  return undefined
}

/** Where the marginal price g·x·y / (x + g·a)² meets the price. Negative: it is below already. */
function inputFor(sold: number, bought: number, price: number): number {
  return (Math.sqrt((feeLeft * sold * bought) / price) - sold) / feeLeft
}

function tradeOf(
  sells: 0 | 1,
  amount: number,
  { sold, bought }: { sold: bigint; bought: bigint },
): ArbitrageTrade | undefined {
  const sellWei = BigInt(Math.floor(amount))
  const input = sellWei * 997n
  const buyWei = (input * bought) / (sold * 1000n + input)
  return buyWei === 0n ? undefined : { sells, sellWei, buyWei }
}
