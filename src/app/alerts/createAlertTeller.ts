import {
  type AlertItem,
  type AlertSource,
  type WaitingAlert,
  waitingMax,
  writeAlert,
} from '../../bot/journal/alerts/alerts.ts'
import type { UnsignedJournal } from '../../bot/journal/createUnsigned.ts'
import type { Lock } from '../../bot/lock.ts'
import { attentionText, lockItem } from '../../bot/report/attention.ts'
import type { Log } from '../../bot/report/createLog.ts'
import type { Clock } from '../../core/clock.ts'
import { secondMs } from '../../core/spans.ts'
import { type AlertHours, digestDate, isQuiet } from './alertHours.ts'
import type { Channel, Refusal } from './channel.ts'
import { createRest } from './createRest.ts'
import { createSteady } from './createSteady.ts'
import { digestOf } from './digestOf.ts'

type Parts = {
  readonly journal: Pick<UnsignedJournal, 'alerts' | 'locks' | 'countBooks'>
  readonly channels: readonly Channel[]
  readonly source: AlertSource
  /** Those in force now. */
  readonly hours: () => AlertHours
  /** Symbol of the chain's own currency. */
  readonly currency: string
  /** The longest period of a strategy; none where it is left out. */
  readonly lookEveryMs?: () => number
  readonly clock: Clock
  readonly log: Log
  /** Ends the delivery after the event in hand. */
  readonly signal: AbortSignal
}

/** The most events of one round: a receiver that was away is not flooded. */
const perRound = 10

/** The most events of the end, and for how long one of them may take: whoever ended the bot waits for them. */
const atEnd = 3
const atEndMs = 3 * secondMs

/** Between two rounds. */
const pollMs = 5 * secondMs

/** Tells each channel what begins and what ends to need attention: each event at least once, under an id of its own. */
export function createAlertTeller({ journal, source, hours, clock, log, signal, ...parts }: Parts) {
  const lines = parts.channels.map((channel) =>
    createLine(channel, { journal, hours, clock, log, signal }),
  )
  const channels = parts.channels.map(({ name }) => name)
  const attempt = attempting(log)
  const noteDigest = createDigest({ ...parts, journal, source, hours, clock, channels })
  const begin = (items: readonly AlertItem[]) => journal.alerts.begin({ items, source, channels })

  /** Stores what began and what ended. */
  async function record(items: readonly AlertItem[]): Promise<void> {
    await begin(items)
    await journal.alerts.end({ items, source, channels })
    // Without channels it stores for those of other processes, and knows nothing of what waits for them.
    if (channels.length > 0) await noteDigest(items)
    await journal.alerts.prune({ channels: channels.length > 0 ? channels : undefined })
  }

  /** Locks are the journal's: they are told without a look at the chain, whose node may keep that waiting. */
  async function beginLocks(more: readonly AlertItem[] = []): Promise<void> {
    const locks = await journal.locks.live()
    // Under a halt nobody is to be told to start it again.
    const others = locks.some(endsBot) ? [] : more
    await begin([...locks.map((lock) => attentionText(lockItem(lock))), ...others])
  }

  /** What ends the process is told before that is gone. */
  async function lastRound(why: AlertItem | undefined): Promise<void> {
    try {
      await beginLocks(why === undefined ? [] : [why])
    } catch (error) {
      if (why !== undefined) await tellUnstored(why, { ...parts, source, clock, log })
      throw error
    }
    await onEach(lines, (line) => line.deliverLast())
  }

  /** A channel that is still at its events of the round before is left at them, and keeps no other waiting. */
  const busy = new Map<Line, Promise<void>>()
  function start(): void {
    for (const line of lines.filter((one) => !busy.has(one)))
      busy.set(
        line,
        attempt(line.deliver).finally(() => busy.delete(line)),
      )
  }

  return {
    /** Stores what began and ends nothing: what another process saw of this bot. */
    begin,
    record,
    /** Offers what is due to every channel, once. */
    deliver: () => onEach(lines, (line) => line.deliver()),
    /** Rounds until the signal, and a last one, which also tells why the bot ends. */
    async run(
      attention: () => Promise<readonly AlertItem[]>,
      whyEnded: () => AlertItem | undefined = () => undefined,
    ): Promise<void> {
      let steady: ReturnType<typeof createSteady> | undefined
      while (!signal.aborted) {
        await attempt(beginLocks)
        start()
        await attempt(async () => {
          const items = await orNothing(attention(), signal)
          if (items === undefined) return
          steady ??= createSteady(await journal.alerts.open(), clock, parts.lookEveryMs)
          await record(steady(items))
        })
        start()
        // Ended early by the signal alone, which the loop then sees.
        await clock.sleep(pollMs, signal).catch((error: unknown) => {
          if (!signal.aborted) throw error
        })
      }
      await within(
        atEndMs,
        Promise.all(busy.values()).then(() => undefined),
      )
      await attempt(() => lastRound(whyEnded()))
    },
    close: () => Promise.all(parts.channels.map((channel) => channel.close())),
  }
}

/** A bot that cannot tell goes on trading by its rules; a journal that is gone ends it elsewhere. */
const attempting = (log: Log) => async (work: () => Promise<void>) => {
  try {
    await work()
  } catch (error) {
    log.error({ err: error }, 'alerts: a round failed')
  }
}

