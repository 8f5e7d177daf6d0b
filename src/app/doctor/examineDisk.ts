import { type Disk, fullBytes, lowBytes, mebibytes, pauseByDisk } from '../../bot/disk.ts'
import type { Finding } from './finding.ts'

/** Is there room for the journal? By the same limits as a running bot; one on a server is the server's matter. */
export function examineDisk(disk: Disk | undefined): readonly Finding[] {
  if (disk === undefined) return []
  const free = `${mebibytes(disk.freeBytes)} are free in ${disk.folder}`
  if (pauseByDisk(disk) !== undefined)
    return [
      {
        ...{ name: 'disk', state: 'fail', fault: 'usage' },
        expected: `${mebibytes(fullBytes)} at least: below that nothing new begins (DISK_FULL)`,
        actual: free,
      },
    ]
  return disk.freeBytes < lowBytes
    ? [
        {
          ...{ name: 'disk', state: 'warn' },
          expected: `${mebibytes(lowBytes)} or more (DISK_LOW)`,
          actual: free,
        },
      ]
    : [{ name: 'disk', state: 'ok', actual: free }]
}
