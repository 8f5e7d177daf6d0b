import type { Transaction } from '../../../src/bot/stages.ts'

/** A transaction with a different, non-zero value in every field. */
export const aTransaction: Transaction = {
  to: '0x00000000000000000000000000000000000000b1',
  data: '0x1234',
  value: 5n,
  gas: 100_000n,
  maxFeePerGas: 20n,
  maxPriorityFeePerGas: 1n,
  chainId: 31_337,
  nonce: 7,
}
