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
  }: {
    cwd: string
    environment?: Readonly<Record<string, string | undefined>>
    stdin?: string
    clock?: Clock
  },
) {
  let stdout = ''
  let stderr = ''
  const sink = (take: (text: string) => void) =>
    new Writable({
      write(chunk, _, done) {
        take(String(chunk))
        done()
      },
    })
  const code = await runCli({
    argv,
    environment,
    cwd,
    terminal: createTerminal({
      stdout: sink((text) => {
        stdout += text
      }),
      stderr: sink((text) => {
        stderr += text
      }),
    }),
    stdin: createStandardInput(Readable.from([Buffer.from(stdin)])),
    signal: new AbortController().signal,
    clock,
  })
  return { code, stdout, stderr }
}
