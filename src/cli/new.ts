import { relative, resolve } from 'node:path'
import { writeTemplate } from '../app/writeTemplate.ts'
import { shellWord } from '../core/shellWord.ts'
import { type CommandGroup, defineCommand } from './command.ts'

const strategy = defineCommand({
  name: 'strategy',
  summary: 'writes a strategy that runs, with its test, into a folder; never over a file',
  example: 'ballast new strategy my-strategy',
  arguments: [{ name: '<folder>', summary: 'its name becomes that of the strategy' }],
  async run({ args: [folder = ''], cwd, configFile }) {
    const path = resolve(cwd, folder)
    const { written } = writeTemplate(path)
    const use = pathFrom(resolve(cwd, configFile, '..'), resolve(path, 'strategy.ts'))
    return { folder, use, written }
  },
  text: ({ folder, use, written }, { configFile }) =>
    [
      written.length === 0
        ? `Every file is there, and stays as it is: ${folder}`
        : `Wrote ${written.join(', ')} into ${folder}.`,
      `In ${configFile} it is 'use: ${use}'; README.md has the whole entry.`,
      `Next: cd ${shellWord(folder)} && node --test strategy.test.ts`,
    ].join('\n'),
})

/** As `use:` takes it: a path that leaves the folder begins with `../`. */
function pathFrom(folder: string, file: string): string {
  const path = relative(folder, file).replaceAll('\\', '/')
  return path.startsWith('../') ? path : `./${path}`
}

export const command: CommandGroup = {
  name: 'new',
  summary: 'begins a strategy of your own, in a folder of yours',
  commands: [strategy],
}
