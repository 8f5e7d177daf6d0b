import { defineCommand } from './command.ts'
import { completionScripts } from './completionScripts.ts'
import { oneOf } from './options.ts'

const readShell = oneOf('completion', ['bash', 'fish', 'zsh'])

export const command = defineCommand({
  name: 'completion',
  summary: 'completes commands in your shell',
  example: 'ballast completion bash',
  arguments: [{ name: '<shell>', summary: 'whose script is printed', words: readShell.words }],
  async run({ args: [shell = ''], commandWords, json, terminal }) {
    const script = completionScripts[readShell(shell)](await commandWords())
    if (json) return { script }
    // To the byte: a script is not broken at eighty columns.
    await terminal.data(`${script}\n`)
    return undefined
  },
})
