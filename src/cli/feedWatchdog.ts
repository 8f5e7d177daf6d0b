import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Log } from '../bot/report/createLog.ts'
import type { Environment } from '../config/file/variables.ts'
import type { Clock } from '../core/clock.ts'

const notify = promisify(execFile)

/**
 * Tells systemd that this process moves, three times in the `WatchdogSec=` of its unit, until `signal` is aborted. A
 * process that stands still tells nothing, and systemd starts another. Without a unit that waits for it, it does nothing.
 * Node has no sockets of this kind: systemd's own program sends the message.
 */
export async function feedWatchdog({
  environment,
  clock,
  log,
  signal,
}: {
  environment: Environment
  clock: Clock
  log: Log
  signal: AbortSignal
}): Promise<void> {
  const { NOTIFY_SOCKET, WATCHDOG_USEC, PATH } = environment
  if (!NOTIFY_SOCKET || !WATCHDOG_USEC) return
  const everyMs = Number(WATCHDOG_USEC) / 3_000
  try {
    for (;;) {
      const env = { NOTIFY_SOCKET, ...(PATH === undefined ? {} : { PATH }) }
      await notify('systemd-notify', ['WATCHDOG=1'], { env }).catch((err: unknown) =>
        log.error({ err }, 'systemd cannot be told that the bot moves, and will start another'),
      )
      await clock.sleep(everyMs, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
