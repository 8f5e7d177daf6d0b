import { describe, expect, test } from 'vitest'
import type { QuoteEvidence, SwapRecord } from '../../../src/bot/record.ts'
import { parityOf } from '../../../src/bot/report/createParityTally.ts'

const settled = {
  state: 'SETTLED',
  txHash: '0x1',
  sold: { token: 'WETH', wei: '1000', text: '' },
  received: { token: 'USDC', wei: '2999', text: '' },
  gasUsed: '180000',
} as unknown as SwapRecord
const evidence = {
  simulation: { spent: { wei: '1000' }, received: { wei: '3000' }, gas: '200000' },
} as unknown as QuoteEvidence

describe('parityOf', () => {
  test('what was predicted, what came, and by how much they differ', () => {
    expect(parityOf(settled, evidence)).toEqual({
      sold: { predicted: 1_000n, realised: 1_000n, differenceBps: 0 },
      received: { predicted: 3_000n, realised: 2_999n, differenceBps: -3.33 },
      gasUsed: { predicted: 200_000n, realised: 180_000n, differenceBps: -1_000 },
    })
  })

  test.each<[string, Partial<SwapRecord>, QuoteEvidence | undefined]>([
    ['one that did not settle', { state: 'REVERTED' }, evidence],
    ['one on paper, where the prediction is the fill', { txHash: null }, evidence],
    ['one without evidence', {}, undefined],
  ])('%s has none', (_name, changes, known) => {
    expect(parityOf({ ...settled, ...changes }, known)).toBe(undefined)
  })
})
