import { expect, test } from 'vitest'
import { createSilence } from '../../../src/bot/reference/createSilence.ts'
import type { Reference, ReferenceAnswer } from '../../../src/bot/reference/reference.ts'

const usd = { chainId: 1, address: '0x01', symbol: 'USD', decimals: 8 } as const
const weth = { chainId: 1, address: '0x02', symbol: 'WETH', decimals: 18 } as const
const feed: Reference = {
  ...{ kind: 'feed', pair: [weth, usd], address: '0xfe', ageMsMax: 3_600_000 },
}
const source = 'feed WETH/USD 0xfe'
const price = { sold: { token: weth, wei: 1n }, bought: { token: usd, wei: 1n } }
const [minute, hour] = [60_000, 3_600_000]

function reading() {
  const { note, silent } = createSilence()
  return (at: number, told: ReferenceAnswer) => {
    note([{ reference: feed, told }], at)
    return silent()
  }
}

test('from the first reading without a price to the last, and not over an hour without readings', () => {
  const read = reading()
  expect(read(0, { reason: 'old' })).toEqual([{ source, reason: 'old', since: 0, until: 0 }])
  expect(read(hour, { reason: 'older' })).toEqual([
    { source, reason: 'older', since: 0, until: hour },
  ])
  const later = 2 * hour + 1
  expect(read(later, { reason: 'old' })).toEqual([
    { source, reason: 'old', since: later, until: later },
  ])
})

test('a price ends it, also that of a later reading which was answered sooner', () => {
  const read = reading()
  read(0, { reason: 'old' })
  expect(read(2 * minute, { price, at: 0 })).toEqual([])
  expect(read(minute, { reason: 'slow' })).toEqual([])
  expect(read(3 * minute, { reason: 'old' })).toMatchObject([{ since: 3 * minute }])
})
