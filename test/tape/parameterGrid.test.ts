import { expect, test } from 'vitest'
import { parameterGrid } from '../../src/tape/parameterGrid.ts'

test('every value with every other', () => {
  expect(parameterGrid('a.price=1 USDC,2 USDC; b.every=1m').length).toBe(2)
  expect(
    parameterGrid('a.price=1 USDC,2 USDC;b.cron=0 9 * * *').map((row) =>
      row.map(({ strategy, key, value }) => `${strategy}.${key}=${value}`),
    ),
  ).toEqual([
    ['a.price=1 USDC', 'b.cron=0 9 * * *'],
    ['a.price=2 USDC', 'b.cron=0 9 * * *'],
  ])
})

test('what is no grid is refused, and one that would look for luck', () => {
  for (const text of ['', 'a', 'a.price', 'a.price=', 'a.price=1,', 'a.p=1;a.p=2'])
    expect(() => parameterGrid(text)).toThrow(expect.objectContaining({ code: 'USAGE' }))
  const many = Array.from({ length: 15 }, (_, index) => index).join(',')
  expect(() => parameterGrid(`a.x=${many};a.y=${many}`)).toThrow(/225 combinations/)
})
