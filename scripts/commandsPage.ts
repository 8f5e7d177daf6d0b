import type { Command } from '../src/cli/command.ts'
import { botFile } from '../src/cli/commandLine.ts'
import { commands } from '../src/cli/commands.ts'
import { exitCodes } from '../src/cli/exitCodes.ts'
import { globalOptions } from '../src/cli/globalOptions.ts'
import { markdownTable } from './markdownTable.ts'

const endings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'done',
  internal: 'an unexpected failure; of `reconcile`: books and chain differ',
  usage: 'the command line or a configuration file is wrong',
  refused: 'a check or a policy refused',
  upstream: 'the quoting service or the node is away, or answers in a way that does not pass',
  locked: 'halted or locked',
  unsettled: 'a swap ended without settling',
  again: '`run` ended for a cause that passes: start it again',
  interrupted: 'interrupted',
}

const exitRows = (Object.keys(endings) as (keyof typeof endings)[]).map((name) => [
  String(exitCodes[name]),
  endings[name],
])

/** The reference of every command, from the definitions that parse and run it. */
export async function commandsPage(): Promise<string> {
  const sections = await Promise.all(
    commands.map(async ({ name, summary, load }) => {
      const { command } = await load()
      if (!('commands' in command)) return sectionOf(command, name)
      const leaves = command.commands.map((leaf) => sectionOf(leaf, `${name} ${leaf.name}`))
      return `## ${name}\n\n${sentence(summary)}\n\n${leaves.join('\n').replaceAll(/^## /gm, '### ')}`
    }),
  )
  return `# Commands

Every command with its arguments, its options and an example. This page is generated: \`npm run docs\` writes it from the
definitions in \`src/cli\`. \`ballast COMMAND --help\` prints the same. In a clone, \`npx ballast-bot\` is the program.

From nothing to an unattended bot, each command names the next: \`config init\` → \`config check\` → \`doctor\` → \`plan\` →
\`dry-run\` → \`run --paper\` → \`run\` (docs/START.md).

## Options of every command

${markdownTable([['option', 'meaning'], ...globalOptions(botFile).map(({ flags, summary }) => [`\`${flags}\``, summary])])}

## Exit codes

${markdownTable([['code', 'means'], ...exitRows])}

\`status --check\` ends with codes of its own, from 10 to 15 (docs/MONITORING.md); a supervisor goes by those of
\`run\` (docs/SUPERVISORS.md).

${sections.join('\n')}`
}

function sectionOf({ summary, example, arguments: words, options }: Command, path: string): string {
  const rows = [
    ...words.map((word) => [
      `\`${word.name}\``,
      `${plain(word.summary)}${word.words === undefined ? '' : `: ${word.words.map((one) => `\`${one}\``).join(', ')}`}`,
    ]),
    ...Object.values(options).map(({ flags, summary: about, required }) => [
      `\`${flags}\``,
      `${plain(about)}${required === true ? ' (required)' : ''}`,
    ]),
  ]
  const table = rows.length === 0 ? '' : `\n${markdownTable([['given', 'meaning'], ...rows])}\n`
  return `## ${path}\n\n${sentence(summary)}\n\n\`${example}\`\n${table}`
}

/** A placeholder such as <world> is text, and no element. */
const plain = (text: string) => text.replaceAll('<', '&lt;')

const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
