/** What a block and a node say about the price of gas, wei per gas. */
type Market = { readonly baseFeePerGas: bigint; readonly priorityFee: bigint }

/**
 * The fee fields of a transaction that is to be mined soon: room for the base fee to double, never above the ceiling.
 *
 * A ceiling below today's price is the caller's to refuse; here it only caps.
 */
export function feesFor(
  { baseFeePerGas, priorityFee }: Market,
  ceiling: bigint,
): { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint } {
  const wanted = baseFeePerGas * 2n + priorityFee
  const maxFeePerGas = wanted < ceiling ? wanted : ceiling
  return {
    maxFeePerGas,
    maxPriorityFeePerGas: priorityFee < maxFeePerGas ? priorityFee : maxFeePerGas,
  }
}
