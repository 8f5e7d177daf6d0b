import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { demoExample, demoWorld } from '../src/sandbox/demoMarket.ts'
import { deathsOfDay } from '../test/day/deathsOfDay.ts'
import { judgeDemo } from '../test/day/judgeDemo.ts'
import { differencesOf, judgeReport } from '../test/day/judgeReport.ts'
import { judgeDay, liveDay } from '../test/day/recordDay.ts'
import { runDay } from '../test/day/runDay.ts'
import { judgeStrategies, strategiesOfDay } from '../test/day/strategiesOfDay.ts'

// npm run day -- --hours 24: four strategies share a wallet for a day of virtual time, and the bot is killed three
// times, once for longer than a slot stays open. At the end every slot, budget and weight is accounted for, and with
// --report every figure of `ballast report` is recomputed from the chain and the tape of the service's answers. With
// --demo it is the market and the strategies of `npm start`, which nothing may end.
const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '24' },
    verbose: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
    demo: { type: 'boolean', default: false },
  },
})
const hours = Number(values.hours)
const dir = mkdtempSync(join(tmpdir(), 'ballast-day-'))
const since = performance.now()
if (values.demo) {
  const lasting = await runDay({
    dir,
    hours,
    strategies: demoExample,
    deaths: [],
    world: demoWorld,
    blockSeconds: 1,
  })
  const verdict = judgeDemo(lasting, { hours })
  console.log(JSON.stringify({ hours, ...verdict }, undefined, 2))
  rmSync(dir, { recursive: true, force: true })
  process.exit(verdict.breaks.length === 0 ? 0 : 1)
}
const tape = join(dir, 'tape')
const day = await runDay({
  dir,
  hours,
  tape,
  strategies: strategiesOfDay({ startMs: Date.now(), hours }),
  deaths: deathsOfDay(hours),
  ...(values.report ? { judge: judgeReport } : {}),
  ...(values.verbose ? { note: (line: string) => console.error(line) } : {}),
})
const verdict = judgeStrategies(day, { hours })
const figures = day.found && differencesOf(day.found.said, day.found.recomputed)
// It was dead for hours of which the replay knows nothing: shown, and held to each other by `npm run day:replay`.
const { comparisons } = await judgeDay({ config: day.config, tape, live: await liveDay(day) })
console.log(
  JSON.stringify(
    {
      hours,
      seconds: Math.round((performance.now() - since) / 1_000),
      ...verdict,
      figures,
      againstReplay: comparisons,
    },
    undefined,
    2,
  ),
)
rmSync(dir, { recursive: true, force: true })
process.exitCode = verdict.breaks.length === 0 && (figures ?? []).length === 0 ? 0 : 1
