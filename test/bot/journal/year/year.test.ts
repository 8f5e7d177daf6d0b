import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bounds, measureSwap } from './bounds.ts'
import { liveThrough } from './liveThrough.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ballast-year-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

// `npm run test:year` has the whole of it.
test('ten minutes of the shipped templates take no more than its part of a year', async () => {
  const hours = 1 / 6
  const { looks, swaps, bytes, emptyBytes, report } = await liveThrough({
    folder,
    days: hours / 24,
  })
  expect(looks).toBeGreaterThan(100)
  expect(report).toMatchObject({ broken: undefined, swaps: [], locks: [] })
  expect(bytes - emptyBytes).toBeLessThan(
    (bounds.yearBytes * hours) / 365 / 24 + swaps * bounds.swapBytes,
  )
})

test('a swap with its decision and its approval takes less than twelve kilobytes', async () => {
  expect(await measureSwap(folder, { few: 10, many: 30 })).toBeLessThan(bounds.swapBytes)
})
