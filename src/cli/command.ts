import type { Config } from '../config/config.ts'
import type { Environment } from '../config/file/variables.ts'
import type { Clock } from '../core/clock.ts'
import type { StandardInput } from './standardInput.ts'
import type { Terminal } from './terminal.ts'

/** An option as commander writes it: `--firm` is a switch, `--sell <amount>` takes a value, `--strategy <name...>` several. */
export type OptionSpec = {
  readonly flags: string
  readonly summary: string
  readonly required?: boolean
  /** Reads the value; throws a BallastError of fault `usage`. Without it the value stays text. */
  readonly read?: (text: string) => unknown
}

/** Options by the camel-case name of their long flag: `--slippage-bps <n>` is `slippageBps`. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>

type ValueOf<spec extends OptionSpec> = spec extends {
  readonly read: (text: string) => infer value
}
  ? Presence<spec, value>
  : spec['flags'] extends `${string}...>`
    ? Presence<spec, readonly string[]>
    : spec['flags'] extends `${string}<${string}>`
      ? Presence<spec, string>
      : boolean

type Presence<spec extends OptionSpec, value> = spec extends { readonly required: true }
  ? value
  : value | undefined

export type OptionValues<specs extends OptionSpecs> = {
  readonly [name in keyof specs]: ValueOf<specs[name]>
}

/** Everything a command gets. It uses nothing else: no console, no process, no clock of its own. */
export type Invocation<specs extends OptionSpecs = OptionSpecs> = {
  /** Positional arguments, a variadic one flattened. */
  readonly args: readonly string[]
  readonly options: OptionValues<specs>
  /** The caller wants one JSON document on stdout. */
  readonly json: boolean
  /** Path of the configuration: `--config`, `BALLAST_CONFIG` or the command's default. */
  readonly configFile: string
  /**
   * Loads that configuration; throws CONFIG_INVALID or CONFIG_MISSING. For the `journal` alone no address of it is read
   * and none of its secrets, for the `chain` none of the secrets, for the `market` none of the wallet.
   */
  config(needs?: 'everything' | 'market' | 'chain' | 'journal'): Promise<Config>
  readonly environment: Environment
  readonly cwd: string
  readonly terminal: Terminal
  readonly stdin: StandardInput
  /** Aborted by the first SIGINT or SIGTERM: finish what must be finished and return. */
  readonly signal: AbortSignal
  /** Aborted by SIGUSR2: sign nothing any more. */
  readonly halt: AbortSignal
  /** Calls back at every SIGHUP: read the configuration again. */
  readonly onHangUp: (listener: () => void) => void
  readonly clock: Clock
}

/** A leaf of the command line. */
export type Command = {
  readonly name: string
  readonly summary: string
  /** A line a person can paste, shown under `--help`. */
  readonly example: string
  /** Positional arguments as commander writes them: `<id>`, `[strategy...]`. */
  readonly arguments: readonly { readonly name: string; readonly summary: string }[]
  readonly options: OptionSpecs
  /** Its own configuration file, where nobody named one; without it, the bot's. */
  readonly defaultFile?: string
  /** Returns the exit code; nothing means 0. Failures are thrown. */
  run(invocation: Invocation): Promise<number | undefined>
}

/** Commands under one name: `ballast config check`. */
export type CommandGroup = {
  readonly name: string
  readonly summary: string
  readonly commands: readonly Command[]
}

/** What the file of a command exports, as `command`. */
export type CommandModule = { readonly command: Command | CommandGroup }

/**
 * Types a command by its options.
 *
 * @example
 * export const command = defineCommand({
 *   name: 'quote', summary: 'asks for a price', example: 'ballast quote --sell "1 WETH" --buy USDC',
 *   options: { sell: { flags: '--sell <amount>', summary: 'what to sell', required: true } },
 *   run: async ({ options, terminal }) => terminal.out(options.sell),
 * })
 */
export function defineCommand<const specs extends OptionSpecs = Record<never, never>>(definition: {
  readonly name: string
  readonly summary: string
  readonly example: string
  readonly arguments?: Command['arguments']
  readonly options?: specs
  readonly defaultFile?: string
  /** An exit code; whatever else it returns, nothing included, means 0. */
  run(invocation: Invocation<specs>): Promise<unknown>
}): Command {
  return {
    ...definition,
    arguments: definition.arguments ?? [],
    options: definition.options ?? {},
    async run(invocation) {
      const code = await definition.run(invocation as Invocation<specs>)
      return typeof code === 'number' ? code : undefined
    },
  }
}
