import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runDay } from './runDay.ts'
import { judgeStrategies, strategiesOfDay } from './strategiesOfDay.ts'

const minuteMs = 60_000

// The sample of `npm run day`: long enough for slots of every kind, one of them missed by a bot that was dead.
test('two hours of four strategies, killed twice: every slot, budget and weight is accounted for', async () => {
  const hours = 2
  const day = await runDay({
    dir: mkdtempSync(join(tmpdir(), 'ballast-day-')),
    hours,
    strategies: strategiesOfDay({ startMs: Date.now(), hours }),
    deaths: [
      { atMs: 25 * minuteMs, forMs: 3 * minuteMs },
      { atMs: 45 * minuteMs, forMs: 65 * minuteMs },
    ],
  })
  const { breaks, kills, settled } = judgeStrategies(day, { hours })
  expect({ breaks, kills }).toEqual({ breaks: [], kills: 2 })
  expect(settled).toBeGreaterThan(3)
}, 1_200_000)
