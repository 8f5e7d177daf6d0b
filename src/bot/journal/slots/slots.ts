import { type Kysely, type Selectable, sql } from 'kysely'
import type { ErrorCode } from '../../../core/errorTable.ts'
import { quarterMs } from '../../../core/spans.ts'
import { deadStates, isFinal } from '../../state.ts'
import { decidedSlots } from '../decisions/decidedSlots.ts'
import { wantedSwaps } from '../decisions/wantedSwaps.ts'
import { appendEvent } from '../log/log.ts'
import { bound, type Store, stamped } from '../store/store.ts'
import type { SlotTable, Tables } from '../store/tables.ts'
import { masked } from '../store/text.ts'

export const createSlotsReader = (store: Store) => ({
  ...bound(store, {
    begun: begunSlots,
    decided: decidedSlots,
    progress: slotProgress,
    strategies: slotStrategies,
    page: pageSlots,
    missedAndFailed: missedAndFailedSlots,
    counted: countSlots,
    runs: slotRuns,
  }),
  lastClosed: (strategy: string) => lastClosedSlot(store.db, { strategy, at: store.clock.now() }),
})

export const createSlots = (store: Store) => ({
  ...createSlotsReader(store),
  ...stamped(store, { close: closeSlot }),
})

/** A calendar slot that is over, or a run of them that was missed at once. Instants in milliseconds since the epoch. */
export type ClosedSlot = Pick<
  Selectable<SlotTable>,
  'strategy' | 'slot' | 'upto' | 'slots' | 'state' | 'reason' | 'calendar'
>

/** The outcome of a slot is written once: the first one stands. */
async function closeSlot(
  db: Kysely<Tables>,
  { at, ...closed }: ClosedSlot & { at: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('slot')
      .values({ ...closed, reason: masked(closed.reason), at })
      .onConflict((conflict) => conflict.columns(['strategy', 'slot']).doNothing())
      .executeTakeFirstOrThrow()
    const { strategy, state, ...facts } = closed
    if (numInsertedOrUpdatedRows !== 1n || state === 'done' || state === 'passed') return
    // Missed and failed slots are in the log as well, where they cannot be removed.
    await appendEvent(trx, {
      of: `strategy ${strategy}`,
      at,
      type: state === 'missed' ? 'SLOT_MISSED' : 'SLOT_FAILED',
      facts,
    })
  })
}

/**
 * The last slot of a strategy that is over, and of which calendar it was; undefined where none is. Where a calendar
 * begins counts from then on: one that began under a clock that was years ahead would wait for those years, silently.
 */
