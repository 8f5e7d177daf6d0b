import { createHash } from 'node:crypto'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { canonicalJson } from '../../../core/json.ts'
import { dayMs } from '../../../core/spans.ts'
import { type Store, stamped } from '../store/store.ts'
import type { AlertTable, Tables } from '../store/tables.ts'
import { masked } from '../store/text.ts'

/** A thing to tell: with its code and subject it is the same thing as long as it lasts. */
export type AlertItem = {
  readonly kind: string
  readonly code: string
  readonly subject: string
  /** ISO 8601. */
  readonly since: string
  readonly sentence: string
  readonly next: string
}

/** Facts that stand in each event: which bot it is. */
export type AlertSource = {
  readonly chainId: number
  readonly wallet: string
  readonly mode: string
}

/** An event that waits for its delivery. */
export type WaitingAlert = Pick<Selectable<AlertTable>, 'id' | 'body' | 'tries'>

/** The outbox of alerts. Every event is stored before it is sent, and stays until it was delivered. */
export const createAlerts = (store: Store) =>
  stamped(store, { begin, end, due, delivered, postponed, prune })

/** Events that may wait at once. What does not fit is stored later, if it still lasts then. */
const waitingMax = 1_000

/** How long a delivered event is kept, and how long one is offered that nobody takes. */
const keptMs = 30 * dayMs

type Noted = {
  readonly items: readonly AlertItem[]
  readonly source: AlertSource
  readonly at: number
}

const topicOf = ({ code, subject }: AlertItem) => `${code} ${subject}`

/** Stores an event for each item that is not open yet. */
async function begin(db: Kysely<Tables>, { items, source, at }: Noted): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const open = new Set((await openRows(trx)).map(({ topic }) => topic))
    const fresh = items.filter((item) => !open.has(topicOf(item)))
    for (const item of fresh.slice(0, await room(trx)))
      await insert(trx, { topic: topicOf(item), event: 'begun', item, source, at })
  })
}

/** Closes what is open and not among the items, with an event; a slot stays missed, so its end is no news. */
async function end(db: Kysely<Tables>, { items, source, at }: Noted): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const lasting = new Set(items.map(topicOf))
    const over = (await openRows(trx)).filter(({ topic }) => !lasting.has(topic))
    for (const { id, topic, body } of over.slice(0, await room(trx))) {
      await trx.updateTable('alert').set({ over_at: at }).where('id', '=', id).execute()
      const item = JSON.parse(body) as AlertItem
      if (item.kind !== 'slot') await insert(trx, { topic, event: 'ended', item, source, at })
    }
  })
}

const openRows = (trx: Transaction<Tables>) =>
  trx.selectFrom('alert').select(['id', 'topic', 'body']).where('over_at', 'is', null).execute()

async function room(trx: Transaction<Tables>): Promise<number> {
  const { count } = await trx
    .selectFrom('alert')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('delivered_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Math.max(0, waitingMax - Number(count))
}

type NewAlert = Pick<AlertTable, 'topic' | 'event' | 'at'> & {
  readonly item: AlertItem
  readonly source: AlertSource
}

async function insert(trx: Transaction<Tables>, { topic, event, at, item, source }: NewAlert) {
  const { kind, code, subject, since, sentence, next } = item
  const facts = { event, kind, code, subject, since, sentence, next, ...source, at }
  // Receivers leave out what they have by this.
  const id = createHash('sha256').update(canonicalJson(facts, masked)).digest('hex').slice(0, 32)
  const body = canonicalJson({ id, ...facts, at: new Date(at).toISOString() }, masked)
  const over_at = event === 'ended' ? at : null
  await trx
    .insertInto('alert')
    .values({ id, topic, event, body, at, over_at, tries: 0, next_at: at, delivered_at: null })
    .execute()
}

/** Events to be offered now, oldest first: of one topic only the first that waits, so that no end comes before its begin. */
async function due(
  db: Kysely<Tables>,
  { limit, at }: { readonly limit: number; readonly at: number },
): Promise<readonly WaitingAlert[]> {
  return db
    .selectFrom('alert')
    .select(['id', 'body', 'tries'])
    .where('delivered_at', 'is', null)
    .where('next_at', '<=', at)
    .where(
      sql<boolean>`NOT EXISTS (SELECT 1 FROM alert AS earlier WHERE earlier.delivered_at IS NULL
        AND earlier.topic = alert.topic AND earlier.at < alert.at)`,
    )
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
    .execute()
}

async function delivered(
  db: Kysely<Tables>,
  { id, at }: { id: string; at: number },
): Promise<void> {
  await db
    .transaction()
    .execute((trx) =>
      trx.updateTable('alert').set({ delivered_at: at }).where('id', '=', id).execute(),
    )
}

/** Nobody took it: it is offered again after a time in milliseconds. */
async function postponed(
  db: Kysely<Tables>,
  { id, forMs, at }: { id: string; forMs: number; at: number },
): Promise<void> {
  await db.transaction().execute((trx) =>
    trx
      .updateTable('alert')
      .set(({ eb }) => ({ next_at: at + forMs, tries: eb('tries', '+', 1) }))
      .where('id', '=', id)
      .execute(),
  )
}

/** Forgets old events, those that nobody took included. What lasts and was told stays. */
async function prune(db: Kysely<Tables>, { at }: { at: number }): Promise<void> {
  await db.transaction().execute((trx) =>
    trx
      .deleteFrom('alert')
      .where('at', '<', at - keptMs)
      .where((eb) => eb.or([eb('over_at', 'is not', null), eb('delivered_at', 'is', null)]))
      .execute(),
  )
}
