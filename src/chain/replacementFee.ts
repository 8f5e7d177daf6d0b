/** A fee that replaces this one in every mempool: an eighth more and at least one; clients ask for a tenth, on both fields. */
export function replacementFee(fee: bigint): bigint {
  const eighthMore = (fee * 9n + 7n) / 8n
  return eighthMore > fee ? eighthMore : fee + 1n
}
