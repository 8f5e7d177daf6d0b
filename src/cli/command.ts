import type { Config } from '../config/config.ts'
import type { BallastError } from '../core/errors.ts'
import type { ConfigScope, Invocation } from './invocation.ts'
import type { OptionSpecs } from './options.ts'

/** A leaf of the command line. */
export type Command = {
  readonly name: string
  readonly summary: string
  /** A line a person can paste, shown under `--help`. */
  readonly example: string
  /** Positional arguments as commander writes them: `<id>`, `[strategy...]`. */
  readonly arguments: readonly {
    readonly name: string
    readonly summary: string
    /** Where no other word is taken. */
    readonly words?: readonly string[]
  }[]
  readonly options: OptionSpecs
  /** Its own configuration file, where none was named; without it, the bot's. */
  readonly defaultFile?: string
  /**
   * Whether this call runs once for each wallet of a file with several, where none is named; without it, one must be
   * named.
   */
  readonly isForEach?: (call: {
    readonly args: readonly string[]
    readonly options: Readonly<Record<string, unknown>>
  }) => boolean
  /** Ctrl-C is how a person ends it, and no failure. */
  readonly endsByInterrupt?: boolean
  /** The exit code of a failure, where it is not that of its fault. */
  readonly exitCodeOfError?: (error: BallastError) => number
  /** Returns the exit code; nothing means 0. Failures are thrown. */
  run(invocation: Invocation): Promise<number | undefined>
}

/** Commands under one name: `ballast config check`. */
export type CommandGroup = {
  readonly name: string
  readonly summary: string
  readonly commands: readonly Command[]
}

/** The export of a command's file, as `command`. */
export type CommandModule = { readonly command: Command | CommandGroup }

/** Opens one thing a command needs. Everything it puts into `opened` is closed once the result is printed. */
export type Need<value> = (
  call: Omit<Invocation, 'options'> & { readonly config: Config },
  opened: AsyncDisposableStack,
) => Promise<value>

type Needs = Readonly<Record<string, Need<unknown>>>

type Given<
  specs extends OptionSpecs,
  scope extends ConfigScope | undefined,
  needs extends Needs,
> = Invocation<specs> & {
  readonly [name in keyof needs]: Awaited<ReturnType<needs[name]>>
} & { readonly config: scope extends ConfigScope ? Config : undefined }

type Description<specs extends OptionSpecs> = Omit<
  Command,
  'arguments' | 'options' | 'defaultFile' | 'run'
> & {
  readonly arguments?: Command['arguments']
  readonly options?: specs
  readonly defaultFile?: string
}

/**
 * A command with one result. It declares what of the configuration it reads and what else it needs, gets all of that
 * open, and returns data; `text` makes the text of it, and `--json` prints it as it is or as `document` has it. One
 * that returns undefined has printed already.
 *
 * @example
 * export const command = defineCommand({
 *   name: 'history', summary: 'what was done', example: 'ballast history',
 *   config: 'everything',
 *   needs: { journal: existingJournal },
 *   run: async ({ journal }) => ({ swaps: (await journal?.swaps.history({ limit: 20 })) ?? [] }),
 *   text: ({ swaps }) => `${swaps.length} swaps`,
 * })
 */
export function defineCommand<
  const specs extends OptionSpecs = Record<never, never>,
  const scope extends ConfigScope | undefined = undefined,
  needs extends Needs = Record<never, never>,
  result = undefined,
>(
  definition: Description<specs> & {
    readonly config?: scope
    readonly needs?: needs
    run(given: Given<specs, scope, needs>): Promise<result>
    text?(result: Exclude<result, undefined>, given: Given<specs, scope, needs>): string
    document?(result: Exclude<result, undefined>, given: Given<specs, scope, needs>): unknown
    exitCode?(result: result, given: Given<specs, scope, needs>): number
  },
): Command {
  const { run, text, document, exitCode } = definition
  return command(definition, async (invocation) => {
    await using opened = new AsyncDisposableStack()
    const given = (await openNeeds(definition, invocation, opened)) as Given<specs, scope, needs>
    const result = await run(given)
    if (result !== undefined) {
      const known = result as Exclude<result, undefined>
      if (!given.json && text !== undefined) given.terminal.out(text(known, given))
      else given.terminal.json(document === undefined ? known : document(known, given))
    }
    return exitCode?.(result, given)
  })
}

/** A command that prints while it runs, JSON or not, and returns its exit code; nothing means 0. */
export function defineStreaming<const specs extends OptionSpecs = Record<never, never>>(
  definition: Description<specs> & {
    run(invocation: Invocation<specs>): Promise<number | undefined>
  },
): Command {
  return command(definition, (invocation) => definition.run(invocation as Invocation<specs>))
}

const command = (definition: Description<OptionSpecs>, run: Command['run']): Command => ({
  ...definition,
  arguments: definition.arguments ?? [],
  options: definition.options ?? {},
  run,
})

async function openNeeds(
  {
    config: scope,
    needs = {},
  }: { readonly config?: ConfigScope | undefined; readonly needs?: Needs },
  invocation: Invocation,
  opened: AsyncDisposableStack,
) {
  const config = scope === undefined ? undefined : await invocation.load(scope)
  const values: Record<string, unknown> = {}
  if (config !== undefined)
    for (const [name, open] of Object.entries(needs))
      values[name] = await open({ ...invocation, config }, opened)
  return { ...invocation, ...values, config }
}
