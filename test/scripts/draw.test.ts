import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { leftOut, seedOf, stories, suites } from '../support/draw.ts'

const names = ['a', 'b', 'c', 'd', 'e']

test('a draw leaves out the smaller half, and the same one for the same seed', () => {
  expect(leftOut(names, '7').size).toBe(2)
  expect(leftOut([...names].reverse(), '7')).toEqual(leftOut(names, '7'))
  expect(leftOut(['alone'], '7').size).toBe(0)
})

test('other seeds leave out others: in time every one is run', () => {
  const draws = Array.from({ length: 40 }, (_, seed) => leftOut(names, String(seed)))
  for (const name of names) {
    expect(draws.some((draw) => draw.has(name))).toBe(true)
    expect(draws.some((draw) => !draw.has(name))).toBe(true)
  }
})

test('a seed is taken as it is; without one it is another each time', () => {
  expect(seedOf('7')).toBe('7')
  expect(seedOf('')).toMatch(/^\d+$/)
  expect(seedOf(undefined)).not.toBe(seedOf(undefined))
})

test('each listed file is there, and listed once', () => {
  const files = new Set(globSync('test/**/*.test.ts'))
  const listed = [...suites, ...stories]
  expect(listed.filter((file) => !files.has(file))).toEqual([])
  expect(new Set(listed).size).toBe(listed.length)
})
