import type { NewLock } from './lock.ts'

/** The volume of a journal, and how much of it is free. */
export type Disk = { readonly folder: string; readonly freeBytes: number }

/** Below this a person is told: some years of a journal. */
export const lowBytes = 2 ** 30

/** Below this nothing new begins: what is under way, and the write-ahead file, need a thirtieth of it. */
export const fullBytes = 2 ** 27

/** Why nothing new begins on a disk that is nearly full; undefined where there is room. It holds for as long as it is so. */
export function pauseByDisk(disk: Disk | undefined): NewLock | undefined {
  if (disk === undefined || disk.freeBytes >= fullBytes) return undefined
  return {
    kind: 'pause',
    scope: 'all',
    code: 'DISK_FULL',
    reason: `${mebibytes(disk.freeBytes)} are free for the journal in ${disk.folder}; with ${mebibytes(fullBytes)} it goes on by itself`,
    expiresAt: undefined,
  }
}

export const mebibytes = (bytes: number) => `${Math.floor(bytes / 2 ** 20)} MiB`
