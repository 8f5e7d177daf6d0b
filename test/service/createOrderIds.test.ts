import { expect, test } from 'vitest'
import { createOrderIds } from '../../src/service/createOrderIds.ts'

/** The numbers of orders: once each, of every service that shares a maker. */

const second = 1_800_000_000
let now = second * 1_000
const clock = { now: () => now, sleep: async () => {} }

test('those of one second lie together, and none comes twice', () => {
  const next = createOrderIds(clock)
  now = second * 1_000
  const [first = 0n, ...others] = Array.from({ length: 300 }, next)
  expect(first / 10_000n).toBe(BigInt(second))
  expect(others).toEqual(others.map((_, at) => first + BigInt(at) + 1n))
  now += 1_000
  const later = next()
  expect(later / 10_000n).toBe(BigInt(second + 1))
  // By a clock that was set back they go on.
  now -= 60_000
  expect(next()).toBe(later + 1n)
  expect(Number.isSafeInteger(Number(later))).toBe(true)
})

test('more than a second has go on into the next', () => {
  now = second * 1_000
  const next = createOrderIds(clock)
  const all = Array.from({ length: 20_000 }, next)
  now += 1_000
  expect(next()).toBe((all.at(-1) ?? 0n) + 1n)
})

test('services that start in one second seldom begin with one number', () => {
  now = second * 1_000
  const firsts = Array.from({ length: 50 }, () => createOrderIds(clock)())
  expect(new Set(firsts).size).toBeGreaterThan(40)
})
