import { expect, test } from 'vitest'
import { planOfNow } from '../../src/app/manualSwap.ts'
import type { Clock } from '../../src/core/clock.ts'
import type { Valued } from '../../src/engine/planOf.ts'

/** The plan of `ballast swap --live` after what an earlier process left open. */

const valued = (swapId: string, reason: string) =>
  ({
    plan: { swapId, key: `manual:${swapId}`, intent: { reason } },
    rules: {},
  }) as unknown as Valued

const after = (ms: number) =>
  planOfNow(valued('a', 'by the prices before'), {
    at: 1_000,
    clock: { now: () => 1_000 + ms } as Clock,
    plan: async () => valued('b', 'by the prices now'),
  })

test('what is planned is swapped while its prices are new', async () => {
  expect(await after(30_000)).toEqual(valued('a', 'by the prices before'))
})

test.each([30_001, -30_001])('after %i ms it is planned anew, as the same swap', async (ms) => {
  expect(await after(ms)).toEqual(valued('a', 'by the prices now'))
})
