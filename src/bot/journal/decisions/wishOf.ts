import type { Kysely } from 'kysely'
import type { Tables } from '../store/tables.ts'

/** What a strategy has wanted in vain since an instant, and why its last try came to nothing or was put off. */
type Wish = {
  readonly since: number
  /** Undefined where it was put off. */
  readonly code: string | undefined
  readonly refusal: string
}

/**
 * Since when a strategy has decided to swap, or put it off, each time while nothing settled; undefined where its latest
 * decision is to wait, or where a swap has settled since.
 */
export async function wishOf(
  db: Kysely<Tables>,
  { strategy }: { readonly strategy: string },
): Promise<Wish | undefined> {
  const settled = await db
    .selectFrom('swap')
    .select('updated_at as at')
    .where('strategy', '=', strategy)
    .where('state', '=', 'SETTLED')
    .orderBy('updated_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const own = db
    .selectFrom('decision')
    .select(['id', 'slot', 'at', 'kind', 'reason', 'last_reason'])
    .where('strategy', '=', strategy)
    // No decision is made before its slot: later ones than the settlement, by their index.
    .where('slot', '>', settled?.at ?? 0)
  const other = await own
    .where('kind', '=', 'wait')
    .orderBy('slot', 'desc')
    .limit(1)
    .executeTakeFirst()
  const wishes = own.where('slot', '>', other?.slot ?? 0)
  const first = await wishes.orderBy('slot').limit(1).executeTakeFirst()
  const last = await wishes.orderBy('slot', 'desc').limit(1).executeTakeFirst()
  if (first === undefined || last === undefined) return undefined
  if (last.kind === 'postpone') {
    const refusal = last.last_reason ?? last.reason
    return { since: first.at, code: undefined, refusal: `${refusal.replace(/\.$/, '')}.` }
  }
  return { since: first.at, ...(await refusalOfDecision(db, { strategy, decision: last.id })) }
}

/** Refused before it was planned, or the end of the last swap that was. */
async function refusalOfDecision(
  db: Kysely<Tables>,
  { strategy, decision }: { strategy: string; decision: number },
) {
  const refused = await db
    .selectFrom('refusal')
    .select(['code', 'reason'])
    .where('decision', '=', decision)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const ended = await db
    .selectFrom('swap')
    .select(['code', 'reason', 'state'])
    .where('strategy', '=', strategy)
    .orderBy('updated_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const code = refused?.code ?? ended?.code ?? ended?.state ?? 'NOT_TRIED'
  return {
    code,
    refusal: `${refused?.reason ?? ended?.reason ?? 'no try is on record.'} (${code}).`,
  }
}
