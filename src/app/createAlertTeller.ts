import { createHmac } from 'node:crypto'
import type { AlertItem, AlertSource, WaitingAlert } from '../bot/journal/alerts/alerts.ts'
import type { UnsignedJournal } from '../bot/journal/createUnsigned.ts'
import { attentionText, lockItem } from '../bot/report/attention.ts'
import type { Log } from '../bot/report/createLog.ts'
import { createHttp, type Http } from '../chain/http.ts'
import type { Webhook } from '../config/readWebhook.ts'
import type { Clock } from '../core/clock.ts'
import { BallastError } from '../core/errors.ts'
import { hourMs, secondMs } from '../core/spans.ts'

type Parts = {
  readonly journal: Pick<UnsignedJournal, 'alerts' | 'locks'>
  readonly webhook: Webhook
  readonly source: AlertSource
  readonly clock: Clock
  readonly log: Log
}

/** A stop of the bot waits for one request at most. */
const timeoutMs = 3 * secondMs
const answerBytesMax = 65_536

/** The most events of one round: a receiver that was away is not flooded. */
const perRound = 10

const firstWaitMs = 5 * secondMs
const waitMsMax = hourMs

/** Between two rounds. */
const pollMs = 5 * secondMs

/** Tells a webhook what begins and what ends to need attention: each event at least once, under an id of its own. */
export function createAlertTeller(parts: Parts) {
  const { journal, webhook, source, clock } = parts
  const http = createHttp({
    ...{ url: webhook.url.reveal(), name: 'webhook', setBy: 'WEBHOOK_URL' },
    ...{ timeoutMs, maxBytes: answerBytesMax },
  })

  /** Offers what is due, until one is not taken: the others would not be either. */
  async function deliver(): Promise<void> {
    for (const alert of await journal.alerts.due({ limit: perRound })) {
      const refusal = await offer(alert, { http, webhook })
      if (refusal === undefined) {
        await journal.alerts.delivered({ id: alert.id })
        continue
      }
      const backoffMs = Math.min(waitMsMax, firstWaitMs * 2 ** Math.min(alert.tries, 20))
      const forMs = Math.min(waitMsMax, Math.max(backoffMs, refusal.retryAfterMs))
      await journal.alerts.postponed({ id: alert.id, forMs })
      parts.log.warn({ id: alert.id, tries: alert.tries + 1 }, `no alert: ${refusal.reason}`)
      if (refusal.isAway) return
    }
  }

  /** One round: what began and ended is stored, then what waits is offered. */
  async function round(items: readonly AlertItem[]): Promise<void> {
    await journal.alerts.begin({ items, source })
    await journal.alerts.end({ items, source })
    await journal.alerts.prune({})
    await deliver()
  }

  /** What ends the process is a lock: it is told before the process is gone, without a look at the chain. */
  async function lastRound(): Promise<void> {
    const locks = await journal.locks.live()
    const items = locks.map((lock) => attentionText(lockItem(lock)))
    await journal.alerts.begin({ items, source })
    await deliver()
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      // A bot that cannot tell goes on trading by its rules; a journal that is gone ends it elsewhere.
      parts.log.error({ err: error }, 'alerts: a round failed')
    }
  }

  return {
    round,
    lastRound,
    /** Rounds until the signal, and a last one. */
    async run(attention: () => Promise<readonly AlertItem[]>, signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await attempt(async () => round(await attention()))
        // Ended early by the signal alone, which the loop then sees.
        await clock.sleep(pollMs, signal).catch((error: unknown) => {
          if (!signal.aborted) throw error
        })
      }
      await attempt(lastRound)
    },
    close: () => http.close(),
  }
}

type Refusal = { readonly reason: string; readonly retryAfterMs: number; readonly isAway: boolean }

/** Sends one event; undefined where the receiver took it. The signature is over the very bytes of the body. */
async function offer(
  { id, body }: WaitingAlert,
  { http, webhook }: { http: Http; webhook: Webhook },
): Promise<Refusal | undefined> {
  const hmac = createHmac('sha256', webhook.key.reveal()).update(body).digest('hex')
  try {
    const { status, headers } = await http.send({
      method: 'POST',
      path: '',
      headers: {
        'content-type': 'application/json',
        'ballast-event-id': id,
        'ballast-signature': `sha256=${hmac}`,
      },
      body,
    })
    if (status >= 200 && status < 300) return undefined
    const seconds = Number(headers['retry-after'] ?? 0)
    return {
      reason: `the webhook answered with ${status}`,
      retryAfterMs: Number.isFinite(seconds) ? seconds * secondMs : 0,
      // Of one event alone a receiver may say that it is wrong.
      isAway: status === 429 || status === 408 || status >= 500,
    }
  } catch (error) {
    if (!(error instanceof BallastError)) throw error
    return { reason: error.summary, retryAfterMs: 0, isAway: true }
  }
}
