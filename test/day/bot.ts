import { runCli } from '../../src/cli/runCli.ts'
import { createStandardInput } from '../../src/cli/standardInput.ts'
import { createTerminal } from '../../src/cli/terminal.ts'
import { type Pace, virtualClock } from './virtualClock.ts'

// The bot as `ballast run`, under a clock that its parent sets the pace of. It can be killed like any process.
const [pace, ...argv] = process.argv.slice(2)
const clock = virtualClock(JSON.parse(pace ?? '') as Pace)
const stop = new AbortController()
process.on('message', (next: Pace) => {
  clock.follow(next)
  process.send?.('followed')
})
process.on('SIGTERM', () => stop.abort())
process.once('disconnect', () => stop.abort())

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
