import type { Config } from '../config/config.ts'
import type { Environment } from '../config/file/variables.ts'
import type { Clock } from '../core/clock.ts'
import type { CommandWords } from './completionScripts.ts'
import type { OptionSpecs, OptionValues } from './options.ts'
import type { StandardInput } from './standardInput.ts'
import type { Terminal } from './terminal.ts'

/**
 * The part of the configuration that is read: for the `journal` no address of it and none of its secrets, for the
 * `chain` none of the secrets, for the `market` none of the wallet, for the `deployment` nothing of the service.
 */
export type ConfigScope = 'everything' | 'market' | 'chain' | 'journal' | 'deployment'

/** Everything a command gets. It uses nothing else: no console, no process, no clock of its own. */
export type Invocation<specs extends OptionSpecs = OptionSpecs> = {
  /** Positional arguments, a variadic one flattened. */
  readonly args: readonly string[]
  readonly options: OptionValues<specs>
  /** The caller wants JSON on stdout. */
  readonly json: boolean
  /** Path of the configuration: `--config`, `BALLAST_CONFIG` or the command's default. */
  readonly configFile: string
  /** The wallet that `--wallet` names, of a configuration with several. */
  readonly wallet: string | undefined
  /** Whether this call is one of many, for each wallet of a file: no person named this one. */
  readonly isForEach: boolean
  /** Loads that configuration, under `--paper` the one of runs on paper; throws CONFIG_INVALID or CONFIG_MISSING. */
  load(scope: ConfigScope): Promise<Config>
  /** The level of the log, by `-q` or `-v`; undefined leaves it to the configuration. */
  readonly logLevel: 'error' | 'debug' | undefined
  /** What may be typed after which words, of all commands: it loads each of them. */
  commandWords(): Promise<readonly CommandWords[]>
  readonly environment: Environment
  readonly cwd: string
  readonly terminal: Terminal
  readonly stdin: StandardInput
  /** Aborted by the first SIGINT or SIGTERM: finish what must be finished and return. */
  readonly signal: AbortSignal
  /** Aborted by SIGUSR2: sign nothing any more. */
  readonly halt: AbortSignal
  /** The signal of the next halt: a process that goes on after one is halted by the next as well. */
  readonly nextHalt: () => AbortSignal
  /** Calls back at every SIGHUP: read the configuration again. */
  readonly onHangUp: (listener: () => void) => void
  readonly clock: Clock
}
