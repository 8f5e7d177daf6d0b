import { expect, test } from 'vitest'
import { createReadGate } from '../../../src/bot/market/createMarket.ts'
import { BallastError } from '../../../src/core/errors.ts'

const limited = (retryAfterMs?: number) =>
  new BallastError('Fewer requests.', {
    code: 'RATE_LIMITED',
    remedy: 'retry',
    fault: 'upstream',
    facts: { retryAfterMs },
  })

function gate() {
  const state = { now: 0, asked: 0, failure: undefined as BallastError | undefined }
  const through = createReadGate({ clock: { now: () => state.now, sleep: async () => {} } })
  const ask = () =>
    through(async () => {
      state.asked += 1
      if (state.failure !== undefined) throw state.failure
      return state.asked
    }).catch((error: BallastError) => error.code)
  return { state, ask }
}

test('a hundred who ask a service that refuses are one request, until the wait is over', async () => {
  const { state, ask } = gate()
  state.failure = limited()
  for (let count = 0; count < 100; count += 1) expect(await ask()).toBe('RATE_LIMITED')
  expect(state.asked).toBe(1)
  state.now = 999
  await ask()
  expect(state.asked).toBe(1)
  state.now = 1_000
  await ask()
  expect(state.asked).toBe(2)
  state.now = 2_999
  await ask()
  expect(state.asked).toBe(2)
})

test('the service is taken at its word, but not for ever', async () => {
  const { state, ask } = gate()
  state.failure = limited(7_000)
  await ask()
  state.now = 6_999
  await ask()
  expect(state.asked).toBe(1)
  state.now = 7_000
  state.failure = limited(86_400_000)
  await ask()
  state.now += 60_000
  await ask()
  expect(state.asked).toBe(3)
})

test('an answer opens it, and the next refusal waits briefly again', async () => {
  const { state, ask } = gate()
  state.failure = limited(30_000)
  await ask()
  state.now = 30_000
  state.failure = undefined
  expect(await ask()).toBe(2)
  state.failure = limited()
  await ask()
  state.now += 1_000
  await ask()
  expect(state.asked).toBe(4)
})

test('those under way together are one refusal', async () => {
  const { state, ask } = gate()
  state.failure = limited()
  await Promise.all([ask(), ask(), ask()])
  state.now = 1_000
  await ask()
  expect(state.asked).toBe(4)
})

test('what is wrong with one question does not keep the others', async () => {
  const { state, ask } = gate()
  state.failure = new BallastError('No such pair.', {
    code: 'PAIR_UNSUPPORTED',
    remedy: 'skip',
    fault: 'refused',
  })
  await ask()
  await ask()
  expect(state.asked).toBe(2)
})

test('a clock that was set back does not keep it shut', async () => {
  const { state, ask } = gate()
  state.now = 1_000_000
  state.failure = limited(30_000)
  await ask()
  state.now = 0
  await ask()
  expect(state.asked).toBe(2)
})
