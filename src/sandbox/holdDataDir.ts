import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { ballastError } from '../core/errors.ts'
import { replaceFile } from './replaceFile.ts'

/** A chain whose starter was killed still writes its state before it ends. */
const waitMsMax = 10_000

/**
 * Waits until no other chain writes to this data directory. Two of them would overwrite each other's state, and one that
 * starts while the last is still writing would read half of it.
 */
export async function holdDataDir(
  dataDir: string,
  { clock }: { clock: Clock },
): Promise<{ by(pid: number): void; release(): void }> {
  const file = join(dataDir, 'chain.pid')
  const until = clock.now() + waitMsMax
  for (let pid = holder(file); pid !== undefined && isRunning(pid); pid = holder(file)) {
    if (clock.now() >= until)
      throw ballastError('DATA_DIR_IN_USE', 'Another sandbox is using this data directory.', {
        dataDir,
        pid,
      })
    await clock.sleep(100)
  }
  return {
    by: (pid) => replaceFile(file, `${pid}\n${startOf(pid)}`),
    release: () => rmSync(file, { force: true }),
  }
}

function holder(file: string): number | undefined {
  try {
    const [number, start = ''] = readFileSync(file, 'utf8').split('\n')
    const pid = Number(number)
    if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
    const found = startOf(pid)
    // A number alone is of an earlier version, or of a system that does not say more.
    return start === '' || found === '' || start === found ? pid : undefined
  } catch {
    return undefined
  }
}

/**
 * When a process began, as Linux counts it; elsewhere ''. The machine gives the number of one that was killed to another,
 * most readily after it was started anew, and in a container.
 */
function startOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Its name, in brackets, may have spaces. The start is the twentieth behind it.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${boot} ${ticks}`
  } catch {
    return ''
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
