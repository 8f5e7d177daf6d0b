import { lchownSync, lstatSync, statSync } from 'node:fs'
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
