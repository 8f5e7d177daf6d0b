import { expect, test } from 'vitest'
import { printHtml } from '../../src/core/html.ts'
import { showRate } from '../../src/core/showRate.ts'
import { priceChart } from '../../src/dashboard/charts.ts'
import { formatReport } from '../../src/story/report/formatReport.ts'

test.each([
  [0, '0'],
  [3_000.5, '3000.5'],
  [2_999.123_456_7, '2999.123'],
  [123_456.75, '123456.8'],
  [250_000_000, '250000000'],
  [0.000_333_333_333_3, '0.0003333333'],
  [1.2e-10, '0.00000000012'],
  [1.234_567_89e-10, '0.0000000001234568'],
  [1e21, '1000000000000000000000'],
])('%d is %s', (rate, text) => {
  expect(showRate(rate)).toBe(text)
})

const exponent = /\de[+-]?\d/

test.each([
  [2.5e8, '250000000'],
  [1.2e-10, '0.00000000012'],
])('a chart writes %d as %s', (rate, text) => {
  const at = '2026-05-04T12:00:00.000Z'
  const chart = priceChart({
    ...{ sell: 'A', buy: 'B', references: [], bounds: [{ name: 'floor', rate: rate / 2 }] },
    points: [{ at, rate }],
    marks: [{ at, rate, kind: 'fill' }],
  })
  if (chart === undefined) throw new Error('there is a point')
  const page = printHtml(chart)
  expect(page).toContain(text)
  expect(page).not.toMatch(exponent)
})

test('a report writes prices of any size without an exponent', () => {
  const timing = { quoteAgeMs: null, inclusionMs: null, inclusionBlocks: null, leftSeconds: null }
  const report = {
    ...{ execution: [], quality: [], opportunity: [], venues: [], makers: [], unplanned: [] },
    ...{ slots: { counts: [], notDone: [] }, parity: { swaps: 0 }, gasForNothingWei: '0' },
    ...{ rates: { shares: {}, stopped: [] }, timing },
    newest: [
      {
        ...{ id: 'a-swap', at: '2026-05-04T12:00:00.000Z', sold: null, bps: null, markouts: [] },
        ...{ benchmark: 'independent sources', benchmarkAgeMs: null },
        prices: { decision: '0.000000000123456789 B per A', realised: '250000000 B per A' },
      },
    ],
    schedules: [
      {
        ...{ strategy: 's', side: 'buy', price: 'A per B', fills: 2, fixedAmount: true },
        ...{ withMid: 2, averagePrice: 1.234_567e-10, scheduledMid: 1.2e-10 },
        ...{ executionSkillBps: -1, timeWeightedMid: 3e22, timingLuckBps: 1, firstMid: null },
      },
    ],
  }
  const text = formatReport(report as never, { currency: 'ETH' })
  expect(text).toContain('paid 0.0000000001234567')
  expect(text).toContain('0.0000000001234568')
  expect(text).toContain('30000000000000000000000')
  expect(text).not.toMatch(exponent)
})
