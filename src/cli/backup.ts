import { resolve } from 'node:path'
import { backUp } from '../bot/journal/copies.ts'
import { copyProgress } from '../bot/journal/copyProgress.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { journalName } from '../bot/journal/store/database.ts'
import { partialOf } from '../bot/journal/store/names.ts'
import { ballastError } from '../core/errors.ts'
import { defineCommand } from './command.ts'
import { whileWorking } from './whileWorking.ts'

export const command = defineCommand({
  name: 'backup',
  summary: 'copies the journal into a new file, also while the bot runs',
  example: 'ballast backup /backups/ballast-2026-11-22.db',
  arguments: [{ name: '<file>', summary: 'the copy; it must not exist yet' }],
  config: 'journal',
  async run({ args: [file = ''], config, clock, terminal }) {
    const { database } = config
    if (!(await journalExists(database)))
      throw ballastError('NO_JOURNAL', `There is no journal at ${journalName(database)}.`)
    const partial = partialOf(resolve(file))
    return whileWorking(
      { terminal, clock },
      () => copyProgress(database, partial),
      () => backUp({ database, clock }, file),
    )
  },
  text: ({ file, count, head }) =>
    `Copied and verified: ${count} entries, head ${head}.\nIn ${file}. Keep the hash elsewhere: it shows later whether the copy was changed.`,
})
