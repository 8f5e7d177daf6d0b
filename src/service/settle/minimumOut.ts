import { type Slippage, slippageScale } from '../request/readQuoteRequest.ts'

/** `amountOut × (1 − slippage)`, rounded up: the recipient never gets less than the tolerance allows. */
export function minimumOut(amountOut: bigint, slippage: Slippage): bigint {
  const whole = 100n * 10n ** BigInt(slippageScale)
  return (amountOut * (whole - slippage) + whole - 1n) / whole
}
