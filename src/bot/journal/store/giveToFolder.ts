import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'

/**
 * A file that root has just made beside a journal is for the account of its folder, which could not write it otherwise. A
 * link, which that account may have laid, is left alone; so is every file on a disk without owners.
 */
export function giveToFolder(file: string): void {
  if (process.getuid?.() !== 0) return
  try {
    const { uid, gid } = statSync(dirname(file))
    const made = lstatSync(file)
    if (made.isFile() && made.nlink === 1 && made.uid === 0) lchownSync(file, uid, gid)
  } catch {
    // Root can use it all the same.
  }
}

/**
 * Lets the group of a folder that it may write do with a new file or folder in it what the owner may. Not where every account
 * may write: its group says nothing there. SQLite must not have the file open: closing it here would drop its locks.
 */
export function shareWithFolder(made: string): void {
  try {
    const { gid, mode } = statSync(dirname(made))
    if ((mode & 0o022) !== 0o020) return
    // By its number and not its name, which another account of the group could give to a link meanwhile.
    const file = openSync(made, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      share(file, gid)
    } finally {
      closeSync(file)
    }
  } catch {
    // It stays with the account that made it; every other is told so when it opens the file.
  }
}

function share(file: number, gid: number): void {
  const found = fstatSync(file)
  if (found.isFile() && found.nlink !== 1) return
  // The owner stays.
  if (found.gid !== gid) fchownSync(file, -1, gid)
  fchmodSync(file, (found.mode & 0o7777) | ((found.mode & 0o700) >> 3))
}
