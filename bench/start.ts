/**
 * What a start costs: of `--help`, next to Node alone, and of a bot until its first decision, each program next to the
 * first. The programs take turns within each round; a ratio is the median over rounds of the ratio within a round.
 *
 * The wait for the first slot is not counted: it depends on the second in which a bot starts.
 *
 * `node bench/start.ts [--rounds 9] dist/ballast.mjs src/main.ts`, after `npm run build`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { median, timed, untilSaid } from './measure.ts'
import { startMarket } from './sandboxBot.ts'

const { values, positionals: programs } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '9' } },
})
const folder = mkdtempSync(join(tmpdir(), 'ballast-start-'))
const market = await startMarket(folder)

/** Milliseconds from the start to the first decision, without the wait for its slot. */
async function firstDecision(program: string, name: string): Promise<number> {
  const config = market.writeBot(name, { count: 1, every: '1s' })
  const startedAt = Date.now()
  const args = [program, 'run', '--port', '0', '--config', config]
  const bot = await untilSaid(args, /^BALLAST /m)
  const openedAt = startedAt + bot.ms
  await bot.said(/^WAIT /m)
  const decidedAt = Date.now()
  await bot.end()
  const slot = Math.floor(decidedAt / 1_000) * 1_000
  return decidedAt - startedAt - Math.max(0, slot - openedAt)
}

const candidates = [
  { name: 'node -e 0', run: async () => (await timed(['-e', '0'])).ms },
  ...programs.map((program) => ({
    name: `${program} --help`,
    to: 'node -e 0',
    run: async () => (await timed([program, '--help'])).ms,
  })),
  ...programs.map((program, nth) => ({
    name: `${program} run`,
    to: `${programs[0]} run`,
    run: (round: number) => firstDecision(program, `bot-${nth}-${round}`),
  })),
]
try {
  const rounds: Map<string, number>[] = []
  for (let round = -1; round < Number(values.rounds); round += 1) {
    const figures = new Map<string, number>()
    for (let index = 0; index < candidates.length; index += 1) {
      const candidate = candidates[(index + round + 1) % candidates.length]
      if (candidate !== undefined) figures.set(candidate.name, await candidate.run(round))
    }
    // The first round fills the caches.
    if (round >= 0) rounds.push(figures)
  }
  for (const { name, ...candidate } of candidates) {
    const ms = median(rounds.map((figures) => figures.get(name) ?? Number.NaN))
    const to = 'to' in candidate ? candidate.to : name
    const within = rounds.map((figures) => (figures.get(name) ?? 0) / (figures.get(to) ?? 1))
    console.log(
      `${name.padEnd(34)}${ms.toFixed(0).padStart(6)} ms   ${median(within).toFixed(2)} × ${to}`,
    )
  }
} finally {
  await market.end()
  rmSync(folder, { recursive: true, force: true })
}
