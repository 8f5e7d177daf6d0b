import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Disk } from '../../disk.ts'
import type { Database } from './database.ts'
import { fileBehind } from './fileBehind.ts'

/** The volume of a journal in a file; one on a server is the server's matter. */
export function diskOf(database: Database): Disk | undefined {
  if (database.dialect !== 'sqlite') return undefined
  const folder = dirname(fileBehind(database.path))
  return { folder, freeBytes: freeBytesOf(folder) }
}

export function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
