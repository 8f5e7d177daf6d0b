import { createHash } from 'node:crypto'
import { type Kysely, sql, type Transaction } from 'kysely'
import { dayMs, hourMs } from '../../../core/spans.ts'
import { bound, type Store, stamped } from '../store/store.ts'
import type { AlertTable, Tables } from '../store/tables.ts'
import { maskedJson } from '../store/text.ts'

/** A thing to tell: with its code and subject it is the same thing as long as it lasts. */
export type AlertItem = {
  readonly kind: string
  readonly code: string
  readonly severity: AlertTable['severity']
  readonly subject: string
  /** ISO 8601. */
  readonly since: string
  readonly sentence: string
  readonly next: string
}

export type AlertEvent = 'begun' | 'ended' | 'digest'

/** Facts that stand in each event: which bot it is. */
export type AlertSource = {
  readonly chainId: number
  readonly wallet: string
  readonly mode: string
}

/** An event that waits for its delivery. */
export type WaitingAlert = Pick<AlertTable, 'id' | 'body'> & { readonly tries: number }

/** What a person may look at of the outbox. */
export const createAlertsReader = (store: Pick<Store, 'db'>) => bound(store, { undelivered })

/** The outbox of alerts. Every event is stored before it is sent, and stays until each channel has delivered it. */
export const createAlerts = (store: Store) => ({
  ...createAlertsReader(store),
  ...bound(store, { open, hastened }),
  ...stamped(store, { begin, end, note, due, delivered, postponed, prune }),
})

/**
 * Events that may wait for one channel at once. Beyond that the oldest make room, what is over and what is not critical
 * first: a channel that comes back after weeks is told what lasts, and takes no place of another meanwhile.
 */
export const waitingMax = 1_000

/** The longest wait before the next try. */
export const waitMsMax = hourMs

/** How long a delivered event is kept, and how long one is offered that nobody takes. */
const keptMs = 30 * dayMs

type Noted = {
  readonly items: readonly AlertItem[]
  readonly source: AlertSource
  /** The names of those that are to deliver it. */
  readonly channels: readonly string[]
  readonly at: number
}

const topicOf = ({ code, subject }: AlertItem) => `${code} ${subject}`

/**
 * Stores an event for each item that is not open yet, and offers what is open to channels that it was never offered to.
 * It takes the place of what waits from before of the same thing.
 */
async function begin(db: Kysely<Tables>, { items, ...noted }: Noted): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const rows = await openRows(trx)
    const open = new Set(rows.map(({ topic }) => topic))
    const fresh = items.filter((item) => !open.has(topicOf(item)))
    for (const item of fresh)
      await insert(trx, { topic: topicOf(item), event: 'begun', item, ...noted })
    await supersede(trx)
    const wanted = new Set(items.map(topicOf))
    const lasting = rows.filter(({ topic, at }) => wanted.has(topic) && at > noted.at - keptMs)
    await offerToOthers(trx, { ids: lasting.map(({ id }) => id), ...noted })
    if (fresh.length > 0) await makeRoom(trx, noted.channels)
  })
}

/**
 * Takes away what waits and is over where the same thing has begun again: a channel may refuse it for good, and what
 * comes later would wait behind it. An end goes as well, whose begin was taken: begun twice, a thing is known to last. It
 * stays while the channel takes nothing else, which is how `undelivered` knows that.
 */
async function supersede(trx: Transaction<Tables>): Promise<void> {
  await trx
    .deleteFrom('alert_delivery')
    .where('delivered_at', 'is', null)
    .where(
      sql<boolean>`(alert_id, channel) IN (SELECT waiting.alert_id, waiting.channel FROM alert AS again
        JOIN alert AS earlier ON earlier.topic = again.topic AND earlier.over_at IS NOT NULL
        JOIN alert_delivery AS waiting ON waiting.alert_id = earlier.id AND waiting.delivered_at IS NULL
        JOIN (SELECT channel, MAX(delivered_at) AS at FROM alert_delivery GROUP BY channel) AS taken
        ON taken.channel = waiting.channel AND taken.at > earlier.at
        WHERE again.over_at IS NULL)`,
    )
    .execute()
}

