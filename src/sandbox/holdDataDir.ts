import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { ballastError } from '../core/errors.ts'

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
    by: (pid) => writeFileSync(file, `${pid}\n`),
    release: () => rmSync(file, { force: true }),
  }
}

function holder(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
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
