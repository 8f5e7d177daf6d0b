import type { Kysely } from 'kysely'
import type { BooksScope, QuoteEvent } from '../books.ts'
import { openIds } from './openIds.ts'
import { recentIds } from './recentIds.ts'
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
    .select(['event.seq', 'event.swap_id', 'event.type'])
    .where('event.seq', '>', after === 0 ? await before(db, { chainId, wallet, since }) : after)
    .where('event.type', 'in', Object.keys(does))
    // Of each entry its swap: joined, the log might be looked up of every swap that the wallet ever made.
    .where(
      ({ selectFrom }) =>
        selectFrom('swap')
          .select('swap.wallet')
          .whereRef('swap.id', '=', 'event.swap_id')
          .where('swap.chain_id', '=', chainId),
      '=',
      wallet.toLowerCase(),
    )
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
  const ids = [...(await openIds(db)), ...(await recentIds(db, { chainId, wallet, since }))]
  let first = Number.MAX_SAFE_INTEGER
  for (let from = 0; from < ids.length; from += idsPerPage) {
    // Of each swap: the first of all together might be looked for from the beginning of the log.
    const rows = await db
      .selectFrom('event')
      .select(({ fn }) => fn.min('seq').as('seq'))
      .where('swap_id', 'in', ids.slice(from, from + idsPerPage))
      .groupBy('swap_id')
      .execute()
    first = rows.reduce((least, { seq }) => Math.min(least, seq), first)
  }
  return first === Number.MAX_SAFE_INTEGER ? first : first - 1
}

/** Fewer than a statement may have parameters. */
const idsPerPage = 1_000
