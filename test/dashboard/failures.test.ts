import { expect, test } from 'vitest'
import { addressesMax, createFailures } from '../../src/dashboard/createAccess.ts'

test('wrong tokens are counted for a bounded number of addresses, and for a minute', () => {
  let now = 0
  const failures = createFailures({ now: () => now })
  for (let one = 0; one < addressesMax + 5; one += 1) failures.add(`address ${one}`)
  failures.add('address 0')
  expect([failures.of('address 0'), failures.size()]).toEqual([2, addressesMax])
  now = 60_000
  expect([failures.of('address 0'), failures.size()]).toEqual([0, 0])
})
