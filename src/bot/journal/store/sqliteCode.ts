/** SQLite's own codes. */
export const busy = 5
export const full = 13
/** Read-only, input or output failed, torn, cannot be opened, no database: the file or its disk, and no query. */
const ofTheFile: readonly number[] = [8, 10, 11, 14, 26]

/** SQLite's own code of a failure: the extended ones have it in their lowest byte. 0 where it is no failure of SQLite. */
export const primaryCode = (error: unknown): number =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0

export const isOfTheFile = (error: unknown): boolean => ofTheFile.includes(primaryCode(error))
