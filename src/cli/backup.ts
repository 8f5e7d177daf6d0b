import { backUp } from '../bot/journal/copies.ts'
import { journalExists } from '../bot/journal/schema/openDatabase.ts'
import { journalName } from '../bot/journal/store/database.ts'
import { ballastError } from '../core/errors.ts'
import { defineCommand } from './command.ts'

export const command = defineCommand({
  name: 'backup',
  summary: 'copies the journal into a new file, also while the bot runs',
  example: 'ballast backup /backups/ballast-2026-11-22.db',
  arguments: [{ name: '<file>', summary: 'the copy; it must not exist yet' }],
  config: 'journal',
  async run({ args, config, clock }) {
    const { database } = config
    if (!(await journalExists(database)))
      throw ballastError('NO_JOURNAL', `There is no journal at ${journalName(database)}.`)
    return backUp({ database, clock }, args[0] ?? '')
  },
  text: ({ file, count, head }) =>
    `Copied and verified: ${count} entries, head ${head}.\nIn ${file}. Keep the hash elsewhere: it shows later whether the copy was changed.`,
})
