import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * A file or folder that root has just made beside a journal is for the account of its folder, which could not write it
 * otherwise. A link, which that account may have laid, is left alone; so is everything on a disk without owners.
 */
export function giveToFolder(file: string): void {
  if (process.getuid?.() !== 0) return
  try {
    const { uid, gid } = statSync(dirname(file))
    const made = lstatSync(file)
    const isNew = made.isDirectory() || (made.isFile() && made.nlink === 1)
    if (isNew && made.uid === 0) lchownSync(file, uid, gid)
  } catch {
    // Root can use it all the same.
  }
}

/**
 * The same of a journal, an archive or their folder. Where root has the folder and its group may write there, the accounts
 * that use it are that group.
 */
export function giveToAccounts(made: string): void {
  giveToFolder(made)
  const folder = statSync(dirname(made), { throwIfNoEntry: false })
  if (process.getuid?.() === 0 && folder?.uid === 0) shareWithFolder(made)
}

/** Makes a folder, with those above it. What root makes of them is for the accounts of the one that was there. */
export function makeFolder(folder: string, mode?: number): void {
  const whole = resolve(folder)
  const first = mkdirSync(whole, { recursive: true, mode })
  if (first === undefined) return
  const made = [whole]
  for (let last = made[0]; last !== undefined && last !== resolve(first); ) {
    last = dirname(last)
    made.unshift(last)
  }
  for (const one of made) giveToAccounts(one)
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
