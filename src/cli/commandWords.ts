import { BallastError } from '../core/errors.ts'
import type { Command } from './command.ts'
import { type CommandEntry, commands } from './commands.ts'
import type { CommandWords, OptionWords } from './completionScripts.ts'
import { globalOptions } from './globalOptions.ts'
import type { OptionSpec } from './options.ts'

/** The table of the commands, opened: every command with its options. */
export async function commandWords(file: string): Promise<readonly CommandWords[]> {
  const global = globalOptions(file).map(wordsOf)
  const leafWords = (path: string, leaf: Command): CommandWords => ({
    path,
    words: leaf.arguments.flatMap(({ words = [] }) => words.map((name) => ({ name, summary: '' }))),
    options: [...Object.values(leaf.options).map(wordsOf), ...global],
  })
  const loaded = await Promise.all(
    commands.map(async ({ name, load }): Promise<readonly CommandWords[]> => {
      const command = await openCommand(load)
      if (command === undefined) return []
      if (!('commands' in command)) return [leafWords(name, command)]
      const leaves = command.commands.map((leaf) => leafWords(`${name} ${leaf.name}`, leaf))
      return [{ path: name, words: command.commands, options: global }, ...leaves]
    }),
  )
  const there = commands.filter((_, index) => (loaded[index]?.length ?? 0) > 0)
  return [{ path: '', words: there, options: global }, ...loaded.flat()]
}

/** Undefined where this release does not have it. */
async function openCommand(load: CommandEntry['load']) {
  try {
    return (await load()).command
  } catch (error) {
    if (error instanceof BallastError && error.code === 'SANDBOX_MISSING') return undefined
    throw error
  }
}

function wordsOf({ flags, summary, read }: OptionSpec): OptionWords {
  const name = /--[a-z0-9-]+/.exec(flags)?.[0] ?? flags
  return { name, summary, values: flags.includes('<') ? (read?.words ?? []) : undefined }
}
