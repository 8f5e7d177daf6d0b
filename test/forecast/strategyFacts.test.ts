import { expect, test } from 'vitest'
import { strategyFacts } from '../../src/forecast/planSummary.ts'

test.each([null, undefined, 'monthly'])(
  'parameters that are no section, %s, have no facts',
  (params) => {
    expect(strategyFacts({ loaded: { params } } as never, {} as never)).toEqual([])
  },
)
