import { type Kysely, type Selectable, sql } from 'kysely'
import { type Address, nativeAddress, sameAddress, type Token } from '../../../core/token.ts'
import { readFacts } from '../log/facts.ts'
import { idPages } from '../store/idPages.ts'
import type { EventTable, SwapTable, Tables } from '../store/tables.ts'
import { readPlan } from '../store/text.ts'

/** One move of a balance, as the log states it. */
export type Move = {
  readonly seq: number
  readonly at: number
  /** The swap, or the wallet that was paid. */
  readonly of: string
  readonly strategy: string | undefined
  readonly wallet: string
  /** Undefined of older payments, which are of the one chain that there was. */
  readonly chainId: number | undefined
  readonly kind: 'sold' | 'received' | 'gas' | 'paid-in'
  readonly address: Address
  /** As the plan has it; undefined of gas and of payments. */
  readonly token: Token | undefined
  /** Below zero where it left. */
  readonly wei: bigint
  /** The transaction that moved it; undefined for a payment, which came from outside. */
  readonly hash: string | undefined
}

type MovePage = {
  readonly after?: number | undefined
  readonly limit: number
  readonly since?: number | undefined
  readonly until?: number | undefined
}

/**
 * The moves in the log, a page of its entries: the same entries that the ledger adds up. An entry with several moves is
 * never cut by a page. `last` is where the next page goes on; undefined after the last one.
 */
export async function pageMoves(
  db: Kysely<Tables>,
  { after = 0, limit, since, until }: MovePage,
): Promise<{ readonly moves: readonly Move[]; readonly last: number | undefined }> {
  let query = db
    .selectFrom('event')
    .select(['seq', 'swap_id', 'at', 'type', 'facts'])
    .where('seq', '>', after)
    // In the words of the index over these entries.
    .where(sql<boolean>`type IN ('SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'APPROVED', 'PAID_IN')`)
  if (since !== undefined) query = query.where('at', '>=', since)
  if (until !== undefined) query = query.where('at', '<', until)
  const entries = await query.orderBy('seq').limit(limit).execute()
  const swaps = await swapsOf(db, entries)
  const moves = entries.flatMap((entry) => movesOf(entry, swaps.get(entry.swap_id)))
  return { moves, last: entries.length < limit ? undefined : entries.at(-1)?.seq }
}

type Entry = Omit<Selectable<EventTable>, 'prev' | 'hash'>

/** The swaps that entries are of, by id. */
export async function swapsOf(db: Kysely<Tables>, entries: readonly Pick<Entry, 'swap_id'>[]) {
  const pages = idPages(entries.map(({ swap_id }) => swap_id)).map((ids) =>
    db
      .selectFrom('swap')
      .select(['id', 'strategy', 'chain_id', 'wallet', 'plan', 'included_hash', 'included_block'])
      .where('id', 'in', ids)
      .execute(),
  )
  return new Map((await Promise.all(pages)).flat().map((row) => [row.id, row]))
}

/** Moves of one entry: a payment to the wallet, or its swap's sold and received amounts and a transaction's gas. */
export function movesOf(
  { seq, at, swap_id, type, facts }: Entry,
  swap:
    | Pick<Selectable<SwapTable>, 'strategy' | 'chain_id' | 'wallet' | 'plan' | 'included_hash'>
    | undefined,
): readonly Move[] {
  const { sold, received, gas_paid, hash, chainId, address, wei } = readFacts('moves', facts)
  const base = { seq, at, of: swap_id }
  if (type === 'PAID_IN' && address !== undefined && wei !== undefined)
    return [
      {
        ...base,
        hash,
        chainId,
        strategy: undefined,
        wallet: swap_id.replace(/^wallet /, ''),
        kind: 'paid-in',
        address: address as Address,
        token: undefined,
        wei: BigInt(wei),
      },
    ]
  if (swap === undefined) return []
  const { strategy, chain_id, wallet, included_hash } = swap
  const { intent, recipient } = readPlan(swap.plan)
  const own = { ...base, strategy, wallet, chainId: chain_id }
  const mined = { ...own, hash: hash ?? included_hash ?? undefined }
  const moves: Move[] = []
  const move = (kind: Move['kind'], token: Token | undefined, amount: bigint) =>
    moves.push({ ...mined, kind, address: token?.address ?? nativeAddress, token, wei: amount })
  if (sold !== undefined) move('sold', intent.sell.token, -BigInt(sold))
  // An amount that goes to another address never was the wallet's.
  if (received !== undefined && sameAddress(recipient, wallet))
    move('received', intent.buy, BigInt(received))
  if (gas_paid !== undefined) move('gas', undefined, -BigInt(gas_paid))
  return moves
}
