import { describe, expect, test } from 'vitest'
import { places } from '../../../support/journals.ts'
import { liveYears } from './tenYears.ts'

/** In a year. `npm run test:archives` has five a month. */
const swaps = Number(process.env.ARCHIVE_SWAPS ?? 3)
const years = 10

describe.each(places)('$dialect', ({ make }) => {
  test('ten years of archives verify, and explain every swap as it was told in its year', async () => {
    const place = await make()
    try {
      const { before, after, report, archives } = await liveYears(place, { years, swaps })
      // Of each swap its story, its record and its decision.
      expect(before.size).toBe(3 * years * swaps)
      expect(after).toEqual(before)
      expect(report).toMatchObject({ broken: undefined, locks: [], swaps: [] })
      expect(archives.map(({ verdict }) => verdict)).toEqual(Array(years).fill('whole'))
    } finally {
      await place.remove()
    }
  })
})
