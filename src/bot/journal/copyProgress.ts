import { statSync } from 'node:fs'
import type { Database } from './store/database.ts'

/** How far a copy of the journal is, by the bytes that are there of it; how many a server's journal will have is not known. */
export function copyProgress(database: Database, partial: string): string {
  const mebibytes = (path: string) => (bytesOf(path) / 1024 ** 2).toFixed(1)
  const of = database.dialect === 'sqlite' ? ` of about ${mebibytes(database.path)}` : ''
  return `Copying the journal: ${mebibytes(partial)}${of} MiB; then the copy is read through.`
}

function bytesOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0
  } catch {
    // A folder that is closed to this account: the copy itself fails there, and says so.
    return 0
  }
}
