import { createHash } from 'node:crypto'
import { type Kysely, type Selectable, sql } from 'kysely'
import { canonicalJson } from '../../core/json.ts'
import type { Context, Decision } from '../stages.ts'
import { appendEvent } from './appendEvent.ts'
import { masked } from './masked.ts'
import { hashOfParams } from './standing.ts'
import type { DecisionTable, Tables } from './tables.ts'

/** What a strategy saw and what it made of it. */
export type Decided = {
  readonly strategy: string
  readonly slot: number
  readonly at: number
  readonly context: Context<unknown>
  readonly decision: Decision
}

/** Writes down a decision with everything it depended on, so that it can be replayed and explained. Returns its number. One to swap is in the log as well. */
export async function recordDecision(
  db: Kysely<Tables>,
  { strategy, slot, at, context, decision }: Decided,
): Promise<number> {
  const seen = canonicalJson(context, masked)
  const row = {
    strategy,
    slot,
    at,
    kind: decision.kind,
    reason: masked(
      decision.kind === 'swap'
        ? decision.intents.map(({ reason }) => reason).join('; ')
        : decision.reason,
    ),
    context: seen,
    decision: canonicalJson(decision, masked),
    memory: decision.memory === undefined ? null : canonicalJson(decision.memory, masked),
    params_hash: hashOfParams(context.params),
  }
  return db.transaction().execute(async (trx) => {
    const { id } = await trx
      .insertInto('decision')
      .values(row)
      .returning('id')
      .executeTakeFirstOrThrow()
    if (decision.kind !== 'swap') return id
    const contextSha256 = createHash('sha256').update(seen).digest('hex')
    const facts = { slot, intents: decision.intents, contextSha256 }
    await appendEvent(trx, { swapId: `strategy ${strategy}`, at, type: 'DECIDED', facts })
    return id
  })
}

type Latest = Pick<Selectable<DecisionTable>, 'strategy' | 'slot' | 'at' | 'kind' | 'reason'>

/**
 * The newest decision of every strategy. Goes from name to name along the index: what is asked is as many rows as there
 * are strategies, however often each was asked.
 */
export async function latestDecisions(db: Kysely<Tables>): Promise<readonly Latest[]> {
  const { rows } = await sql<Latest>`
    WITH RECURSIVE known (strategy) AS (
      SELECT min(strategy) FROM decision
      UNION ALL
      SELECT (SELECT min(strategy) FROM decision WHERE strategy > known.strategy)
      FROM known WHERE known.strategy IS NOT NULL
    )
    SELECT decision.strategy, slot, at, kind, reason
    FROM known JOIN decision
      ON decision.id = (SELECT max(id) FROM decision WHERE strategy = known.strategy)
    ORDER BY decision.strategy`.execute(db)
  return rows
}
