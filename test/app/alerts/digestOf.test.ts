import { expect, test } from 'vitest'
import { digestOf } from '../../../src/app/alerts/digestOf.ts'

test('the digest has the gas to the wei, where a double would round it', async () => {
  const gasPaidWei = 12_345_678_901_234_567_891n
  const countBooks = async () => ({ swaps: new Map(), slots: new Map(), writtenOff: 0, gasPaidWei })
  const { sentence } = await digestOf({
    ...{ journal: { countBooks }, items: [], date: '2026-11-22' },
    ...{ currency: 'ETH', now: Date.UTC(2026, 10, 22) },
  })
  expect(sentence).toContain('Gas: 12.345678901234567891 ETH.')
})
