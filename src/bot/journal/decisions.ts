import { createHash } from 'node:crypto'
import { type Kysely, type Selectable, sql } from 'kysely'
import { canonicalJson } from '../../core/json.ts'
import type { Context, Decision } from '../stages.ts'
import { note } from './change.ts'
import { masked } from './masked.ts'
import type { DecisionTable, Tables } from './tables.ts'

/** What a strategy saw and what it made of it. */
export type Decided = {
  readonly strategy: string
  readonly slot: number
  readonly at: number
  readonly context: Context<unknown>
  readonly decision: Decision
}

/** Writes down a decision with everything it depended on, so that it can be replayed and explained. One to swap is in the log as well. */
export async function recordDecision(
  db: Kysely<Tables>,
  { strategy, slot, at, context, decision }: Decided,
): Promise<void> {
  const seen = canonicalJson(context, masked)
  const row = {
    strategy,
    slot,
    at,
    kind: decision.kind,
    reason: masked(
      decision.kind === 'wait'
        ? decision.reason
        : decision.intents.map(({ reason }) => reason).join('; '),
    ),
    context: seen,
    decision: canonicalJson(decision, masked),
  }
  await db.transaction().execute(async (trx) => {
    await trx.insertInto('decision').values(row).execute()
    if (decision.kind === 'wait') return
    const contextSha256 = createHash('sha256').update(seen).digest('hex')
    const facts = { slot, intents: decision.intents, contextSha256 }
    await note(trx, { swapId: `strategy ${strategy}`, at, type: 'DECIDED', facts })
  })
}

/** The newest decision of every strategy. */
export async function latestDecisions(db: Kysely<Tables>) {
  // From one name to the next along the index: a strategy decides every few seconds, and there are few of them.
  const { rows } = await sql<
    Pick<Selectable<DecisionTable>, 'strategy' | 'slot' | 'at' | 'kind' | 'reason'>
  >`
    WITH RECURSIVE names (name) AS (
      SELECT min(strategy) FROM decision
      UNION ALL
      SELECT (SELECT min(strategy) FROM decision WHERE strategy > name) FROM names WHERE name IS NOT NULL
    )
    SELECT strategy, slot, at, kind, reason FROM names
    JOIN decision ON id = (SELECT max(id) FROM decision WHERE strategy = name)
    ORDER BY strategy`.execute(db)
  return rows
}
