import type { Environment } from '../config/file/variables.ts'
import type { Clock } from '../core/clock.ts'
import { botFile, type CommandLine, parseCommandLine } from './commandLine.ts'
import { exitCodes } from './exitCodes.ts'
import { firstFailure, reportFailure } from './reportFailure.ts'
import type { StandardInput } from './standardInput.ts'
import type { Terminal } from './terminal.ts'

type Call = {
  /** Arguments after the program's name. */
  readonly argv: readonly string[]
  readonly environment: Environment
  readonly cwd: string
  readonly terminal: Terminal
  readonly stdin: StandardInput
  readonly signal: AbortSignal
  /** Aborted by SIGUSR2; never, without one. */
  readonly halt?: AbortSignal
  /** Calls back at every SIGHUP; never, without it. */
  readonly onHangUp?: (listener: () => void) => void
  readonly clock: Clock
}

/** Runs one command line from arguments to exit code. Loads the file of the called command and no other. */
export async function runCli(call: Call): Promise<number> {
  const { argv, environment, terminal, signal } = call
  const json = argv.includes('--json')
  let line: CommandLine | undefined
  try {
    line = await parseCommandLine(argv, terminal)
    if (line === undefined) return exitCodes.done
    return (await run(line, call)) ?? exitCodes.done
  } catch (failure) {
    if (signal.aborted && isAbort(failure, signal)) return exitCodes.interrupted
    const debug = ['debug', 'trace'].includes(environment.LOG_LEVEL ?? '')
    const exitCodeOf = line?.command.exitCodeOfError
    return reportFailure(failure, { terminal, json, debug, exitCodeOf })
  }
}

function run({ command, args, options, global }: CommandLine, call: Call) {
  const { environment, cwd, halt = new AbortController().signal, onHangUp = () => {} } = call
  const configFile =
    global.config ?? (environment.BALLAST_CONFIG || (command.defaultFile ?? botFile))
  return command.run({
    ...call,
    ...{ args, options: options as never, configFile, halt, onHangUp },
    json: global.json === true,
    async load(needs) {
      const { loadConfig } = await import('../config/loadConfig.ts')
      const config = loadConfig({ file: configFile, environment, cwd, needs })
      if (options.paper !== true) return config
      const { onPaper } = await import('../app/onPaper.ts')
      return onPaper(config)
    },
  })
}

function isAbort(thrown: unknown, signal: AbortSignal): boolean {
  const failure = firstFailure(thrown)
  return failure === signal.reason || (failure instanceof Error && failure.name === 'AbortError')
}
