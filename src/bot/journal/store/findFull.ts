import { full, primaryCode } from './sqliteCode.ts'

/** SQLite's own code where a write failed for another reason than room, such as a quota. */
const writeFailed = 778

/** The failure of a disk that takes no more, in an error or behind it; undefined where there is none. */
export function findFull(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', errcode } = error as NodeJS.ErrnoException & { readonly errcode?: number }
  const isFull =
    ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code) ||
    primaryCode(error) === full ||
    errcode === writeFailed
  return isFull ? error : findFull(error.cause)
}
