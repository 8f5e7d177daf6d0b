import { expect, test } from 'vitest'
import { laterThan } from '../../src/app/fleet/laterThan.ts'
import { manualClock } from '../bot/schedule/manualClock.ts'

const afterMs = 1_000

function follow() {
  const [first, stop, clock] = [new AbortController(), new AbortController(), manualClock(0)]
  const later = laterThan(first.signal, { afterMs, clock, signal: stop.signal })
  return { first, stop, clock, later }
}

test('it comes so long after the first, and not before', async () => {
  const { first, clock, later } = follow()
  await clock.moveTo(10 * afterMs)
  expect(later.aborted).toBe(false)
  first.abort()
  await clock.moveTo(11 * afterMs - 1)
  expect(later.aborted).toBe(false)
  await clock.moveTo(11 * afterMs)
  expect(later.aborted).toBe(true)
})

test('after one that came before', async () => {
  const clock = manualClock(0)
  const { signal } = new AbortController()
  const later = laterThan(AbortSignal.abort(), { afterMs, clock, signal })
  await clock.moveTo(afterMs)
  expect(later.aborted).toBe(true)
})

test('what is over meanwhile has none', async () => {
  const { first, stop, clock, later } = follow()
  first.abort()
  stop.abort()
  await clock.moveTo(10 * afterMs)
  expect(later.aborted).toBe(false)
})
