import { expect, test } from 'vitest'
import { createSilence } from '../../src/bot/createSilence.ts'

const source = 'feed WETH/USD 0xfe'
const [minute, hour] = [60_000, 3_600_000]

/** Notes a reading, and answers what is silent then. */
function reading() {
  const { note, silent } = createSilence()
  return (at: number, reason?: string) => {
    note({ source, reason, at })
    return silent()
  }
}

test('from the first reading without an answer to the last, and not over an hour without readings', () => {
  const read = reading()
  expect(read(0, 'old')).toEqual([{ source, reason: 'old', since: 0, until: 0 }])
  expect(read(hour, 'older')).toEqual([{ source, reason: 'older', since: 0, until: hour }])
  const later = 2 * hour + 1
  expect(read(later, 'old')).toEqual([{ source, reason: 'old', since: later, until: later }])
})

test('an answer ends it, also that of a later reading which was answered sooner', () => {
  const read = reading()
  read(0, 'old')
  expect(read(2 * minute)).toEqual([])
  expect(read(minute, 'slow')).toEqual([])
  expect(read(3 * minute, 'old')).toMatchObject([{ since: 3 * minute }])
})
