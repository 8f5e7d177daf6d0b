import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Finding, Scene } from './finding.ts'

/** Could the journal be written? Looks only; the database is made by the bot. */
export function examineDatabase({ config }: Pick<Scene, 'config'>): readonly Finding[] {
  const { path } = config.database
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
