import type { Config } from '../../src/config/config.ts'

/** The file of a journal that is one. */
export function pathOf({ database }: Pick<Config, 'database'>): string {
  if (database.dialect !== 'sqlite') throw new Error('the journal is a file')
  return database.path
}
