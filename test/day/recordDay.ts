import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readJournal } from '../../src/bot/journal/readJournal.ts'
import { readTimings } from '../../src/cli/replay/readTimings.ts'
import { loadConfig } from '../../src/config/loadConfig.ts'
import { systemClock } from '../../src/core/clock.ts'
import { compare, fillsOf, type LiveDay, replayDay } from './againstReplay.ts'
import { runDay } from './runDay.ts'
import { strategiesOfDay } from './strategiesOfDay.ts'

/** A day that was lived, with what its replay needs. */
type RecordedDay = { readonly config: string; readonly tape: string; readonly live: LiveDay }

/** Lives a day of four strategies in the market of a seed, and tapes it. */
export async function recordDay({
  dir,
  hours,
  seed,
  note,
}: {
  dir: string
  hours: number
  seed: number
  note?: ((line: string) => void) | undefined
}): Promise<RecordedDay> {
  const tape = join(dir, 'tape')
  const day = await runDay({
    ...{ dir, hours, seed, tape, deaths: [] },
    // In slices, so that its average price is that of several fills.
    strategies: strategiesOfDay({ startMs: Date.now(), hours, sliceMost: '5000 USDC' }),
    ...(note === undefined ? {} : { note }),
  })
  return { config: day.config, tape, live: await liveDay(day) }
}

/** What a day that was lived leaves for its replay. */
export const liveDay = async (day: Awaited<ReturnType<typeof runDay>>): Promise<LiveDay> => ({
  ...{ startedAt: day.startedAt, endedAt: day.endedAt },
  held: Object.fromEntries(
    Object.entries(day.heldBefore).map(([symbol, wei]) => [symbol, `${wei}`]),
  ),
  fills: fillsOf(day.journal),
  timings: await timingsIn(day.config),
})

/** A day that was kept. */
export async function keptDay(dir: string): Promise<RecordedDay> {
  const config = join(dir, 'ballast.yaml')
  const live: LiveDay = JSON.parse(readFileSync(join(dir, 'live.json'), 'utf8'))
  return { config, tape: join(dir, 'tape'), live: { ...live, timings: await timingsIn(config) } }
}

/** How long the swaps of a journal took. */
async function timingsIn(config: string) {
  const { database, haltFile, tokens } = configOf(config)
  const journal = await readJournal({ database, haltFile, clock: systemClock, coin: tokens })
  try {
    return await readTimings(journal)
  } finally {
    await journal.shut()
  }
}

const configOf = (file: string) =>
  loadConfig({ file, environment: {}, cwd: dirname(file), needs: 'journal' })

/** How far replay and live may be apart: in their number of fills, and in their average price. */
const [percentMax, bpsMax] = [5, 2]

/** Holds a day to its replay. */
export async function judgeDay({ config, tape, live }: RecordedDay) {
  const { fills, tallies } = await replayDay({ tape, config: configOf(config), live })
  const comparisons = compare(live.fills, fills)
  const breaks = comparisons
    .filter(
      ({ apartPercent, priceBps }) =>
        Math.abs(apartPercent) > percentMax || Math.abs(priceBps) > bpsMax,
    )
    .map(
      ({ strategy, live: own, replayed, priceBps }) =>
        `${strategy}: ${own} fills live, ${replayed} replayed; ${priceBps} bps apart`,
    )
  return { comparisons, breaks, tallies }
}
