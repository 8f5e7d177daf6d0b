/**
 * Whole-process figures: start-up, time to a settled swap, memory. Printed, never asserted: machines differ.
 *
 * `npm run bench` takes about a minute; `npm run bench -- --minutes 5` watches the bot's memory for longer.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { median, residentMb, timed, untilSaid } from './measure.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '0.5' } } })
const folder = mkdtempSync(join(tmpdir(), 'ballast-bench-'))
const main = 'src/main.ts'
const report = (name: string, figure: string, target: string) =>
  console.log(`${name.padEnd(34)}${figure.padStart(12)}   target ${target}`)

try {
  await timed([main, '--help'])
  const help: number[] = []
  for (let run = 0; run < 5; run++) help.push((await timed([main, '--help'])).ms)
  report('ballast --help', `${median(help).toFixed(0)} ms`, '< 500 ms')

  const ready: number[] = []
  for (let run = 0; run < 3; run++) {
    const dir = join(folder, `sandbox-${run}`)
    const sandbox = await untilSaid([main, 'sandbox', '--json', '--data-dir', dir], /"ready":true/)
    ready.push(sandbox.ms)
    await sandbox.end()
  }
  report('sandbox ready', `${median(ready).toFixed(0)} ms`, '< 5000 ms')

  const demo = await untilSaid(
    [main, 'demo', '--port', '0', '--data-dir', join(folder, 'demo')],
    /SETTLED/,
  )
  report('npm start to a settled swap', `${(demo.ms / 1_000).toFixed(1)} s`, '< 60 s')
  const bot = childOf(demo.child.pid ?? 0)
  let peak = 0
  const until = Date.now() + Number(values.minutes) * 60_000
  while (Date.now() < until) {
    await sleep(1_000)
    peak = Math.max(peak, residentMb(bot) ?? 0)
  }
  const now = residentMb(bot) ?? Number.NaN
  report(`bot memory after ${values.minutes} min`, `${now.toFixed(0)} MB`, '< 200 MB')
  report('bot memory, peak', `${peak.toFixed(0)} MB`, '-')
  await demo.end()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The bot is the child of the demo that runs `ballast run`. */
function childOf(parent: number): number {
  const rows = execFileSync('ps', ['-eo', 'pid,ppid,args'], { encoding: 'utf8' }).split('\n')
  const row = rows.find((line) => {
    const [, ppid] = line.trim().split(/\s+/)
    return Number(ppid) === parent && line.includes('main.ts run')
  })
  return Number(row?.trim().split(/\s+/)[0])
}
