import { type Kysely, type Selectable, sql } from 'kysely'
import type { Hex } from '../../../chain/calls/fields.ts'
import type { Address } from '../../../core/token.ts'
import type { BookedAttempt, BookedBlock, BookedSwap, BooksScope, QuoteEvent } from '../../books.ts'
import { writtenOff } from '../../state.ts'
import { readFacts } from '../log/facts.ts'
import { idPages } from '../store/idPages.ts'
import { openIds, recentIds } from '../store/openIds.ts'
import { readAuthorization, readSwap } from '../store/rows.ts'
import type { AttemptTable, Tables } from '../store/tables.ts'

type Page = { readonly after: string; readonly limit: number }

/** A page of swaps that have bytes or a quote, by id: those that changed since, and all that are open. */
export async function bookedSwaps(
  db: Kysely<Tables>,
  scope: BooksScope & Page,
): Promise<readonly BookedSwap[]> {
  const ids = scope.since === 0 ? await idsOfAll(db, scope) : await idsOfRecent(db, scope)
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('swap')
    .leftJoin('quote', 'quote.swap_id', 'swap.id')
    .selectAll('swap')
    .select(['quote.router', 'quote.authorization'])
    .where('swap.id', 'in', ids)
    .orderBy('swap.id')
    .limit(scope.limit)
    .execute()
  const attempts = await attemptsOfAll(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => {
    const { plan, moved, ...swap } = readSwap(row)
    return {
      swapId: swap.id,
      state: swap.state,
      sell: plan.intent.sell,
      buy: plan.intent.buy,
      recipient: plan.recipient,
      createdAt: swap.createdAt,
      updatedAt: swap.updatedAt,
      nonce: swap.nonce,
      deadline: swap.deadline,
      router: (row.router ?? undefined) as Address | undefined,
      authorization: readAuthorization(row.authorization),
      included: swap.included,
      isWrittenOff: swap.code === writtenOff && moved === undefined,
      moved: moved && { sold: moved.sold.wei, received: moved.received.wei },
      gasPaid: swap.gasPaid,
      agrees: swap.agrees,
      attempts: attempts.get(row.id) ?? [],
    }
  })
}

/** In the order of the table's own key. */
async function idsOfAll(db: Kysely<Tables>, { after, limit, ...scope }: BooksScope & Page) {
  return idsOf(comparable(db, scope).where('id', '>', after).orderBy('id').limit(limit))
}

/** Open swaps and those changed since, in two queries; `openIds` gives the reason. */
async function idsOfRecent(db: Kysely<Tables>, { after, limit, ...scope }: BooksScope & Page) {
  const open = await openIds(db)
  const recent = comparable(db, scope)
    .where('updated_at', '>=', scope.since)
    // An expression, so that the planner does not go through the table in the order of its key.
    .where(sql<boolean>`id || '' > ${after}`)
    .orderBy(sql`id || ''`)
    .limit(limit)
  const opened =
    open.length === 0
      ? []
      : await idsOf(comparable(db, scope).where('id', 'in', open).where('id', '>', after))
  return [...new Set([...opened, ...(await idsOf(recent))])]
}

/** Swaps of a wallet that have something to compare: most of those that ended well before a quote never had. */
const comparable = (
  db: Kysely<Tables>,
  { chainId, wallet }: Pick<BooksScope, 'chainId' | 'wallet'>,
) =>
  db
    .selectFrom('swap')
    .select('id')
    .where('wallet', '=', wallet.toLowerCase())
    .where('chain_id', '=', chainId)
    .where(({ eb, or, exists, selectFrom }) =>
      or([
        eb('state', 'not in', ['REJECTED', 'ABANDONED']),
        exists(selectFrom('quote').select('swap_id').whereRef('quote.swap_id', '=', 'swap.id')),
        exists(selectFrom('attempt').select('hash').whereRef('attempt.swap_id', '=', 'swap.id')),
      ]),
    )

async function idsOf(query: ReturnType<typeof comparable>): Promise<string[]> {
  return (await query.execute()).map(({ id }) => id)
}

/** Entries that do not show the signed bytes: too large to be read for nothing, or about bytes already there. */
const besides = ['PLANNED', 'VERIFIED', 'REJECTED', 'OFFERED', 'SENT', 'INCLUDED']

async function attemptsOfAll(
  db: Kysely<Tables>,
  swapIds: readonly string[],
): Promise<ReadonlyMap<string, readonly BookedAttempt[]>> {
  const [attempts, events] = [
    await db
      .selectFrom('attempt')
      .selectAll()
      .where('swap_id', 'in', [...swapIds])
      .orderBy('created_at')
      .execute(),
    await db
      .selectFrom('event')
      .select(['swap_id', 'type', 'facts'])
      .where('swap_id', 'in', [...swapIds])
      .where('type', 'not in', besides)
      .execute(),
  ]
  const logged = new Set<string>()
  const closed = new Map<string, BookedBlock>()
  for (const { swap_id, type, facts } of events) {
    const { hash, block, blockHash } = readFacts('bytes', facts)
    if (hash === undefined) continue
    logged.add(`${swap_id} ${hash}`)
    if (type === 'APPROVED' && block !== undefined)
      closed.set(hash, { number: block, hash: blockHash as Hex | undefined })
  }
  const bySwap = new Map<string, BookedAttempt[]>()
  for (const row of attempts) {
    const list = bySwap.get(row.swap_id) ?? []
    list.push(bookedAttempt(row, { logged, closed }))
    bySwap.set(row.swap_id, list)
  }
  return bySwap
}

function bookedAttempt(
  { hash, swap_id, kind, nonce, closed_at_block: at, gas_paid }: Selectable<AttemptTable>,
  { logged, closed }: { logged: ReadonlySet<string>; closed: ReadonlyMap<string, BookedBlock> },
): BookedAttempt {
  return {
    hash: hash as Hex,
    kind,
    nonce,
    closed:
      at === null || at === 0 ? undefined : (closed.get(hash) ?? { number: at, hash: undefined }),
    displaced: at === 0,
    gasPaid: gas_paid === null ? undefined : BigInt(gas_paid),
    logged: logged.has(`${swap_id} ${hash}`),
  }
}

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
  for (const some of idPages(ids)) {
    // Of each swap: the first of all together might be looked for from the beginning of the log.
    const rows = await db
      .selectFrom('event')
      .select(({ fn }) => fn.min('seq').as('seq'))
      .where('swap_id', 'in', some)
      .groupBy('swap_id')
      .execute()
    first = rows.reduce((least, { seq }) => Math.min(least, seq), first)
  }
  return first === Number.MAX_SAFE_INTEGER ? first : first - 1
}
