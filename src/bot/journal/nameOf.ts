import type { Database } from './database.ts'

/** A journal as messages call it: the path of its file, or server and database without who asks. */
export function journalName(database: Database): string {
  if (database.dialect === 'sqlite') return database.path
  const { host, pathname } = new URL(database.url.reveal())
  return `postgres://${host}${pathname}`
}
