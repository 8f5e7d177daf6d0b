import { CommanderError, Command as Parser } from 'commander'
import { usageError } from '../core/errors.ts'
import type { Command, CommandGroup } from './command.ts'
import { commands } from './commands.ts'
import { globalOptions } from './globalOptions.ts'
import { misuse, unknownCommand } from './misuse.ts'
import type { Terminal } from './terminal.ts'

type Global = {
  readonly json?: true
  readonly config?: string
  readonly wallet?: string
  readonly quiet?: true
  readonly verbose?: true
}

/** The command that was called, with what it was called with. */
export type CommandLine = {
  readonly command: Command
  readonly args: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
  readonly global: Global
}

export const botFile = 'ballast.yaml'

/** The commands a new user types, in this order; each names the next. docs/START.md walks it. */
const way = `From nothing to an unattended bot:
  ballast config init --strategy dca, config check, doctor, plan, dry-run, run --paper, run
Every command has an example: ballast plan --help`

/** Undefined when commander answered by itself: `--help`, `--version`. Throws USAGE. */
export async function parseCommandLine(
  words: readonly string[],
  terminal: Terminal,
): Promise<CommandLine | undefined> {
  // `ballast help quote` and `ballast version` are what many try first.
  const argv = words[0] === 'help' ? [...words.slice(1), '--help'] : words
  if (['version', '-V', '--version'].includes(argv[0] ?? '')) {
    const { versionText } = await import('./versionText.ts')
    terminal.out(versionText())
    return undefined
  }
  const called = commandName(argv)
  const entry = commands.find(({ name }) => name === called)
  if (called !== undefined && entry === undefined)
    throw unknownCommand(
      called,
      commands.map(({ name }) => name),
    )
  const command = (await entry?.load())?.command
  const complaints: string[] = []
  let selected: CommandLine | undefined
  const program = createProgram(command)
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      getOutHelpWidth: () => terminal.columns,
      writeErr: (text) => complaints.push(text),
    })
    .exitOverride()
  const addLeaf = (parent: Parser, leaf: Command): void => {
    const parser = addCommand(parent, leaf)
    parser.action(() => {
      const options = readOptions(leaf, parser.opts())
      selected = { command: leaf, args: parser.args, options, global: program.opts() }
    })
  }
  for (const { name, summary } of commands)
    if (command === undefined || name !== called) program.command(name).description(summary)
    else if (!isGroup(command)) addLeaf(program, command)
    else {
      const group = program.command(name).description(summary).helpCommand(false)
      const examples = command.commands.map(({ example }) => `  ${example}`)
      group.addHelpText('after', `\nExamples:\n${examples.join('\n')}`)
      for (const leaf of command.commands) addLeaf(group, leaf)
    }
  try {
    await program.parseAsync([...argv], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return undefined
    const group = command !== undefined && isGroup(command) ? command.name : undefined
    const json = argv.includes('--json')
    throw misuse(error, { complaints, example: exampleOf(command, argv), group, json })
  }
  if (selected?.global.quiet && selected.global.verbose)
    throw usageError('Either --quiet or --verbose, not both.')
  return selected
}

function createProgram(command: Command | CommandGroup | undefined): Parser {
  const ownFile =
    command === undefined || isGroup(command) ? botFile : (command.defaultFile ?? botFile)
  const program = new Parser('ballast')
    .description('Swaps tokens for people who are responsible for money.')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', `\n${way}`)
  for (const { flags, summary } of globalOptions(ownFile)) program.option(flags, summary)
  return program
}

function addCommand(parent: Parser, command: Command): Parser {
  const parser = parent.command(command.name).description(command.summary)
  parser.addHelpText('after', `\nExample:\n  ${command.example}`)
  for (const { name, summary } of command.arguments) parser.argument(name, summary)
  for (const { flags, summary, required } of Object.values(command.options))
    if (required === true) parser.requiredOption(flags, summary)
    else parser.option(flags, summary)
  return parser
}

/** Global options that the next word belongs to. */
const withValue = globalOptions('').flatMap(({ flags }) =>
  flags.includes('<') ? flags.split(/[ ,]+/).filter((word) => word.startsWith('-')) : [],
)

/** The first word that is not a global option. Known before parsing, so that only its file is loaded. */
function commandName(argv: readonly string[]): string | undefined {
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? ''
    if (withValue.includes(word)) index += 1
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

/** The example of the command that was called, for a caller who left something out. */
function exampleOf(called: Command | CommandGroup | undefined, argv: readonly string[]): string {
  if (called === undefined) return ''
  if (!isGroup(called)) return called.example
  return called.commands.find(({ name }) => argv.includes(name))?.example ?? ''
}
