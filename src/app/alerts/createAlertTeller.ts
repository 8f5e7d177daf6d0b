import type { AlertItem, AlertSource } from '../../bot/journal/alerts/alerts.ts'
import type { UnsignedJournal } from '../../bot/journal/createUnsigned.ts'
import { attentionText, lockItem } from '../../bot/report/attention.ts'
import type { Log } from '../../bot/report/createLog.ts'
import type { Clock } from '../../core/clock.ts'
import { hourMs, secondMs } from '../../core/spans.ts'
import { type AlertHours, digestDate, isQuiet } from './alertHours.ts'
import type { Channel } from './channel.ts'
import { digestOf } from './digestOf.ts'

type Parts = {
  readonly journal: Pick<UnsignedJournal, 'alerts' | 'locks' | 'countBooks'>
  readonly channels: readonly Channel[]
  readonly source: AlertSource
  /** Those in force now. */
  readonly hours: () => AlertHours
  /** Symbol of the chain's own currency. */
  readonly currency: string
  readonly clock: Clock
  readonly log: Log
}

/** The most events of one round: a receiver that was away is not flooded. */
const perRound = 10

const firstWaitMs = 5 * secondMs
const waitMsMax = hourMs

/** Between two rounds. */
const pollMs = 5 * secondMs

/** Tells each channel what begins and what ends to need attention: each event at least once, under an id of its own. */
export function createAlertTeller({ journal, source, hours, clock, log, ...parts }: Parts) {
  const lines = parts.channels.map((channel) => createLine(channel, { journal, hours, clock, log }))
  const channels = parts.channels.map(({ name }) => name)

  /** No channel waits for another. */
  async function deliver(work: (line: Line) => Promise<void>): Promise<void> {
    const ends = await Promise.allSettled(lines.map(work))
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  let digested: string | undefined
  async function noteDigest(items: readonly AlertItem[]): Promise<void> {
    const now = clock.now()
    const date = digestDate(now, hours())
    if (date === undefined || date === digested) return
    const { currency } = parts
    const item = await digestOf({ journal, items, date, currency, now })
    await journal.alerts.note({ item, source, channels })
    digested = date
  }

  /** One round: what began and ended is stored, then what waits is offered. */
  async function round(items: readonly AlertItem[]): Promise<void> {
    await journal.alerts.begin({ items, source, channels })
    await journal.alerts.end({ items, source, channels })
    await noteDigest(items)
    await journal.alerts.prune({})
    await deliver((line) => line.deliver())
  }

  /** What ends the process is a lock: it is told before the process is gone, without a look at the chain. */
  async function lastRound(): Promise<void> {
    const locks = await journal.locks.live()
    const items = locks.map((lock) => attentionText(lockItem(lock)))
    await journal.alerts.begin({ items, source, channels })
    await deliver((line) => line.deliverLast())
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      // A bot that cannot tell goes on trading by its rules; a journal that is gone ends it elsewhere.
      log.error({ err: error }, 'alerts: a round failed')
    }
  }

  return {
    round,
    lastRound,
    /** Tells what another process saw of this bot, and ends nothing: its own next round does. */
    async tell(items: readonly AlertItem[]): Promise<void> {
      await journal.alerts.begin({ items, source, channels })
      await deliver((line) => line.deliver())
    },
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
    close: () => Promise.all(parts.channels.map((channel) => channel.close())),
  }
}

const criticalAlone = ['critical'] as const
const everything = ['critical', 'warning', 'info'] as const

type Line = ReturnType<typeof createLine>

/** The way through one channel. A receiver that is away is left alone for longer each time, an hour at most. */
function createLine(
  channel: Channel,
  { journal, hours, clock, log }: Pick<Parts, 'journal' | 'hours' | 'clock' | 'log'>,
) {
  const { name } = channel
  let refusedInRow = 0
  let notBefore = Number.NEGATIVE_INFINITY

  /** Offers what is due, until the receiver is away: it would take none of the others either. */
  async function offerDue(): Promise<void> {
    const severities = isQuiet(clock.now(), hours()) ? criticalAlone : everything
    for (const alert of await journal.alerts.due({ channel: name, severities, limit: perRound })) {
      const { id, tries } = alert
      const refusal = await channel.offer(alert)
      if (refusal === undefined) {
        refusedInRow = 0
        await journal.alerts.delivered({ id, channel: name })
        continue
      }
      const { reason, retryAfterMs, isAway } = refusal
      const doubled =
        firstWaitMs * 2 ** Math.min(isAway ? Math.max(tries, refusedInRow) : tries, 20)
      const forMs = Math.min(waitMsMax, Math.max(doubled, retryAfterMs))
      await journal.alerts.postponed({ id, channel: name, forMs })
      log.warn({ id, channel: name, tries: tries + 1 }, `no alert: ${reason}`)
      if (!isAway) continue
      refusedInRow += 1
      notBefore = clock.now() + forMs
      return
    }
  }

  return {
    async deliver(): Promise<void> {
      const now = clock.now()
      // By a clock that was set back, the wait would have no end.
      const isResting = now < notBefore && notBefore - now <= waitMsMax
      if (!isResting) await offerDue()
    },
    /** The process ends: this cannot wait. */
    deliverLast: offerDue,
  }
}
