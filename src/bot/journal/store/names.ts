import { closeSync, fsyncSync, linkSync, lstatSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'

/** The name of a copy until it is whole. */
export const partialOf = (file: string) => `${file}.partial`

/** Gives a copy its name, which is on disk when this returns. */
export function takeName(partial: string, file: string): void {
  renameSync(partial, file)
  sync(dirname(file))
}

/** The same; throws EEXIST where anything has that name by now, and leaves both as they are. */
export function takeNewName(partial: string, file: string): void {
  if (hasLinked(partial, file)) rmSync(partial)
  // Between this look and the renaming there is no way to be sure.
  else if (lstatSync(file, { throwIfNoEntry: false }) === undefined) renameSync(partial, file)
  else throw Object.assign(new Error('it is there by now'), { code: 'EEXIST' })
  sync(dirname(file))
}

/** Gives a file a second name; false on a disk without links. */
export function hasLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['EPERM', 'ENOTSUP', 'EMLINK', 'ENOSYS'].includes(code)) return false
    throw error
  }
}

/** What the file has is on disk when this returns. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
