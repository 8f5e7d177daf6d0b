import type { Kysely } from 'kysely'
import { compactJson } from '../../core/json.ts'
import type { Context, Decision } from '../stages.ts'
import type { Tables } from './tables.ts'

/** What a strategy saw and what it made of it. */
export type Decided = {
  readonly strategy: string
  readonly slot: number
  readonly at: number
  readonly context: Context<unknown>
  readonly decision: Decision
}

/** Writes down a decision with everything it depended on, so that it can be replayed and explained. */
export async function recordDecision(
  db: Kysely<Tables>,
  { strategy, slot, at, context, decision }: Decided,
): Promise<void> {
  await db
    .insertInto('decision')
    .values({
      strategy,
      slot,
      at,
      kind: decision.kind,
      reason:
        decision.kind === 'wait'
          ? decision.reason
          : decision.intents.map(({ reason }) => reason).join('; '),
      context: compactJson(context),
      decision: compactJson(decision),
    })
    .execute()
}

/** The newest decision of every strategy. */
export async function latestDecisions(db: Kysely<Tables>) {
  return db
    .selectFrom('decision')
    .select(['strategy', 'slot', 'at', 'kind', 'reason'])
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('decision')
        .select(({ fn }) => fn.max('id').as('id'))
        .groupBy('strategy'),
    )
    .orderBy('strategy')
    .execute()
}
