import type { AlertItem } from '../../bot/journal/alerts/alerts.ts'
import type { Clock } from '../../core/clock.ts'
import { hourMs, minuteMs } from '../../core/spans.ts'

/**
 * How long an item may be gone before it is over: a node comes and goes, a balance is not read once, nothing is late
 * while a swap is under way or right after a start, and a bot that a supervisor starts over and over ends each time. What
 * is not here is over at once.
 */
const restMs: Readonly<Record<string, number>> = {
  ...{ HEAD_UNKNOWN: minuteMs, HEAD_STALE: minuteMs, GAS_LOW: minuteMs },
  ...{ DISK_LOW: minuteMs, DISK_FULL: minuteMs },
  LOOK_STALE: 6 * minuteMs,
  BOT_ENDED: 10 * minuteMs,
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

type Seen = { readonly item: AlertItem; readonly firstAt: number; readonly lastAt: number }

const isTold = ({ item, firstAt, lastAt }: Seen) =>
  !toldLater.includes(item.code) || lastAt - firstAt >= awayMs

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
    open.map((item) => [topicOf(item), { item, firstAt: opened - awayMs, lastAt: opened }]),
  )
  return (items) => {
    const now = clock.now()
    const isAway = items.some(({ code }) => code === 'HEAD_UNKNOWN')
    const seen = new Map(
      items.map((item) => {
        const { firstAt = now } = known.get(topicOf(item)) ?? {}
        // By a clock that was set back it would never be told.
        return [topicOf(item), { item, firstAt: Math.min(firstAt, now), lastAt: now }] as const
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
