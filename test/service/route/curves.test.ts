import { expect, test } from 'vitest'
import { mergeCurves } from '../../../src/service/route/curves.ts'

test('sources sold into together: the better price first, each piece until all that is sold by then', () => {
  const flat = (size: number, price: number) => [{ until: BigInt(size), size, price, curvature: 0 }]
  const merged = mergeCurves([flat(10, 0.25), flat(6, 1)])
  expect(merged.map(({ until, size }) => [until, size])).toEqual([
    [6n, 6],
    [16n, 10],
  ])
  expect(merged.map(({ price }) => price)).toEqual([expect.closeTo(1), expect.closeTo(0.25)])
})
