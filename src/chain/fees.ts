/** What a block and a node say about the price of gas, wei per gas. */
type Market = { readonly baseFeePerGas: bigint; readonly priorityFee: bigint }

/**
 * The fee fields of a transaction that is to be mined soon: room for the base fee to double, and a ninth below the
 * ceiling, so that its replacement, an eighth dearer, still fits under it.
 *
 * A ceiling below today's price is the caller's to refuse; here it only caps.
 */
export function feesFor(
  { baseFeePerGas, priorityFee }: Market,
  ceiling: bigint,
): { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint } {
  const wanted = baseFeePerGas * 2n + priorityFee
  const most = (ceiling * 8n) / 9n
  const maxFeePerGas = wanted < most ? wanted : most
  return {
    maxFeePerGas,
    maxPriorityFeePerGas: priorityFee < maxFeePerGas ? priorityFee : maxFeePerGas,
  }
}
