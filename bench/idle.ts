/**
 * What a bot costs that has nothing to do: a hundred strategies whose slots are far apart, live in the sandbox's market.
 * Processor time of the bot alone, as Linux accounts it, and its memory.
 *
 * `node bench/idle.ts [--minutes 3] [--strategies 100] [--main dist/ballast.mjs]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { median, processorMs, residentMb, untilSaid } from './measure.ts'
import { startMarket } from './sandboxBot.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    strategies: { type: 'string', default: '100' },
    main: { type: 'string', default: 'src/main.ts' },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'ballast-idle-'))
const market = await startMarket(folder)
try {
  const config = market.writeBot('bot', { count: Number(values.strategies), every: '365d' })
  const bot = await untilSaid([values.main, 'run', '--port', '0', '--config', config], /^BALLAST /m)
  const pid = bot.child.pid ?? 0
  // What the start leaves behind is collected in the first half minute.
  await sleep(30_000)
  const minutes: { readonly percent: number; readonly mb: number }[] = []
  for (let minute = 0; minute < Number(values.minutes); minute += 1) {
    const [before, since] = [processorMs(pid), performance.now()]
    await sleep(60_000)
    const percent = ((processorMs(pid) - before) / (performance.now() - since)) * 100
    const mb = residentMb(pid) ?? Number.NaN
    minutes.push({ percent, mb })
    console.log(`minute ${minute + 1}: ${percent.toFixed(2)} % of a core, ${mb.toFixed(0)} MB`)
  }
  const half = Math.ceil(minutes.length / 2)
  const mbOf = (some: typeof minutes) => median(some.map(({ mb }) => mb)).toFixed(0)
  const report = (name: string, figure: string, target: string) =>
    console.log(`${name.padEnd(34)}${figure.padStart(18)}   target ${target}`)
  report('idle processor', `${median(minutes.map((one) => one.percent)).toFixed(2)} %`, '<= 2 %')
  report(
    'idle memory, most',
    `${Math.max(...minutes.map(({ mb }) => mb)).toFixed(0)} MB`,
    '<= 180 MB',
  )
  report(
    'first half, second half',
    `${mbOf(minutes.slice(0, half))}, ${mbOf(minutes.slice(half))} MB`,
    'flat',
  )
  await bot.end()
} finally {
  await market.end()
  rmSync(folder, { recursive: true, force: true })
}
