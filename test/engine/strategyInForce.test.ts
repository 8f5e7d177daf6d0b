import { describe, expect, test } from 'vitest'
import { defineStrategy, type Schedule, wait } from '../../src/bot/strategy/index.ts'
import type { LoadedStrategy } from '../../src/bot/strategy/load.ts'
import { strategyInForce } from '../../src/engine/strategyInForce.ts'

const daily: Schedule = { kind: 'cron', expression: '0 9 * * *', timeZone: 'UTC' }

const loaded = (name: string, schedule: Schedule, params: unknown): LoadedStrategy => ({
  ...{ name, schedule, params, watches: [], priority: 0 },
  strategy: defineStrategy<unknown>({
    ...{ name, summary: 'A test.', schedule: () => schedule, watch: () => [] },
    params: () => {
      throw new Error('it is loaded already')
    },
    decide: () => wait('a test'),
  }),
})

describe('strategyInForce: what waited for its turn', () => {
  const waiting = loaded('one', daily, { sell: '5' })

  test('is asked as it is configured now', () => {
    const now = loaded('one', { ...daily }, { sell: '1' })
    expect(strategyInForce([loaded('other', daily, {}), now], waiting)).toBe(now)
  })

  test('is not asked when it was taken out', () => {
    expect(strategyInForce([loaded('other', daily, {})], waiting)).toBeUndefined()
  })

  test('is not asked for a slot of another calendar', () => {
    const later = { ...daily, expression: '0 10 * * *' }
    expect(strategyInForce([loaded('one', later, {})], waiting)).toBeUndefined()
  })
})
