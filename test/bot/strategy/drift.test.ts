import { expect, test } from 'vitest'
import { drift } from '../../../src/bot/strategy/drift.ts'

/** The band around a target, in hundred-millionths of the whole: 1 % is a million. */

type Params = Parameters<typeof drift.band>[1]
const percent = 1_000_000n

test.each<[string, Params, bigint]>([
  ['the default', {}, 5n * percent],
  ['what is given', { trigger: 300 }, 3n * percent],
  ['the narrower of both', { trigger: 300, relative: 500 }, 2n * percent],
  ['none of a calendar alone', { cron: '0 9 * * 1' }, 0n],
  ['of a calendar what is given', { cron: '0 9 * * 1', trigger: 300 }, 3n * percent],
])('the band of a target of 40 %%: %s', (_, params, band) => {
  expect(drift.band(4_000, params)).toMatchObject({ share: 40n * percent, band, edge: band / 2n })
})

test('a weight is left where it is wanted, and never outside of the band', () => {
  expect(drift.band(4_000, { trigger: 300, destination: 100 }).edge).toBe(percent)
  expect(drift.band(4_000, { trigger: 300, destination: 400 }).edge).toBe(3n * percent)
})
