import { expect, test } from 'vitest'
import { heedsShort, nightlyWorks } from '../../scripts/nightlyWorks.ts'
import { deathsOfDay } from '../day/deathsOfDay.ts'

const work = (name: string) => {
  const found = nightlyWorks.find((each) => each.name === name)
  if (found === undefined) throw new Error(`no work is called ${name}`)
  return found
}

test.each([true, false])('the deaths of a night’s day fit into it, short: %s', (short) => {
  const hours = Number(work('day').args({ seed: '1', short })[1])
  expect(deathsOfDay(hours)).toHaveLength(3)
})

test('a day that ends, or dies again, before its longest death is over is refused', () => {
  for (const hours of [3, 10, Number.NaN])
    expect(() => deathsOfDay(hours)).toThrow('give --hours more than 10')
  expect(deathsOfDay(11)).toHaveLength(3)
})

test('only what can be cut is marked as short', () => {
  expect(heedsShort(work('day'))).toBe(true)
  expect(heedsShort(work('simulator'))).toBe(true)
  expect(heedsShort(work('routes'))).toBe(false)
})
