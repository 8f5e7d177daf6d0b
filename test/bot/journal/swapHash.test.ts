import { expect, test } from 'vitest'
import { swapHash } from '../../../src/bot/journal/swaps/swapHash.ts'

test('of bids that outbid each other the mined one, the newest while none is, and none on paper', () => {
  const bids = ['0x1', '0x2', '0x3'].map((hash, index) => ({
    kind: index === 0 ? 'APPROVE' : 'SWAP',
    hash,
  }))
  expect(swapHash(bids, '0x2')).toBe('0x2')
  expect(swapHash(bids, undefined)).toBe('0x3')
  expect(swapHash([], '0x2')).toBeUndefined()
  // The cancellation has the nonce; an approval has another.
  expect(swapHash([...bids, { kind: 'CANCEL', hash: '0x4' }], '0x4')).toBe('0x4')
  expect(swapHash(bids, '0x1')).toBe('0x3')
})
