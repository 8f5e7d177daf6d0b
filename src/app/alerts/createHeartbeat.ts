import type { AlertItem } from '../../bot/journal/alerts/alerts.ts'
import type { Log } from '../../bot/report/createLog.ts'
import { createHttp } from '../../chain/http.ts'
import type { Clock } from '../../core/clock.ts'
import type { Secret } from '../../core/secret.ts'
import { minuteMs } from '../../core/spans.ts'
import { answerBytesMax, refusalOfAnswer, timeoutMs, unlessAway } from './channel.ts'

type Parts = {
  /** The address of a check of its own at a service that alarms when no request comes. */
  readonly url: Secret
  /** What a person must know now. */
  readonly attention: () => Promise<readonly Pick<AlertItem, 'kind' | 'code'>[]>
  readonly clock: Clock
  readonly log: Log
}

/** Of attention: with one of these a process lives, and cannot look at its market. */
export const isBlinding = ({ kind }: Pick<AlertItem, 'kind'>): boolean =>
  kind === 'look' || kind === 'head'

/**
 * Calls an external dead-man switch each minute as long as the bot is alive and able to look. The first call is a minute
 * after the start: a bot that ends and is started again, over and over, calls nothing.
 */
export function createHeartbeat({ url, attention, clock, log }: Parts) {
  const http = createHttp({
    ...{ url: url.reveal(), name: 'dead-man switch', setBy: 'HEARTBEAT_URL' },
    ...{ timeoutMs, maxBytes: answerBytesMax },
  })

  async function beat(signal: AbortSignal): Promise<void> {
    const hindrance = (await attention()).find(isBlinding)
    // A bot whose start has failed meanwhile is not well.
    if (signal.aborted) return
    if (hindrance !== undefined) return log.warn({ code: hindrance.code }, 'no heartbeat')
    const refused = await unlessAway(async () =>
      refusalOfAnswer('the dead-man switch', await http.send({ method: 'GET', path: '' })),
    )
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
