import { realpathSync } from 'node:fs'
import { format, parse } from 'node:path'
import { type Database, journalName } from '../bot/journal/store/database.ts'
import type { Config } from '../config/config.ts'
import { ballastError } from '../core/errors.ts'
import { secret } from '../core/secret.ts'

/**
 * The same configuration with the journal of runs on paper: `ballast.db` becomes `ballast.paper.db` beside it, and the
 * database `ballast` of a server `ballast_paper`. Throws PAPER_DATABASE_LIVE where both names are one file.
 */
export function onPaper(config: Config): Config {
  const database = beside(config.database)
  const [live, paper] = [fileOf(config.database), fileOf(database)]
  if (live !== undefined && live === paper)
    throw ballastError(
      'PAPER_DATABASE_LIVE',
      'The journal of runs on paper is the live one under another name.',
      {
        live: journalName(config.database),
        paper: journalName(database),
        next: 'remove the link',
      },
    )
  return { ...config, database }
}

function beside(database: Database): Database {
  if (database.dialect === 'sqlite') {
    const { dir, name, ext } = parse(database.path)
    return { dialect: 'sqlite', path: format({ dir, name: `${name}.paper`, ext }) }
  }
  const url = new URL(database.url.reveal())
  url.pathname = `${url.pathname}_paper`
  return { ...database, url: secret(url.href) }
}

/** Which file it really is; undefined where there is none yet, or a server. */
function fileOf(database: Database): string | undefined {
  if (database.dialect !== 'sqlite') return undefined
  try {
    return realpathSync(database.path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
