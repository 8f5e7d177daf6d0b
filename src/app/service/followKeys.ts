import { statSync } from 'node:fs'
import type { Logger } from 'pino'
import { readKeysFile } from '../../config/service/readKeysFile.ts'
import type { Clock } from '../../core/clock.ts'
import { BallastError } from '../../core/errors.ts'
import type { Service } from '../../service/createService.ts'

/** Within this time a key that was taken out of the file is refused. */
const followMs = 2_000

/**
 * Hands the keys of a file to the service now, and again whenever the file changes, so that a key is revoked without a
 * restart. A file that cannot be read later leaves the last keys in force, and is reported every time.
 */
export function followKeys(
  service: Pick<Service, 'replaceKeys'>,
  { file, clock, log }: { file: string; clock: Clock; log: Logger },
): { stop(): Promise<void> } {
  const stop = new AbortController()
  let seen = versionOf(file)
  service.replaceKeys(readKeysFile(file))

  const follow = async () => {
    while (!stop.signal.aborted) {
      await clock.sleep(followMs, stop.signal).catch(() => undefined)
      if (stop.signal.aborted) continue
      try {
        const version = versionOf(file)
        if (version === seen) continue
        const keys = readKeysFile(file)
        service.replaceKeys(keys)
        seen = version
        log.info({ keys: keys.length }, 'the API keys were replaced')
      } catch (err) {
        if (!(err instanceof BallastError) && !isOfFiles(err)) throw err
        log.error({ err }, 'the file of API keys is not right; the last keys stay in force')
      }
    }
  }
  const following = follow()
  return {
    async stop() {
      stop.abort()
      await following
    },
  }
}

/** Its folder may be closed to us. */
const isOfFiles = (error: unknown) => error instanceof Error && 'syscall' in error

/** Undefined while there is no such file, as for a moment when an editor replaces it. */
function versionOf(file: string): string | undefined {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
  // The last change of any kind: a change of rights leaves the time of the last write as it was.
  return stat && `${stat.ino}:${stat.size}:${stat.ctimeNs}`
}
