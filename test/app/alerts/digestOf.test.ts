import { expect, test } from 'vitest'
import { digestOf } from '../../../src/app/alerts/digestOf.ts'

const source = { chainId: 1, wallet: '0xaa' }

test('the digest has the gas to the wei, where a double would round it', async () => {
  const gasPaidWei = 12_345_678_901_234_567_891n
  const countBooks = async () => ({ swaps: new Map(), slots: new Map(), writtenOff: 0, gasPaidWei })
  const { sentence } = await digestOf({
    ...{ journal: { countBooks }, source, items: [], date: '2026-11-22' },
    ...{ currency: 'ETH', now: Date.UTC(2026, 10, 22) },
  })
  expect(sentence).toContain('Gas: 12.345678901234567891 ETH.')
})

test('the digest names what each code is about, and what a person wrote off', async () => {
  const item = (code: string, subject: string) => ({
    ...{ kind: 'wish', code, subject, severity: 'warning' as const },
    ...{ since: '', sentence: '', next: '' },
  })
  const books = {
    swaps: new Map([['SETTLED', 2]]),
    slots: new Map(),
    writtenOff: 1,
    gasPaidWei: 0n,
  }
  const { sentence } = await digestOf({
    journal: { countBooks: async () => books },
    source,
    items: [...['a', 'b', 'c', 'd'].map((one) => item('SWAP_UNDONE', one)), item('GAS_LOW', 'ETH')],
    ...{ date: '2026-11-22', currency: 'ETH', now: Date.UTC(2026, 10, 22) },
  })
  expect(sentence).toContain('2 SETTLED. Written off by a person, of these: 1.')
  expect(sentence).toContain(
    'Needs attention now: SWAP_UNDONE (a, b, c and 1 more), GAS_LOW (ETH).',
  )
})