/** The halt of one strategy leaves the bot running. */
const endsBot = ({ kind, scope }: Pick<Lock, 'kind' | 'scope'>): boolean =>
  kind === 'halt' && (scope === 'all' || scope.startsWith('wallet '))

/** Of a journal that takes nothing more, such as one on a full disk, somebody hears all the same: once, by every channel. */
function tellUnstored(
  item: AlertItem,
  { channels, source, clock, log }: Pick<Parts, 'channels' | 'source' | 'clock' | 'log'>,
): Promise<void> {
  const alert = { ...writeAlert({ event: 'begun', item, source, at: clock.now() }), tries: 0 }
  return onEach(channels, async (channel) => {
    const refusal = await within(atEndMs, channel.offer(alert))
    if (refusal !== undefined)
      log.warn({ id: alert.id, channel: channel.name }, `no alert: ${refusal.reason}`)
  })
}

/** One that fails ends none of the others. */
async function onEach<one>(all: readonly one[], work: (one: one) => Promise<void>): Promise<void> {
  const ends = await Promise.allSettled(all.map(work))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Stores the digest of a day, once, when its time has come. */
function createDigest({
  journal,
  source,
  hours,
  clock,
  currency,
  channels,
}: Pick<Parts, 'journal' | 'source' | 'hours' | 'clock' | 'currency'> & {
  readonly channels: readonly string[]
}): (items: readonly AlertItem[]) => Promise<void> {
  let digested: string | undefined
  return async (items) => {
    const now = clock.now()
    const date = digestDate(now, hours())
    if (date === undefined || date === digested) return
    const item = await digestOf({ journal, source, items, date, currency, now })
    await journal.alerts.note({ item, source, channels })
    digested = date
  }
}

/** The result, or undefined at the signal: a node that is silent must not keep the last round waiting. */
function orNothing<result>(
  work: Promise<result>,
  signal: AbortSignal,
): Promise<result | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** The answer, or a refusal where it takes longer. */
function within(ms: number, offered: Promise<Refusal | undefined>): Promise<Refusal | undefined> {
  const late = { reason: `no answer within ${ms} ms`, retryAfterMs: 0, isAway: true }
  return new Promise((resolve, reject) => {
    AbortSignal.timeout(ms).addEventListener('abort', () => resolve(late), { once: true })
    offered.then(resolve, reject)
  })
}

const criticalAlone = ['critical'] as const
const everything = ['critical', 'warning', 'info'] as const

type Line = ReturnType<typeof createLine>

/** The way through one channel. */
function createLine(
  channel: Channel,
  {
    journal,
    hours,
    clock,
    log,
    signal,
  }: Pick<Parts, 'journal' | 'hours' | 'clock' | 'log' | 'signal'>,
) {
  const { name } = channel
  const rest = createRest(clock)
  /** Taken, while the journal stored nothing, such as on a full disk: they are stored again, and not sent again. */
  const unstored = new Map<string, { readonly backAt: number | undefined }>()

  async function took(id: string): Promise<void> {
    const { backAt } = unstored.get(id) ?? { backAt: rest.taken() }
    unstored.set(id, { backAt })
    const [oldest = ''] = unstored.keys()
    if (unstored.size > waitingMax) unstored.delete(oldest)
    await journal.alerts.delivered({ id, channel: name })
    unstored.delete(id)
    if (backAt !== undefined) await journal.alerts.hastened({ channel: name, to: backAt })
  }

  /** Offers each, until the signal, or until the receiver is away: it would take none of the others either. */
  async function offer(alerts: readonly WaitingAlert[], ending?: AbortSignal): Promise<void> {
    const failures: unknown[] = []
    for (const alert of alerts) {
      if (ending?.aborted === true) break
      const { id, tries } = alert
      const offered = unstored.has(id) ? Promise.resolve(undefined) : channel.offer(alert)
      // At the end nothing waits for a receiver that is slow: the next start offers it again.
      const refusal = await (ending === undefined ? within(atEndMs, offered) : offered)
      if (refusal === undefined) {
        await took(id).catch((error: unknown) => failures.push(error))
        continue
      }
      const forMs = rest.refused(tries, refusal)
      await journal.alerts.postponed({ id, channel: name, forMs })
      log.warn({ id, channel: name, tries: tries + 1 }, `no alert: ${refusal.reason}`)
      if (refusal.isAway) break
    }
    if (failures.length > 0) throw failures[0]
  }

  return {
    async deliver(): Promise<void> {
      const isResting = rest.isOn()
      const severities = isResting || isQuiet(clock.now(), hours()) ? criticalAlone : everything
      const due = await journal.alerts.due({
        ...{ channel: name, severities, limit: perRound + unstored.size },
        // A halt does not wait for the end of an outage that may be over: it is tried at once, and then waits like the others.
        isUntried: isResting,
      })
      await offer(due, signal)
    },
    /** The process ends: what is critical cannot wait, and the rest is told by the next. */
    async deliverLast(): Promise<void> {
      const wanted = { channel: name, severities: criticalAlone, limit: atEnd + unstored.size }
      await offer(await journal.alerts.due(wanted))
    },
  }
}
