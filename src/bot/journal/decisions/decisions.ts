import { createHash } from 'node:crypto'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { BallastError } from '../../../core/errors.ts'
import type { Context, Decision, Intent } from '../../stages.ts'
import { beginRefusal } from '../aftermath/aftermath.ts'
import { appendEvent } from '../log/log.ts'
import { packed } from '../store/packed.ts'
import { bound, type Store, stamped } from '../store/store.ts'
import type { DecisionTable, Tables } from '../store/tables.ts'
import { masked, maskedJson } from '../store/text.ts'
import { forgottenMemory, hashOfParams, inputsOf } from './inputs.ts'
import { countLook, rowMs, wordsOf } from './looks.ts'
import { wishOf } from './wishOf.ts'

export const createDecisionsReader = ({ db, archives }: Store) => ({
  ...bound(
    { db },
    {
      latest: latestDecisions,
      refusals: refusalsOf,
      countRefusals,
      inputs: inputsOf,
      forgotten: forgottenMemory,
      wish: wishOf,
      paramsHistory,
    },
  ),
  find: async (wanted: DecisionQuery) => archives.decisions(await findDecisions(db, wanted)),
  page: async (wanted: DecisionPage) => archives.decisions(await pageDecisions(db, wanted)),
  /** Those whose archive is not at hand have an empty body: pages show the others. */
  async newest(wanted: NewestDecisions) {
    const rows = await newestDecisions(db, wanted)
    return archives.decisions(rows).catch((error: unknown) => {
      if (error instanceof BallastError && error.code === 'ARCHIVE_MISSING') return rows
      throw error
    })
  },
})

export const createDecisions = (store: Store) => ({
  ...createDecisionsReader(store),
  ...bound(store, { record: recordDecision, recordWhole }),
  ...stamped(store, { noteRefusal }),
})

/** A strategy's view and the decision it made. */
type Decided = {
  readonly strategy: string
  readonly slot: number
  readonly at: number
  readonly context: Context<unknown>
  readonly decision: Decision
}

/**
 * Writes down a decision with everything it depended on, so that it can be replayed and explained. A decision to swap is in
 * the log as well. One that comes to what the last one came to, to nothing, is only counted: `counted`.
 */
async function recordDecision(db: Kysely<Tables>, decided: Decided): Promise<Recorded> {
  const row = rowOf(decided)
  return db.transaction().execute(async (trx) => {
    const id = await countLook(trx, { ...row, context: decided.context })
    return id === undefined
      ? { id: await insert(trx, { row, decided }), counted: false }
      : { id, counted: true }
  })
}

/** Writes down whole what was only counted: something is about to come of it after all. */
async function recordWhole(db: Kysely<Tables>, decided: Decided): Promise<void> {
  await db.transaction().execute((trx) => insert(trx, { row: rowOf(decided), decided }))
}

/** A decision's number, and whether it is that of an earlier one that came to the same. */
type Recorded = { readonly id: number; readonly counted: boolean }

const rowOf = ({ strategy, slot, at, context, decision }: Decided) => ({
  strategy,
  slot,
  at,
  kind: decision.kind,
  reason: masked(
    decision.kind === 'swap'
      ? decision.intents.map(({ reason }) => reason).join('; ')
      : decision.reason,
  ),
  memory: decision.memory === undefined ? null : maskedJson(decision.memory),
  params_hash: hashOfParams(context.params),
})

async function insert(
  trx: Transaction<Tables>,
  { row, decided }: { row: ReturnType<typeof rowOf>; decided: Decided },
): Promise<number> {
  const { strategy, slot, at, context, decision } = decided
  const seen = maskedJson(context)
  const texts = { context: packed(seen), decision: packed(maskedJson(decision)) }
  const { id } = await trx
    .insertInto('decision')
    .values({ ...row, ...texts })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (decision.kind !== 'swap') return id
  const contextSha256 = createHash('sha256').update(seen).digest('hex')
  const facts = { slot, intents: decision.intents, contextSha256 }
  await appendEvent(trx, { of: `strategy ${strategy}`, at, type: 'DECIDED', facts })
  return id
}

type Latest = Pick<Selectable<DecisionTable>, 'strategy' | 'slot' | 'at' | 'kind' | 'reason'>

/**
 * The newest decision of every strategy, as its last look left it. Goes from name to name along the index: it reads a row for each strategy,
 * however many decisions each has made.
 */
async function latestDecisions(db: Kysely<Tables>): Promise<readonly Latest[]> {
  const { rows } = await sql<Latest>`
    WITH RECURSIVE known (strategy) AS (
      SELECT min(strategy) FROM decision
      UNION ALL
      SELECT (SELECT min(strategy) FROM decision WHERE strategy > known.strategy)
      FROM known WHERE known.strategy IS NOT NULL
    )
    SELECT decision.strategy, coalesce(last_slot, slot) AS slot, coalesce(last_at, at) AS at, kind,
      coalesce(last_reason, reason) AS reason
    FROM known JOIN decision
      ON decision.id = (SELECT max(id) FROM decision WHERE strategy = known.strategy)
    ORDER BY decision.strategy`.execute(db)
  return rows
}

/** A decision as it was written down: what was seen and what was made of it, as JSON. */
export type WrittenDecision = Selectable<DecisionTable>

type DecisionQuery =
  | { readonly id: number }
  /** The latest of the strategy. */
  | { readonly strategy: string; readonly slot?: undefined }
  /** Those of one slot, in the order they were made; a row that counts it among its looks is one of them. */
  | { readonly strategy: string; readonly slot: number }

/** A postponed slot is decided again and again; the newest decisions are shown. */
const perSlotMax = 50