/** Offers what lasts to channels that never had it, such as one that was configured since, where they have room. */
async function offerToOthers(
  trx: Transaction<Tables>,
  { ids, channels, at }: Pick<Noted, 'channels' | 'at'> & { readonly ids: readonly string[] },
): Promise<void> {
  if (ids.length === 0 || channels.length === 0) return
  const known = await trx
    .selectFrom('alert_delivery')
    .select(['alert_id', 'channel'])
    .where('alert_id', 'in', ids)
    .execute()
  const has = new Set(known.map(({ alert_id, channel }) => `${alert_id} ${channel}`))
  for (const channel of channels) {
    const others = ids.filter((id) => !has.has(`${id} ${channel}`))
    if (others.length === 0) continue
    const { waiting } = await trx
      .selectFrom('alert_delivery')
      .select(({ fn }) => fn.countAll().as('waiting'))
      .where('channel', '=', channel)
      .where('delivered_at', 'is', null)
      .executeTakeFirstOrThrow()
    const rows = others
      .slice(0, Math.max(0, waitingMax - Number(waiting)))
      .map((alert_id) => ({ alert_id, channel, tries: 0, next_at: at, delivered_at: null }))
    if (rows.length > 0) await trx.insertInto('alert_delivery').values(rows).execute()
  }
}

/** Closes what is open and not among the items, with an event; a slot stays missed, so its end is no news. */
async function end(db: Kysely<Tables>, { items, ...noted }: Noted): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const lasting = new Set(items.map(topicOf))
    const over = (await openRows(trx)).filter(({ topic }) => !lasting.has(topic))
    for (const { id, topic, severity, body } of over) {
      await trx.updateTable('alert').set({ over_at: noted.at }).where('id', '=', id).execute()
      const item = { ...(JSON.parse(body) as AlertItem), severity }
      // One without channels ends it for those that were to hear that it began.
      const channels = noted.channels.length > 0 ? noted.channels : await offeredTo(trx, id)
      if (item.kind !== 'slot')
        await insert(trx, { topic, event: 'ended', item, ...noted, channels })
    }
    if (over.length > 0) await makeRoom(trx, noted.channels)
  })
}

const offeredTo = async (trx: Transaction<Tables>, id: string): Promise<readonly string[]> =>
  (
    await trx.selectFrom('alert_delivery').select('channel').where('alert_id', '=', id).execute()
  ).map(({ channel }) => channel)

/** Stores what has no end, such as a digest; once, whoever calls how often. */
async function note(
  db: Kysely<Tables>,
  { item, ...noted }: Omit<Noted, 'items'> & { readonly item: AlertItem },
): Promise<void> {
  const topic = topicOf(item)
  await db.transaction().execute(async (trx) => {
    const known = trx.selectFrom('alert').select('id').where('topic', '=', topic)
    if ((await known.executeTakeFirst()) !== undefined) return
    await insert(trx, { topic, event: 'digest', item, ...noted })
  })
}

/** What was told and is not over. */
const open = async (db: Kysely<Tables>): Promise<readonly AlertItem[]> =>
  (await openRows(db)).map(({ body }) => JSON.parse(body) as AlertItem)

const openRows = (db: Kysely<Tables> | Transaction<Tables>) =>
  db
    .selectFrom('alert')
    .select(['id', 'topic', 'severity', 'body', 'at'])
    .where('over_at', 'is', null)
    .execute()

/** Takes away what waits for a channel beyond the bound. */
async function makeRoom(trx: Transaction<Tables>, channels: readonly string[]): Promise<void> {
  if (channels.length === 0) return
  const full = await trx
    .selectFrom('alert_delivery')
    .select(({ fn }) => ['channel', fn.countAll().as('count')] as const)
    .where('delivered_at', 'is', null)
    .where('channel', 'in', channels)
    .groupBy('channel')
    .having(({ fn }) => fn.countAll(), '>', waitingMax)
    .execute()
  for (const { channel, count } of full) {
    const oldest = trx
      .selectFrom('alert_delivery as waiting')
      .innerJoin('alert', 'alert.id', 'waiting.alert_id')
      .select('alert.id')
      .where('waiting.channel', '=', channel)
      .where('waiting.delivered_at', 'is', null)
      .orderBy(sql`CASE WHEN alert.severity = 'critical' THEN 1 ELSE 0 END`)
      .orderBy(sql`CASE WHEN alert.over_at IS NULL THEN 1 ELSE 0 END`)
      .orderBy('alert.at')
      .orderBy('alert.id')
      .limit(Number(count) - waitingMax)
    await trx
      .deleteFrom('alert_delivery')
      .where('channel', '=', channel)
      .where('delivered_at', 'is', null)
      .where('alert_id', 'in', oldest)
      .execute()
  }
}

