import { expect, test } from 'vitest'
import { createShared } from '../../src/core/createShared.ts'

function sharedOver(answers: (() => Promise<string>)[]) {
  const state = { now: 0, asked: 0 }
  const ask = createShared({
    ask: async (_key: string) => {
      const answer = answers[state.asked]
      state.asked += 1
      return answer === undefined ? `answer ${state.asked}` : answer()
    },
    nameOf: (key) => key,
    keptMs: 1_000,
    clock: { now: () => state.now, sleep: async () => {} },
  })
  return { ask, state }
}

test('the same question is asked once for all who ask within the moment', async () => {
  const { ask, state } = sharedOver([])
  const together = await Promise.all([ask('a'), ask('a'), ask('b')])
  expect(together.map(({ value }) => value)).toEqual(['answer 1', 'answer 1', 'answer 2'])
  state.now = 1_000
  expect(await ask('a')).toEqual({ value: 'answer 1', askedAt: 0 })
  state.now = 1_001
  expect(await ask('a')).toEqual({ value: 'answer 3', askedAt: 1_001 })
})

test('a failure reaches all who wait for it, and the next who asks asks anew', async () => {
  const failing = async () => {
    throw new Error('away')
  }
  const { ask, state } = sharedOver([failing])
  const together = await Promise.allSettled([ask('a'), ask('a')])
  expect(together.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect((await ask('a')).value).toBe('answer 2')
  expect(state.asked).toBe(2)
})

test('a clock that was set back does not keep an answer', async () => {
  const { ask, state } = sharedOver([])
  state.now = 10_000
  await ask('a')
  state.now = 0
  expect((await ask('a')).value).toBe('answer 2')
})
