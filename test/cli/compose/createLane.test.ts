import { expect, test } from 'vitest'
import { createLane } from '../../../src/cli/compose/createLane.ts'

test('lane: one thing at a time, in the order of arrival, whatever fails before', async () => {
  const lane = createLane()
  const seen: string[] = []
  const work = (name: string, ms: number, fails = false) =>
    lane(async () => {
      seen.push(`${name} begins`)
      await new Promise((resolve) => setTimeout(resolve, ms))
      seen.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    })
  const ended = await Promise.allSettled([work('a', 20), work('b', 10, true), work('c', 1)])
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})
