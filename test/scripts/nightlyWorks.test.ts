import { expect, test } from 'vitest'
import { heedsSeed, heedsShort, nightlyWorks } from '../../scripts/nightlyWorks.ts'
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

test('only what is called with the seed of the night is noted with it', () => {
  expect(heedsSeed(work('fleet'))).toBe(true)
  expect(heedsSeed(work('simulator'))).toBe(true)
  expect(heedsSeed(work('fuzz'))).toBe(false)
})

test('counts are read off what a program ends with, and a missing one is an error', () => {
  const { figures } = work('fleet')
  const ended = { workers: 4, chains: 2, wallets: 20, settled: 7, struck: { kill: 2, stop: 1 } }
  expect(figures(`{"settled":0}\n${JSON.stringify({ ...ended, wrong: ['x'] }, null, 2)}`)).toEqual({
    ...ended,
    struck: 3,
    wrong: 1,
  })
  expect(figures('a stack trace')).toEqual({})
  expect(() => figures(JSON.stringify(ended, null, 2))).toThrow('the program ends without wrong')
})
