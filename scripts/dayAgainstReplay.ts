import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { judgeDay, keptDay, recordDay } from '../test/day/recordDay.ts'

// npm run day:replay -- --hours 24 --seeds 11,12,13: days of four strategies in markets of different seeds, each taped as
// it goes by and then replayed with the time that its own swaps took. Fills and average prices are held to each other.
const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '24' },
    seeds: { type: 'string', default: '11,12,13' },
    keep: { type: 'string' },
    again: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})
const dir = values.keep ?? mkdtempSync(join(tmpdir(), 'ballast-days-'))
mkdirSync(dir, { recursive: true })
let isApart = false
for (const seed of values.seeds.split(',').map(Number)) {
  const since = performance.now()
  const place = join(dir, `seed-${seed}`)
  const note = values.verbose ? (line: string) => console.error(line) : undefined
  // A day that was kept is replayed again, not lived again.
  const day = values.again
    ? await keptDay(place)
    : await recordDay({ dir: place, hours: Number(values.hours), seed, note })
  const { comparisons, breaks } = await judgeDay(day)
  writeFileSync(join(place, 'live.json'), JSON.stringify(day.live))
  isApart ||= breaks.length > 0
  const seconds = Math.round((performance.now() - since) / 1_000)
  console.log(
    JSON.stringify({ seed, hours: values.hours, seconds, comparisons, breaks }, undefined, 2),
  )
}
if (values.keep === undefined) rmSync(dir, { recursive: true, force: true })
process.exitCode = isApart ? 1 : 0
