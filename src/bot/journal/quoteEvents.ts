import type { Kysely } from 'kysely'
import type { BooksScope, QuoteEvent } from '../books.ts'
import { openStates } from '../state.ts'
import type { Tables } from './tables.ts'

const does: Readonly<Record<string, QuoteEvent['does']>> = {
  VERIFIED: 'quote',
  SIGNED: 'sign',
  SETTLED: 'end',
  REVERTED: 'end',
  EXPIRED_DEAD: 'end',
  DISPLACED: 'end',
  ABANDONED: 'end',
}

/**
 * A page of the log: when swaps of a wallet were quoted, signed and ended, in the order it happened. It begins before
 * the first entry of any swap in the scope, so whatever was live by then is among them.
 */
export async function quoteEvents(
  db: Kysely<Tables>,
  { chainId, wallet, since, after, limit }: BooksScope & { after: number; limit: number },
): Promise<readonly QuoteEvent[]> {
  const rows = await db
    .selectFrom('event')
    .innerJoin('swap', 'swap.id', 'event.swap_id')
    .select(['event.seq', 'event.swap_id', 'event.type'])
    .where('event.seq', '>', after === 0 ? await before(db, { chainId, wallet, since }) : after)
    .where('event.type', 'in', Object.keys(does))
    .where('swap.chain_id', '=', chainId)
    .where('swap.wallet', '=', wallet.toLowerCase())
    .orderBy('event.seq')
    .limit(limit)
    .execute()
  return rows.flatMap(({ seq, swap_id: swapId, type }) => {
    const act = does[type]
    return act === undefined ? [] : [{ seq, swapId, does: act }]
  })
}

/** The entry before the first one of a swap in the scope. */
async function before(db: Kysely<Tables>, { chainId, wallet, since }: BooksScope): Promise<number> {
  if (since === 0) return 0
  const row = await db
    .selectFrom('event')
    .innerJoin('swap', 'swap.id', 'event.swap_id')
    .select(({ fn }) => fn.min('event.seq').as('seq'))
    .where('swap.chain_id', '=', chainId)
    .where('swap.wallet', '=', wallet.toLowerCase())
    .where(({ eb, or }) =>
      or([eb('swap.updated_at', '>=', since), eb('swap.state', 'in', [...openStates])]),
    )
    .executeTakeFirst()
  return row?.seq === null || row?.seq === undefined ? Number.MAX_SAFE_INTEGER : row.seq - 1
}
