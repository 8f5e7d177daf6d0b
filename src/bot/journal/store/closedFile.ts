import { accessSync, constants, statSync } from 'node:fs'

/** The first of these files that is there and closed to this account, with its owner, in words; undefined where all are open. */
export function closedFile(files: readonly string[]): string | undefined {
  const closed = files.find(isClosed)
  if (closed === undefined) return undefined
  return `${closed} belongs to account ${statSync(closed).uid}, and this account may not write it`
}

/** A disk that is read-only is another matter, and no owner is to blame. */
function isClosed(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    return false
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'EACCES' && statSync(file, { throwIfNoEntry: false }) !== undefined
  }
}
