import type { AlertItem } from '../../bot/journal/alerts/alerts.ts'
import type { Clock } from '../../core/clock.ts'
import { hourMs, minuteMs } from '../../core/spans.ts'

/**
 * How long an item may be gone before it is over: a node comes and goes, a balance is not read once, nothing is late
 * while a swap is under way or right after a start, what is silent is known to be only a while after a start, and a bot, or a wallet of a
 * fleet, that is started over and over ends each time. What
 * is not here is over at once.
 */
const restMs: Readonly<Record<string, number>> = {
  ...{ HEAD_UNKNOWN: minuteMs, HEAD_STALE: minuteMs, GAS_LOW: minuteMs },
  ...{ DISK_LOW: minuteMs, DISK_FULL: minuteMs },
  LOOK_STALE: 6 * minuteMs,
  REFERENCE_SILENT: 70 * minuteMs,
  TOKEN_UNREADABLE: 10 * minuteMs,
  BOT_ENDED: 10 * minuteMs,
  WALLET_NOT_TRADED: 10 * minuteMs,
}

/** A breaker that ends by itself is opened again by the next look, where its cause lasts: at most so much later it is told as over. */
const [breakerRestMs, breakerRestMsMax] = [3 * minuteMs, hourMs]

const restOf = ({ kind, code, severity }: AlertItem, lookEveryMs: number): number =>
  kind === 'lock' && severity === 'warning'
    ? Math.min(Math.max(breakerRestMs, lookEveryMs + minuteMs), breakerRestMsMax)
    : (restMs[code] ?? 0)

/** What only the node knows. */
const ofNode: readonly string[] = ['HEAD_STALE', 'GAS_LOW']

/** How long a node may be away, a channel refuse what was held back for it, or a file be half written, before that is told. */
const awayMs = minuteMs
const toldLater: readonly string[] = ['HEAD_UNKNOWN', 'ALERTS_UNDELIVERED', 'CONFIG_REFUSED']

/** Rounds are seconds apart: before a longer gap the machine slept, and what is late then has its chance first. */
const gapMs = minuteMs
const afterSleepMs = 3 * minuteMs
const lateBySleep: readonly string[] = ['LOOK_STALE', 'SWAP_STUCK', 'HEAD_STALE']

type Seen = {
  readonly item: AlertItem
  readonly firstAt: number
  readonly lastAt: number
  /** How long it has to last before it is told. */
  readonly afterMs: number
}

const isTold = ({ firstAt, lastAt, afterMs }: Seen) => lastAt - firstAt >= afterMs

const topicOf = ({ code, subject }: AlertItem) => `${code} ${subject}`

/**
 * What needs attention without what comes and goes: an item stays for a while after it was seen last, and what only a
 * node knows stays while that is away. `open` are those that were told and are not over; `lookEveryMs` is the longest period
 * of a strategy, which looks only then.
 */
export function createSteady(
  open: readonly AlertItem[],
  clock: Pick<Clock, 'now'>,
  lookEveryMs: () => number = () => 0,
): (items: readonly AlertItem[]) => readonly AlertItem[] {
  const opened = clock.now()
  let known = new Map<string, Seen>(
    open.map((item) => [topicOf(item), { item, firstAt: opened, lastAt: opened, afterMs: 0 }]),
  )
  let roundAt = opened
  let wokeAt = Number.NEGATIVE_INFINITY
  const afterMsOf = ({ code }: AlertItem, now: number) => {
    if (toldLater.includes(code)) return awayMs
    return lateBySleep.includes(code) && Math.abs(now - wokeAt) < afterSleepMs ? afterSleepMs : 0
  }
  return (items) => {
    const now = clock.now()
    if (now - roundAt > gapMs) wokeAt = now
    roundAt = now
    const isAway = items.some(({ code }) => code === 'HEAD_UNKNOWN')
    const seen = new Map(
      items.map((item) => {
        const { firstAt = now, afterMs = afterMsOf(item, now) } = known.get(topicOf(item)) ?? {}
        // By a clock that was set back it would never be told.
        const seenAt = { firstAt: Math.min(firstAt, now), lastAt: now }
        return [topicOf(item), { item, ...seenAt, afterMs }] as const
      }),
    )
    for (const [topic, one] of known) {
      if (seen.has(topic)) continue
      const { code } = one.item
      const isKept = Math.abs(now - one.lastAt) < restOf(one.item, lookEveryMs()) && isTold(one)
      if (isAway && ofNode.includes(code)) seen.set(topic, { ...one, lastAt: now })
      else if (isKept) seen.set(topic, one)
    }
    known = seen
    return [...seen.values()].filter(isTold).map(({ item }) => item)
  }
}
