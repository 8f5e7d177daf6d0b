import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { journalExists } from '../../bot/journal/schema/openDatabase.ts'
import { type Database, journalName } from '../../bot/journal/store/database.ts'
import { failureText } from './failureText.ts'
import type { Finding, Scene } from './finding.ts'

/** Could the journal be written? Looks only; the database is made by the bot. */
export async function examineDatabase({
  config,
}: Pick<Scene, 'config'>): Promise<readonly Finding[]> {
  const { database } = config
  if (database.dialect === 'postgres') return examineServer(database)
  const { path } = database
  const target = existsSync(path) ? path : dirname(path)
  try {
    accessSync(target, constants.R_OK | constants.W_OK)
    return [{ name: 'database', state: 'ok', actual: path }]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return [
      {
        name: 'database',
        state: 'fail',
        expected: 'a folder that can be written to',
        actual:
          code === 'ENOENT' ? `there is no ${target}` : `${target} cannot be written (${code})`,
        fault: 'usage',
      },
    ]
  }
}

async function examineServer(database: Database): Promise<readonly Finding[]> {
  try {
    await journalExists(database)
    return [{ name: 'database', state: 'ok', actual: journalName(database) }]
  } catch (error) {
    return [
      {
        name: 'database',
        state: 'fail',
        expected: 'a server that answers and keeps what it is given',
        actual: failureText(error),
        fault: 'usage',
      },
    ]
  }
}
