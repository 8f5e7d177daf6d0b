import { readFileSync } from 'node:fs'

/**
 * The process that spends from the journal: the one that `lockJournal` named beside it, where that is still there.
 *
 * For people to read. What keeps a second process out is the lock, and a number may be given to another process.
 */
export function lockHolder(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(`${path}.pid`, 'utf8'))
    if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
    process.kill(pid, 0)
    return pid
  } catch {
    // No file, no such process or one of another user: nobody whom the reader could signal. Nothing hangs on it.
    return undefined
  }
}