/** Decisions by number, by slot, or the latest of a strategy. */
async function findDecisions(
  db: Kysely<Tables>,
  wanted: DecisionQuery,
): Promise<readonly WrittenDecision[]> {
  const query = db.selectFrom('decision').selectAll()
  if ('id' in wanted) return query.where('id', '=', wanted.id).limit(1).execute()
  const { strategy, slot } = wanted
  const own = query.where('strategy', '=', strategy)
  if (slot === undefined) return own.orderBy('id', 'desc').limit(1).execute()
  const rows = await own
    .where('slot', '<=', slot)
    .where('slot', '>', slot - rowMs)
    .where((eb) => eb(eb.fn.coalesce('last_slot', 'slot'), '>=', slot))
    .orderBy('slot', 'desc')
    .orderBy('id', 'desc')
    .limit(perSlotMax)
    .execute()
  return rows.reverse()
}

type DecisionPage = {
  readonly after?: { readonly at: number; readonly id: number } | undefined
  readonly limit: number
  /** Made at this instant or later, and before that one; milliseconds since the epoch. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

/** Decisions in the order in which they were made, a page of them. */
async function pageDecisions(
  db: Kysely<Tables>,
  { after, limit, since, until }: DecisionPage,
): Promise<readonly WrittenDecision[]> {
  let query = db.selectFrom('decision').selectAll()
  if (until !== undefined) query = query.where('at', '<', until)
  const from = after?.at ?? since
  if (from !== undefined) query = query.where('at', '>=', from)
  if (after !== undefined)
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('at', 'id'), '>', tuple(after.at, after.id)),
    )
  return query.orderBy('at').orderBy('id').limit(limit).execute()
}

/** Why an intent of a decision never became a swap: refused before it was planned. */
type Refusal = {
  /** The decision's number. */
  readonly decision: number
  readonly strategy: string
  readonly code: string
  readonly reason: string
  /** What was wanted: the market is looked at again afterwards. */
  readonly intent: Pick<Intent, 'sell' | 'buy'>
}

/** A wish that was refused is as much of the story as an act that was done. Of a decision that is counted, so is its refusal. */
async function noteRefusal(
  db: Kysely<Tables>,
  { at, reason, intent, ...refusal }: Refusal & { at: number },
): Promise<void> {
  const row = { ...refusal, reason: masked(reason), at }
  await db.transaction().execute(async (trx) => {
    const known = await trx
      .selectFrom('refusal')
      .select(['id', 'code', 'reason'])
      .where('decision', '=', refusal.decision)
      .execute()
    const same = known.find(
      (one) => one.code === row.code && wordsOf(one.reason) === wordsOf(row.reason),
    )
    if (same === undefined) {
      const { id } = await trx
        .insertInto('refusal')
        .values(row)
        .returning('id')
        .executeTakeFirstOrThrow()
      await beginRefusal(trx, { id, strategy: row.strategy, code: row.code, intent, at })
    } else
      await trx
        .updateTable('refusal')
        .set((eb) => ({ times: eb('times', '+', 1) }))
        .where('id', '=', same.id)
        .execute()
  })
}

/** Those of one decision, in the order of its intents. */
async function refusalsOf(
  db: Kysely<Tables>,
  decision: number,
): Promise<readonly { readonly code: string; readonly reason: string }[]> {
  return db
    .selectFrom('refusal')
    .select(['code', 'reason'])
    .where('decision', '=', decision)
    .orderBy('id')
    .execute()
}

/** The number of each code in a span, the most frequent first. */
async function countRefusals(
  db: Kysely<Tables>,
  {
    since = 0,
    until = Number.MAX_SAFE_INTEGER,
    strategy,
  }: {
    readonly since?: number | undefined
    readonly until?: number | undefined
    readonly strategy?: string | undefined
  },
): Promise<readonly { readonly code: string; readonly count: number }[]> {
  let query = db
    .selectFrom('refusal')
    .select(({ fn }) => ['code', fn.sum<number | string>('times').as('count')] as const)
    .where('at', '>=', since)
    .where('at', '<', until)
  if (strategy !== undefined) query = query.where('strategy', '=', strategy)
  const rows = await query.groupBy('code').execute()
  return rows
    .map(({ code, count }) => ({ code, count: Number(count) }))
    .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1))
}

type NewestDecisions = {
  readonly strategy: string
  readonly limit: number
  /** The number of the last decision of the page before. */
  readonly before?: number | undefined
}

/** Decisions of a strategy, newest first, a page of them. */
async function newestDecisions(
  db: Kysely<Tables>,
  { strategy, limit, before }: NewestDecisions,
): Promise<readonly WrittenDecision[]> {
  let query = db.selectFrom('decision').selectAll().where('strategy', '=', strategy)
  if (before !== undefined) query = query.where('id', '<', before)
  return query.orderBy('id', 'desc').limit(limit).execute()
}

/** Parameters that a strategy once decided under: by their hash, and the first decision made under them. */
export type ParamsInForce = {
  readonly hash: string
  readonly first: number
  readonly since: number
}

/** The sets of parameters that a strategy has decided under, newest first. Null hashes are of older journals. */
async function paramsHistory(
  db: Kysely<Tables>,
  strategy: string,
): Promise<readonly ParamsInForce[]> {
  const rows = await db
    .selectFrom('decision')
    .select(
      ({ fn }) => ['params_hash', fn.min('id').as('first'), fn.min('at').as('since')] as const,
    )
    .where('strategy', '=', strategy)
    .where('params_hash', 'is not', null)
    .groupBy('params_hash')
    .execute()
  return rows
    .map(({ params_hash, first, since }) => ({
      hash: params_hash ?? '',
      first: Number(first),
      since: Number(since),
    }))
    .sort((a, b) => b.first - a.first)
}
