import { expect, test } from 'vitest'
import { nearest } from '../../src/core/nearest.ts'

const known = ['chains', 'config', 'quote', 'swap', 'WETH']

test.for([
  ['chain', 'chains'],
  ['chians', 'chains'],
  ['qoute', 'quote'],
  ['CONFIG', 'config'],
  ['weth', 'WETH'],
  ['swp', 'swap'],
  ['everything', undefined],
  ['', undefined],
  ['x'.repeat(1_000), undefined],
] as const)('nearest: %s', ([word, meant]) => {
  expect(nearest(word, known)).toBe(meant)
})