type NewAlert = Omit<Noted, 'items'> & {
  readonly topic: string
  readonly event: AlertEvent
  readonly item: AlertItem
}

async function insert(trx: Transaction<Tables>, alert: NewAlert) {
  const { topic, event, item, source, channels } = alert
  const at = Math.max(alert.at, 1 + (await lastOf(trx, topic)))
  const { id, body } = writeAlert({ event, item, source, at })
  const { severity } = item
  const over_at = event === 'begun' ? null : at
  await trx.insertInto('alert').values({ id, topic, severity, body, at, over_at }).execute()
  if (channels.length === 0) return
  const waiting = { alert_id: id, tries: 0, next_at: at, delivered_at: null }
  await trx
    .insertInto('alert_delivery')
    .values(channels.map((channel) => ({ ...waiting, channel })))
    .execute()
}

/** An event as the channels have it. Its id is the same for the same facts: receivers leave out what they have by that. */
export function writeAlert({
  event,
  item,
  source,
  at,
}: Pick<NewAlert, 'event' | 'item' | 'source' | 'at'>): Pick<WaitingAlert, 'id' | 'body'> {
  const { kind, code, severity, subject, since, sentence, next } = item
  const facts = { event, kind, code, severity, subject, since, sentence, next, ...source, at }
  const id = createHash('sha256').update(maskedJson(facts)).digest('hex').slice(0, 32)
  return { id, body: maskedJson({ id, ...facts, at: new Date(at).toISOString() }) }
}

/** When the last event of a topic was. The next one is after it, also by a clock that was set back meanwhile. */
async function lastOf(trx: Transaction<Tables>, topic: string): Promise<number> {
  const { last } = await trx
    .selectFrom('alert')
    .select(({ fn }) => fn.max('at').as('last'))
    .where('topic', '=', topic)
    .executeTakeFirstOrThrow()
  return Number(last ?? 0)
}

type Wanted = {
  readonly channel: string
  readonly severities: readonly AlertTable['severity'][]
  readonly limit: number
  /** Leaves out what was offered before. */
  readonly isUntried?: boolean
  readonly at: number
}

/**
 * Events that a channel is to be offered now: what is critical first, then what lasts, then the oldest. Of one topic
 * only what lasts, or else the first that waits, so that no end comes before its begin.
 */
async function due(
  db: Kysely<Tables>,
  { channel, severities, limit, isUntried = false, at }: Wanted,
): Promise<readonly WaitingAlert[]> {
  return (
    db
      .selectFrom('alert_delivery as waiting')
      .innerJoin('alert', 'alert.id', 'waiting.alert_id')
      .select(['alert.id', 'alert.body', 'waiting.tries'])
      .where('waiting.channel', '=', channel)
      .where('waiting.delivered_at', 'is', null)
      // Further ahead than any wait lies what was postponed by a clock that has been set back since.
      .where((where) =>
        where.or([
          where('waiting.next_at', '<=', at),
          where('waiting.next_at', '>', at + waitMsMax),
        ]),
      )
      .where('alert.severity', 'in', severities)
      .$if(isUntried, (untried) => untried.where('waiting.tries', '=', 0))
      .where(
        sql<boolean>`(alert.over_at IS NULL OR NOT EXISTS (SELECT 1 FROM alert AS other
        LEFT JOIN alert_delivery AS before ON before.alert_id = other.id
        AND before.channel = waiting.channel AND before.delivered_at IS NULL
        WHERE other.topic = alert.topic
        AND (other.over_at IS NULL OR (other.at < alert.at AND before.alert_id IS NOT NULL))))`,
      )
      .orderBy(sql`CASE WHEN alert.severity = 'critical' THEN 0 ELSE 1 END`)
      .orderBy(sql`CASE WHEN alert.over_at IS NULL THEN 0 ELSE 1 END`)
      .orderBy('alert.at')
      .orderBy('alert.id')
      .limit(limit)
      .execute()
  )
}

