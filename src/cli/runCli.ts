import { CommanderError, Command as Parser } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import type { Environment } from '../config/file/variables.ts'
import type { Clock } from '../core/clock.ts'
import { type BallastError, ballastError } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'
import type { Command, CommandGroup } from './command.ts'
import { type CommandEntry, commands } from './commands.ts'
import { exitCodes } from './exitCodes.ts'
import { reportFailure } from './reportFailure.ts'
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

type Selected = {
  readonly command: Command
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly global: { readonly json?: true; readonly config?: string }
}

const botFile = 'ballast.yaml'

/** What a new user types, in this order; each says which is next. docs/START.md walks it. */
const way = `From nothing to an unattended bot:
  ballast config init --strategy dca, config check, doctor, plan, dry-run, run --paper, run
Every command has an example: ballast plan --help`

/** Runs one command line from arguments to exit code. Loads the file of the called command and no other. */
export async function runCli(call: Call): Promise<number> {
  const { argv, environment, terminal, signal } = call
  const json = argv.includes('--json')
  try {
    const selected = await select(call)
    if (selected === undefined) return exitCodes.done
    return await run(selected, call)
  } catch (failure) {
    if (signal.aborted && isAbort(failure, signal)) return exitCodes.interrupted
    const debug = ['debug', 'trace'].includes(environment.LOG_LEVEL ?? '')
    return reportFailure(failure, { terminal, json, debug })
  }
}

async function run({ command, args, options, global }: Selected, call: Call): Promise<number> {
  const {
    environment,
    cwd,
    terminal,
    stdin,
    signal,
    clock,
    halt = new AbortController().signal,
    onHangUp = () => {},
  } = call
  const configFile =
    global.config ?? (environment.BALLAST_CONFIG || (command.defaultFile ?? botFile))
  const code = await command.run({
    args,
    options: readOptions(command, options) as never,
    json: global.json === true,
    configFile,
    async config(needs = 'everything') {
      const { loadConfig } = await import('../config/loadConfig.ts')
      return loadConfig({ file: configFile, environment, cwd, needs })
    },
    environment,
    cwd,
    terminal,
    stdin,
    signal,
    halt,
    onHangUp,
    clock,
  })
  return code ?? exitCodes.done
}

/** Undefined when commander answered by itself: `--help`, `--version`. */
async function select({ argv: words, terminal }: Call): Promise<Selected | undefined> {
  // `ballast help quote` is what many try first.
  const argv = words[0] === 'help' ? [...words.slice(1), '--help'] : words
  const called = commandName(argv)
  const entry = commands.find(({ name }) => name === called)
  if (called !== undefined && entry === undefined) throw unknownCommand(called, commands)

  let selected: Selected | undefined
  const loaded = await entry?.load()
  const ownFile =
    loaded === undefined || isGroup(loaded.command)
      ? botFile
      : (loaded.command.defaultFile ?? botFile)
  const complaints: string[] = []
  const program = new Parser('ballast')
    .description('Swaps tokens for people who are responsible for money.')
    .version(packageJson.version)
    .option('--json', 'one JSON document on stdout; logs on stderr')
    .option('--config <file>', `configuration file (default: $BALLAST_CONFIG or ${ownFile})`)
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => complaints.push(text),
    })
    .exitOverride()

  program.addHelpText('after', `\n${way}`)

  const addLeaf = (parent: Parser, command: Command): void => {
    const parser = parent.command(command.name).description(command.summary)
    parser.addHelpText('after', `\nExample:\n  ${command.example}`)
    for (const { name, summary } of command.arguments) parser.argument(name, summary)
    for (const { flags, summary, required } of Object.values(command.options))
      if (required === true) parser.requiredOption(flags, summary)
      else parser.option(flags, summary)
    parser.action(() => {
      selected = {
        command,
        args: parser.args,
        options: parser.opts(),
        global: program.opts(),
      }
    })
  }

  for (const { name, summary } of commands)
    if (loaded === undefined || name !== entry?.name) program.command(name).description(summary)
    else if (!isGroup(loaded.command)) addLeaf(program, loaded.command)
    else {
      const group = program.command(name).description(summary).helpCommand(false)
      const examples = loaded.command.commands.map(({ example }) => `  ${example}`)
      group.addHelpText('after', `\nExamples:\n${examples.join('\n')}`)
      for (const command of loaded.command.commands) addLeaf(group, command)
    }

  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return undefined
    throw misuse(error, complaints, selectedExample(loaded?.command, argv))
  }
  return selected
}

/** The first word that is not a global option. Known before parsing, so that only its file is loaded. */
function commandName(argv: readonly string[]): string | undefined {
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? ''
    if (word === '--config') index += 1
    else if (!word.startsWith('-')) return word
  }
  return undefined
}

function readOptions(command: Command, values: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(command.options).map(([name, spec]) => {
      const value = values[name]
      if (!spec.flags.includes('<')) return [name, value === true]
      return [name, typeof value === 'string' && spec.read ? spec.read(value) : value]
    }),
  )
}

const isGroup = (command: Command | CommandGroup): command is CommandGroup => 'commands' in command

function isAbort(failure: unknown, signal: AbortSignal): boolean {
  return failure === signal.reason || (failure instanceof Error && failure.name === 'AbortError')
}

function unknownCommand(called: string, known: readonly CommandEntry[]): BallastError {
  const meant = nearest(
    called,
    known.map(({ name }) => name),
  )
  return usage(
    meant === undefined
      ? `'${withoutKeys(called).slice(0, 64)}' is not a command; 'ballast --help' lists them.`
      : `'${called}' is not a command; did you mean '${meant}'?`,
  )
}

/** commander's complaint as one sentence. Without a command its complaint is the whole help text. */
/** The example of the command that was called, for whoever left something out. */
function selectedExample(
  called: Command | CommandGroup | undefined,
  argv: readonly string[],
): string {
  if (called === undefined) return ''
  if (!isGroup(called)) return called.example
  return called.commands.find(({ name }) => argv.includes(name))?.example ?? ''
}

function misuse(
  error: CommanderError,
  complaints: readonly string[],
  example: string,
): BallastError {
  if (error.code === 'commander.help') return usage(`Which command?\n\n${complaints.join('')}`)
  const excess = /^error: too many arguments for '([\w-]+)'\. Expected (\d+)/.exec(error.message)
  if (excess !== null)
    return usage(
      `Too many arguments for '${excess[1]}': it takes ${excess[2]} (what was given is not shown).`,
    )
  const sentence = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.+)\?\)$/, "; did you mean '$1'?")
    .trim()
  const hint =
    example !== '' && error.code === 'commander.missingMandatoryOptionValue'
      ? ` For example: ${example}`
      : ''
  return usage(
    /[.?]$/.test(sentence)
      ? sentence[0]?.toUpperCase() + sentence.slice(1) + hint
      : `${sentence[0]?.toUpperCase()}${sentence.slice(1)}.${hint}`,
  )
}

/** What could be a private key is not repeated, wherever on the line it was written. */
const withoutKeys = (text: string) => text.replace(/(?:0x)?[0-9a-f]{64,}/gi, '[not shown]')

function usage(summary: string): BallastError {
  return ballastError('USAGE', withoutKeys(summary))
}
