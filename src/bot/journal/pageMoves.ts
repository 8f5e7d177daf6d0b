import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import { type Address, nativeAddress, sameAddress, type Token } from '../../core/token.ts'
import { readPlan } from './planText.ts'
import type { Tables } from './tables.ts'

/** One move of a balance, as the log says it. */
export type Move = {
  readonly seq: number
  readonly at: number
  /** The swap, or the wallet that was paid. */
  readonly of: string
  readonly strategy: string | undefined
  readonly wallet: string
  readonly kind: 'sold' | 'received' | 'gas' | 'paid-in'
  readonly address: Address
  /** As the plan has it; undefined of gas and of payments. */
  readonly token: Token | undefined
  /** Below zero where it left. */
  readonly wei: bigint
  /** The transaction that moved it; undefined of a payment, which nobody here made. */
  readonly hash: string | undefined
}

export type MovePage = {
  readonly after?: number | undefined
  readonly limit: number
  readonly since?: number | undefined
  readonly until?: number | undefined
}

const told = z.object({
  sold: z.string().optional(),
  received: z.string().optional(),
  gas_paid: z.string().optional(),
  hash: z.string().optional(),
  address: z.string().optional(),
  wei: z.string().optional(),
})

/**
 * What the log says moved, a page of its entries: the same entries that the ledger adds up. An entry with several moves
 * is never cut by a page. `last` is where the next page goes on; undefined after the last one.
 */
export async function pageMoves(
  db: Kysely<Tables>,
  { after = 0, limit, since, until }: MovePage,
): Promise<{ readonly moves: readonly Move[]; readonly last: number | undefined }> {
  let query = db
    .selectFrom('event')
    .select(['seq', 'swap_id', 'at', 'type', 'facts'])
    .where('seq', '>', after)
    // In the very words of the index over these entries.
    .where(sql<boolean>`type IN ('SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'APPROVED', 'PAID_IN')`)
  if (since !== undefined) query = query.where('at', '>=', since)
  if (until !== undefined) query = query.where('at', '<', until)
  const entries = await query.orderBy('seq').limit(limit).execute()
  const ids = [...new Set(entries.map(({ swap_id }) => swap_id))]
  const swaps =
    ids.length === 0
      ? []
      : await db
          .selectFrom('swap')
          .select(['id', 'strategy', 'wallet', 'plan', 'included_hash'])
          .where('id', 'in', ids)
          .execute()
  const swapOf = new Map(swaps.map((swap) => [swap.id, swap]))
  const moves = entries.flatMap(({ seq, at, swap_id, type, facts }): readonly Move[] => {
    const { sold, received, gas_paid, hash, address, wei } = told.parse(JSON.parse(facts))
    const base = { seq, at, of: swap_id, hash }
    if (type === 'PAID_IN' && address !== undefined && wei !== undefined)
      return [
        {
          ...base,
          strategy: undefined,
          wallet: swap_id.replace(/^wallet /, ''),
          kind: 'paid-in',
          address: address as Address,
          token: undefined,
          wei: BigInt(wei),
        },
      ]
    const swap = swapOf.get(swap_id)
    if (swap === undefined) return []
    const { intent, recipient } = readPlan(swap.plan)
    const own = { ...base, strategy: swap.strategy, wallet: swap.wallet }
    const mined = { ...own, hash: hash ?? swap.included_hash ?? undefined }
    return [
      ...(sold === undefined
        ? []
        : [
            {
              ...mined,
              kind: 'sold' as const,
              address: intent.sell.token.address,
              token: intent.sell.token,
              wei: -BigInt(sold),
            },
          ]),
      // What goes to another address never was the wallet's.
      ...(received === undefined || !sameAddress(recipient, swap.wallet)
        ? []
        : [
            {
              ...mined,
              kind: 'received' as const,
              address: intent.buy.address,
              token: intent.buy,
              wei: BigInt(received),
            },
          ]),
      ...(gas_paid === undefined
        ? []
        : [
            {
              ...mined,
              kind: 'gas' as const,
              address: nativeAddress,
              token: undefined,
              wei: -BigInt(gas_paid),
            },
          ]),
    ]
  })
  return { moves, last: entries.length < limit ? undefined : entries.at(-1)?.seq }
}
