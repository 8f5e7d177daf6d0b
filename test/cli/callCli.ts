import { Readable, Writable } from 'node:stream'
import { runCli } from '../../src/cli/runCli.ts'
import { createStandardInput } from '../../src/cli/standardInput.ts'
import { createTerminal } from '../../src/cli/terminal.ts'
import { type Clock, systemClock } from '../../src/core/clock.ts'

/** Runs a command line within this process: the real frame and command, without the half second of a new process. */
export async function callCli(
  argv: readonly string[],
  {
    cwd,
    environment = {},
    stdin = '',
    clock = systemClock,
    columns = 1_000,
    isTTY = false,
    signal = new AbortController().signal,
    halt = new AbortController().signal,
    onOutput = () => {},
  }: {
    cwd: string
    environment?: Readonly<Record<string, string | undefined>>
    stdin?: string
    clock?: Clock
    /** Wide, so that a test of a sentence finds it on one line; 80 is a narrow terminal's. */
    columns?: number
    /** Both streams are a terminal. */
    isTTY?: boolean
    signal?: AbortSignal
    /** Aborted as by SIGUSR2. */
    halt?: AbortSignal
    /** Called with all of the output so far. */
    onOutput?: (stdout: string) => void
  },
) {
  let stdout = ''
  let stderr = ''
  const sink = (take: (text: string) => void) =>
    Object.assign(
      new Writable({
        write(chunk, _, done) {
          take(String(chunk))
          done()
        },
      }),
      isTTY ? { isTTY, columns, rows: 24 } : {},
    )
  const code = await runCli({
    argv,
    environment,
    cwd,
    terminal: createTerminal({
      columns,
      stdout: sink((text) => {
        stdout += text
        onOutput(stdout)
      }),
      stderr: sink((text) => {
        stderr += text
      }),
    }),
    stdin: createStandardInput(Readable.from([Buffer.from(stdin)])),
    signal,
    halt,
    clock,
  })
  return { code, stdout, stderr }
}
