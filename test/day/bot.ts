import { setImmediate as turn } from 'node:timers/promises'
import { runCli } from '../../src/cli/runCli.ts'
import { createStandardInput } from '../../src/cli/standardInput.ts'
import { createTerminal } from '../../src/cli/terminal.ts'
import { virtualClock } from './virtualClock.ts'

// The bot as `ballast run`, under a clock whose steps its parent takes. It can be killed like any process.
const [now, ...argv] = process.argv.slice(2)
const clock = virtualClock(Number(now))
const stop = new AbortController()
process.on('message', async (next: number) => {
  clock.stepTo(next)
  await settle()
  process.send?.('settled')
})
process.on('SIGTERM', () => stop.abort())
process.once('disconnect', () => stop.abort())

/** Until whoever woke up has run, and no file is being written and nothing computed beside. */
async function settle(): Promise<void> {
  do await turn()
  while (process.getActiveResourcesInfo().some((kind) => /Req/.test(kind)))
}

const code = await runCli({
  argv,
  environment: {},
  cwd: process.cwd(),
  terminal: createTerminal({ stdout: process.stdout, stderr: process.stderr }),
  stdin: createStandardInput(process.stdin),
  signal: stop.signal,
  clock,
})
process.exit(code)