async function lastClosedSlot(
  db: Kysely<Tables>,
  { strategy, at }: { strategy: string; at: number },
): Promise<{ readonly upto: number; readonly calendar: string | null } | undefined> {
  return db
    .selectFrom('slot')
    .select(['upto', 'calendar'])
    .where('strategy', '=', strategy)
    .where((where) => where.or([where('slots', '>', 0), where('slot', '<=', at)]))
    .orderBy('slot', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The names of all strategies that ever had a slot. */
async function slotStrategies(db: Kysely<Tables>): Promise<readonly string[]> {
  // From name to name by the index: all slots of years would be read otherwise.
  const { rows } = await sql<{ strategy: string }>`
    WITH RECURSIVE names (strategy) AS (
      SELECT min(strategy) FROM slot
      UNION ALL
      SELECT (SELECT min(slot.strategy) FROM slot WHERE slot.strategy > names.strategy)
      FROM names WHERE names.strategy IS NOT NULL
    )
    SELECT strategy FROM names WHERE strategy IS NOT NULL`.execute(db)
  return rows.map(({ strategy }) => strategy)
}

/** Slots in a range with a swap that settled or may still settle, in order. */
async function begunSlots(
  db: Kysely<Tables>,
  { strategy, from, to }: { strategy: string; from: number; to: number },
): Promise<readonly { readonly slot: number; readonly isOpen: boolean }[]> {
  const rows = await db
    .selectFrom('swap')
    .select(['slot', 'state'])
    .where('strategy', '=', strategy)
    .where('slot', '>=', from)
    .where('slot', '<=', to)
    .where('state', 'not in', [...deadStates])
    .orderBy('slot')
    .execute()
  return rows.flatMap(({ slot, state }) =>
    slot === null ? [] : [{ slot, isOpen: !isFinal(state) }],
  )
}

/** The swaps begun for one slot. */
type SlotProgress = {
  /** Swaps that settled: the slot has had its execution. */
  readonly settled: number
  /** Whether one is not decided yet. */
  readonly open: boolean
  /** The swaps of the last try: those that it began, and those that it only decided on before it was stopped. */
  readonly planned: number
  /** Number of times it was begun. */
  readonly tries: number
  /** The tries of them that the quoting service answered: those use the slot up. */
  readonly answered: number
}

/** How a swap ends that the quoting service gave no answer to: the slot waits for one as long as it is open. */
const unansweredCodes: readonly (string | null)[] = [
  ...(['QUOTE_UNAVAILABLE', 'RATE_LIMITED', 'QUOTE_MALFORMED'] satisfies ErrorCode[]),
]

/** The swaps begun for a slot, and how they stand. */
async function slotProgress(
  db: Kysely<Tables>,
  { strategy, slot }: { strategy: string; slot: number },
): Promise<SlotProgress> {
  const rows = await db
    .selectFrom('swap')
    .select(['state', 'code', 'slot_try'])
    .where('strategy', '=', strategy)
    .where('slot', '=', slot)
    .execute()
  const tries = rows.reduce((most, { slot_try }) => Math.max(most, (slot_try ?? 0) + 1), 0)
  const answered = rows.filter(({ code }) => !unansweredCodes.includes(code))
  const begun = rows.filter(({ slot_try }) => (slot_try ?? 0) === tries - 1).length
  return {
    settled: rows.filter(({ state }) => state === 'SETTLED').length,
    open: rows.some(({ state }) => !isFinal(state)),
    planned: begun === 0 ? 0 : Math.max(begun, await wantedSwaps(db, { strategy, slot })),
    tries,
    answered: new Set(answered.map(({ slot_try }) => slot_try)).size,
  }
}

type SlotPage = {
  readonly after?: { readonly strategy: string; readonly slot: number } | undefined
  readonly limit: number
  /** Due at this instant or later, and before that one; milliseconds since the epoch. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly strategy?: string | undefined
}

/** Calendar slots that are over, strategy by strategy and in the order they were due, a page of them. */
async function pageSlots(
  db: Kysely<Tables>,
  { after, limit, since, until, strategy }: SlotPage,
): Promise<readonly Selectable<SlotTable>[]> {
  let query = db.selectFrom('slot').selectAll()
  if (strategy !== undefined) query = query.where('strategy', '=', strategy)
  // A run of missed ones is in where any of it is.
  if (since !== undefined) query = query.where('upto', '>=', since)
  if (until !== undefined) query = query.where('slot', '<', until)
  if (after !== undefined)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('strategy', 'slot'), '>', tuple(after.strategy, after.slot)),
    )
  return query.orderBy('strategy').orderBy('slot').limit(limit).execute()
}

/** Missed and failed slots recorded since `since`, newest first. */
async function missedAndFailedSlots(
  db: Kysely<Tables>,
  {
    since,
    limit,
    strategy,
  }: { readonly since: number; readonly limit: number; readonly strategy?: string | undefined },
): Promise<readonly Selectable<SlotTable>[]> {
  return (
    db
      .selectFrom('slot')
      .selectAll()
      // In the words of the index: as parameters no partial index has them.
      .where(sql<boolean>`state IN ('missed', 'failed')`)
      .where('at', '>=', since)
      .$if(strategy !== undefined, (query) => query.where('strategy', '=', strategy ?? ''))
      .orderBy('at', 'desc')
      .limit(limit)
      .execute()
  )
}

/** Slots of a strategy that are over: single ones by their quarter of an hour, since the clocks of no zone are apart by less. */
async function countSlots(
  db: Kysely<Tables>,
  { strategy, since, until }: { strategy: string; since: number; until: number },
): Promise<readonly { readonly at: number; readonly state: string; readonly count: number }[]> {
  const quarter = sql<number>`slot / ${sql.lit(quarterMs)}`
  const rows = await db
    .selectFrom('slot')
    .select(({ fn }) => [quarter.as('quarter'), 'state', fn.sum('slots').as('count')] as const)
    .where('strategy', '=', strategy)
    .where('slot', '>=', since)
    .where('slot', '<', until)
    .where('slots', '=', 1)
    .groupBy([quarter, 'state'])
    .execute()
  return rows.map(({ quarter: at, state, count }) => ({
    ...{ at: Number(at) * quarterMs, state },
    count: Number(count),
  }))
}

/** Runs of slots that were closed at once and reach into a span, oldest first. */
async function slotRuns(
  db: Kysely<Tables>,
  { strategy, since, until }: { strategy: string; since: number; until: number },
): Promise<readonly Pick<Selectable<SlotTable>, 'slot' | 'upto' | 'state'>[]> {
  return db
    .selectFrom('slot')
    .select(['slot', 'upto', 'state'])
    .where('strategy', '=', strategy)
    .where('slots', '>', 1)
    .where('upto', '>=', since)
    .where('slot', '<', until)
    .orderBy('slot')
    .execute()
}