type Delivery = { readonly id: string; readonly channel: string; readonly at: number }

async function delivered(db: Kysely<Tables>, { id, channel, at }: Delivery): Promise<void> {
  await db
    .transaction()
    .execute((trx) =>
      trx
        .updateTable('alert_delivery')
        .set({ delivered_at: at })
        .where('alert_id', '=', id)
        .where('channel', '=', channel)
        .execute(),
    )
}

/** The channel could not deliver it: it is offered again after a time in milliseconds. */
async function postponed(
  db: Kysely<Tables>,
  { id, channel, forMs, at }: Delivery & { readonly forMs: number },
): Promise<void> {
  await db.transaction().execute((trx) =>
    trx
      .updateTable('alert_delivery')
      .set(({ eb }) => ({ next_at: at + forMs, tries: eb('tries', '+', 1) }))
      .where('alert_id', '=', id)
      .where('channel', '=', channel)
      .execute(),
  )
}

/** The channel is back: what waits for it is offered from then on, and not only when its own wait is over. */
async function hastened(
  db: Kysely<Tables>,
  { channel, to }: { readonly channel: string; readonly to: number },
): Promise<void> {
  await db
    .transaction()
    .execute((trx) =>
      trx
        .updateTable('alert_delivery')
        .set({ next_at: to })
        .where('channel', '=', channel)
        .where('delivered_at', 'is', null)
        .where('next_at', '>', to)
        .execute(),
    )
}

/**
 * By channel: when the oldest event was that it refused and has not taken since, and how often it refused those. One that
 * is over counts only while the channel takes nothing else: a receiver may refuse a single event for good.
 */
async function undelivered(
  db: Kysely<Tables>,
): Promise<readonly { readonly channel: string; readonly at: number; readonly tries: number }[]> {
  const rows = await db
    .selectFrom('alert_delivery as waiting')
    .innerJoin('alert', 'alert.id', 'waiting.alert_id')
    .leftJoin(
      (from) =>
        from
          .selectFrom('alert_delivery')
          .select(({ fn }) => ['channel', fn.max('delivered_at').as('last')] as const)
          .groupBy('channel')
          .as('taken'),
      (join) => join.onRef('taken.channel', '=', 'waiting.channel'),
    )
    .select(({ fn }) => [
      'waiting.channel',
      fn.min('alert.at').as('at'),
      fn.sum('waiting.tries').as('tries'),
    ])
    .where('waiting.delivered_at', 'is', null)
    .where('waiting.tries', '>', 0)
    // The event of an earlier answer to this question would keep it true.
    .where('alert.topic', 'not like', 'ALERTS_UNDELIVERED %')
    .where(sql<boolean>`(alert.over_at IS NULL OR COALESCE(taken.last, 0) <= alert.at)`)
    .groupBy('waiting.channel')
    .orderBy('waiting.channel')
    .execute()
  return rows.map(({ channel, at, tries }) => ({ channel, at: Number(at), tries: Number(tries) }))
}

/**
 * Forgets old events, those that nobody took included, and what waits for a channel that is none of these, where they are
 * known. What lasts and was told by one channel at least stays.
 */
async function prune(
  db: Kysely<Tables>,
  { channels, at }: { readonly channels: readonly string[] | undefined; readonly at: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const waiting = trx.deleteFrom('alert_delivery').where('delivered_at', 'is', null)
    // A server refuses an empty list.
    const forgotten = (names: readonly string[]) =>
      names.length === 0 ? waiting : waiting.where('channel', 'not in', names)
    if (channels !== undefined) await forgotten(channels).execute()
    const old = trx
      .selectFrom('alert')
      .select('id')
      .where('at', '<', at - keptMs)
    await trx
      .deleteFrom('alert_delivery')
      .where('alert_id', 'in', old.where('over_at', 'is not', null))
      .execute()
    await trx
      .deleteFrom('alert_delivery')
      .where('delivered_at', 'is', null)
      .where('alert_id', 'in', old)
      .execute()
    await trx
      .deleteFrom('alert')
      .where('at', '<', at - keptMs)
      .where(sql<boolean>`NOT EXISTS (SELECT 1 FROM alert_delivery WHERE alert_id = alert.id)`)
      .execute()
  })
}
