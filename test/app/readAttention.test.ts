import { expect, test } from 'vitest'
import { createFirstSights } from '../../src/app/reading/readAttention.ts'

test('first sights: an item keeps its first instant until it is gone', () => {
  const dated = createFirstSights()
  const low = {
    kind: 'gas',
    code: 'GAS_LOW',
    subject: 'ETH',
    severity: 'warning',
    sentence: '',
    next: '',
  } as const
  const full = { ...low, kind: 'disk', code: 'DISK_LOW', subject: '/data' } as const
  const since = (...items: Parameters<typeof dated>[0]) => dated(items).map((one) => one.since)
  expect(since({ ...low, since: 10 })).toEqual([10])
  expect(since({ ...full, since: 20 }, { ...low, since: 20 })).toEqual([20, 10])
  expect(since({ ...full, since: 30 })).toEqual([20])
  expect(since({ ...low, since: 40 }, { ...full, since: 40 })).toEqual([40, 20])
})
