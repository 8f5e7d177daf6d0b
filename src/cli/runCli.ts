import type { Environment } from '../config/file/variables.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError } from '../core/errors.ts'
import { botFile, type CommandLine, parseCommandLine } from './commandLine.ts'
import { eachWallet, walletsOfFile } from './eachWallet.ts'
import { exitCodes } from './exitCodes.ts'
import type { Invocation } from './invocation.ts'
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
  /** Whether a person pressed Ctrl-C; nobody did, without it. */
  readonly isInterrupted?: () => boolean
  /** Aborted by SIGUSR2; never, without one. */
  readonly halt?: AbortSignal
  /** The signal that the next SIGUSR2 aborts. */
  readonly nextHalt?: () => AbortSignal
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
    const code = (await runForWallets(line, call)) ?? exitCodes.done
    return call.isInterrupted?.() && !line.command.endsByInterrupt ? exitCodes.interrupted : code
  } catch (failure) {
    if (signal.aborted && isAbort(failure, signal)) return exitCodes.interrupted
    const level = (line && logLevelOf(line.global)) ?? environment.LOG_LEVEL ?? ''
    const debug = ['debug', 'trace'].includes(level)
    const exitCodeOf = line?.command.exitCodeOfError
    const code = reportFailure(failure, { terminal, json, debug, exitCodeOf })
    return call.isInterrupted?.() ? exitCodes.interrupted : code
  }
}

/** Runs the command; where it needs a wallet and none is named, once for each, if that is what it is for. */
async function runForWallets(line: CommandLine, call: Call): Promise<number | undefined> {
  try {
    return await run(line, call)
  } catch (failure) {
    const isUnnamed = failure instanceof BallastError && failure.code === 'WALLET_NOT_NAMED'
    const { command, global } = line
    if (!isUnnamed || global.wallet !== undefined || !command.isForEach?.(line)) throw failure
    const json = global.json === true
    return eachWallet({
      names: walletsOfFile(failure),
      ...{ json, terminal: call.terminal },
      run: async (wallet, terminal) =>
        (await run({ ...line, global: { ...global, wallet } }, { ...call, terminal }, true)) ??
        exitCodes.done,
      report: (error, terminal) =>
        reportFailure(error, { terminal, json, debug: false, exitCodeOf: command.exitCodeOfError }),
    })
  }
}

function run({ command, args, options, global }: CommandLine, call: Call, isForEach = false) {
  const { wallet } = global
  const { environment, cwd, halt = new AbortController().signal, onHangUp = () => {} } = call
  const { nextHalt = () => halt } = call
  const configFile =
    global.config ?? (environment.BALLAST_CONFIG || (command.defaultFile ?? botFile))
  const logLevel = logLevelOf(global)
  return command.run({
    ...call,
    ...{ args, options: options as never, configFile, wallet, isForEach, onHangUp, logLevel },
    ...{ halt, nextHalt },
    json: global.json === true,
    async commandWords() {
      const { commandWords } = await import('./commandWords.ts')
      return commandWords(configFile)
    },
    async load(needs) {
      const { loadConfig } = await import('../config/loadConfig.ts')
      const read = loadConfig({ file: configFile, environment, cwd, needs, wallet })
      const config = logLevel === undefined ? read : { ...read, logLevel }
      if (options.paper !== true) return config
      const { onPaper } = await import('../app/onPaper.ts')
      return onPaper(config)
    },
  })
}

function logLevelOf({ quiet, verbose }: CommandLine['global']): Invocation['logLevel'] {
  if (quiet) return 'error'
  return verbose ? 'debug' : undefined
}

function isAbort(thrown: unknown, signal: AbortSignal): boolean {
  const failure = firstFailure(thrown)
  return failure === signal.reason || (failure instanceof Error && failure.name === 'AbortError')
}
