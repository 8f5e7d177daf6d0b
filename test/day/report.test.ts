import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { differencesOf, judgeReport, thinMaker } from './judgeReport.ts'
import { runDay } from './runDay.ts'

/** A calendar, a seller who needs the pools beside the maker, and one whose wishes policy refuses. */
const strategies = `strategies:
  - name: dca-weth
    use: dca
    params: { sell: 500 USDC, buy: WETH, cron: "*/5 * * * *", timeZone: Europe/Berlin, tolerance: 50 bps, budget: 1000 USDC, carryMost: 1, missed: skip }
  - name: sell-much
    use: threshold
    params: { sell: 12 WETH, buy: USDC, price: 2000 USDC, every: 5m, limit: 24 WETH, repeat: always }
  - name: too-much
    use: threshold
    params: { sell: 41 WETH, buy: USDC, price: 2000 USDC, every: 1h, repeat: always }
`

// The sample of `npm run day -- --report`: an hour, so that each mark is due.
test('every figure of a report is what chain and tape say, to the unit', async () => {
  const { found, exits } = await runDay({
    dir: mkdtempSync(join(tmpdir(), 'ballast-day-')),
    hours: 1.2,
    strategies,
    deaths: [],
    world: thinMaker,
    judge: judgeReport,
  })
  expect(exits).toEqual(['0'])
  if (found === undefined) throw new Error('it was judged')
  expect(differencesOf(found.said, found.recomputed)).toEqual([])
  // There was something to recompute: pools beside the maker, every instant, a wish that came to nothing.
  const { newest, makers, opportunity } = found.said
  expect(newest.length).toBeGreaterThan(2)
  expect(makers.map(({ maker }: { maker: string }) => maker)).toContain('pools')
  expect(newest[0].markouts.map((one: { afterSeconds: number }) => one.afterSeconds)).toEqual([
    ...[0, 1, 10, 60, 3_600],
  ])
  expect(opportunity).not.toEqual([])
}, 1_200_000)
