import { expect, test } from 'vitest'
import { createLane } from '../../src/engine/createLane.ts'

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

/** A lane that is busy until it is let go, and the order of what came meanwhile. */
function busyLane() {
  const lane = createLane()
  const order: string[] = []
  let letGo = () => {}
  const first = lane(
    () =>
      new Promise<void>((resolve) => {
        letGo = resolve
      }),
  )
  const come = (name: string, priority?: number) =>
    lane(async () => {
      order.push(name)
    }, priority)
  return { lane, order, come, first, letGo: () => letGo() }
}

test('lane: of what waits the highest priority goes first, and the same in the order of arrival', async () => {
  const { order, come, first, letGo } = busyLane()
  const all = [come('low', -1), come('usual'), come('high', 5), come('usual too'), come('too', 5)]
  letGo()
  await Promise.all([first, ...all])
  expect(order).toEqual(['high', 'too', 'usual', 'usual too', 'low'])
})

test('lane: nobody is overtaken for ever', async () => {
  const { lane, order, come, first, letGo } = busyLane()
  const patient = come('patient')
  // Two that are in the lane again before the other has ended: one of them always waits.
  let left = 40
  const hasty = (name: string): Promise<void> =>
    lane(async () => {
      order.push(name)
      left -= 1
      if (left > 0) void hasty(name)
    }, 1)
  const both = [hasty('a'), hasty('b')]
  letGo()
  await Promise.all([first, patient, ...both])
  expect(order.indexOf('patient')).toBe(10)
})

test('lane: what throws at once fails for whoever waits for it, and the lane goes on', async () => {
  const lane = createLane()
  const failed = lane((): Promise<void> => {
    throw new Error('at once')
  })
  const after = lane(async () => 'after')
  await expect(failed).rejects.toThrow('at once')
  expect(await after).toBe('after')
})
