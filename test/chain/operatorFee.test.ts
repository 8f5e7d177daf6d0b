import { expect, test } from 'vitest'
import { getReceipt } from '../../src/chain/calls/getReceipt.ts'

const hash = `0x${'a'.repeat(64)}` as const
const receipt = {
  ...{ transactionHash: hash, status: '0x1', blockNumber: '0x1', blockHash: hash, logs: [] },
  ...{ gasUsed: '0x30d40', effectiveGasPrice: '0x2' },
}
// 200,000 gas at 2 wei.
const gas = 400_000n
const operators = { operatorFeeScalar: '0x7', operatorFeeConstant: '0x64' }

test.for([
  ['a chain that takes gas alone', {}, 0n],
  ['before Isthmus', { l1Fee: '0x3e8' }, 1_000n],
  ['since Isthmus: a millionth for each gas', { l1Fee: '0x3e8', ...operators }, 1_000n + 1n + 100n],
  [
    'since Jovian: a hundred for each gas',
    { l1Fee: '0x3e8', ...operators, daFootprintGasScalar: '0x190' },
    1_000n + 140_000_000n + 100n,
  ],
] as const)('what was paid for being mined: %s', ([, fields, onTop]) => {
  expect(getReceipt(hash).parse({ ...receipt, ...fields })?.gasPaid).toBe(gas + onTop)
})
