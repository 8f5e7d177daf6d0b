import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { demoExample, demoWorld } from '../../src/sandbox/demoMarket.ts'
import { judgeDemo } from './judgeDemo.ts'
import { runDay } from './runDay.ts'

// The sample of `npm run day -- --demo`. With DEMO_HOURS=1.5 it is long enough for the rebalancer to come back after its rest.
test('hours of the demo: in the last one each strategy swaps, and none is out of funds, gas or limits', async () => {
  const hours = Number(process.env.DEMO_HOURS ?? 0.2)
  const day = await runDay({
    dir: mkdtempSync(join(tmpdir(), 'ballast-demo-day-')),
    ...{ hours, strategies: demoExample, deaths: [], world: demoWorld, blockSeconds: 1 },
  })
  expect(judgeDemo(day, { hours }).breaks).toEqual([])
}, 7_200_000)
