import type { AlertItem } from '../../bot/journal/alerts/alerts.ts'
import type { Log } from '../../bot/report/createLog.ts'
import { createHttp } from '../../chain/http.ts'
import type { Clock } from '../../core/clock.ts'
import { display } from '../../core/display.ts'
import type { Secret } from '../../core/secret.ts'
import { minuteMs } from '../../core/spans.ts'
import { answerBytesMax, refusalOfAnswer, timeoutMs, unlessAway } from './channel.ts'

type Parts = {
  /** The address of a check of its own at a service that alarms when no request comes. */
  readonly url: Secret
  /** What keeps the bot from calling now. */
  readonly hindrance: () => Promise<Pick<AlertItem, 'code'> | undefined>
  readonly clock: Clock
  readonly log: Log
}

/**
 * Of attention: what the switch alone can tell by hearing nothing. A process that lives and cannot look at its market;
 * channels that all refuse; and, where there is no channel, a lock that only a person releases.
 */
export function hindranceIn<item extends Pick<AlertItem, 'kind' | 'code' | 'severity'>>(
  items: readonly item[],
  channels: readonly string[],
): item | undefined {
  const refusing = items.filter(({ kind }) => kind === 'alert')
  return (
    items.find(({ kind }) => kind === 'look' || kind === 'head') ??
    (channels.length === 0
      ? items.find(({ kind, severity }) => kind === 'lock' && severity === 'critical')
      : refusing[channels.length - 1])
  )
}

/**
 * Calls an external dead-man switch each minute as long as the bot is alive and nothing hinders it. The first call is a minute
 * after the start: a bot that ends and is started again, over and over, calls nothing.
 */
export function createHeartbeat({ url, hindrance, clock, log }: Parts) {
  const http = createHttp({
    ...{ url: url.reveal(), name: 'dead-man switch', setBy: 'HEARTBEAT_URL' },
    ...{ timeoutMs, maxBytes: answerBytesMax },
  })

  async function beat(signal: AbortSignal): Promise<void> {
    const found = await hindrance()
    // A bot whose start has failed meanwhile is not well.
    if (signal.aborted) return
    if (found !== undefined) return log.warn({ code: found.code }, 'no heartbeat')
    const refused = await unlessAway(async () => {
      const answer = await http.send({ method: 'GET', path: '' })
      // Services answer 200 for a check that was deleted too; nothing watches then.
      if (/not found|rate limited/i.test(answer.text))
        log.error(`heartbeat: the dead-man switch answered ${display(answer.text)}`)
      return refusalOfAnswer('the dead-man switch', answer)
    })
    if (refused !== undefined) log.warn(`heartbeat: ${refused.reason}`)
  }

  return {
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await clock.sleep(minuteMs, signal).catch((error: unknown) => {
          if (!signal.aborted) throw error
        })
        if (signal.aborted) return
        // Silence is the alarm: whatever fails here, the switch hears nothing and says so.
        await beat(signal).catch((error: unknown) => log.error({ err: error }, 'no heartbeat'))
      }
    },
    close: () => http.close(),
  }
}
