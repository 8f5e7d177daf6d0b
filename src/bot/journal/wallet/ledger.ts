import { type Kysely, sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { Amount } from '../../../core/amount.ts'
import { type Address, nativeAddress, sameAddress, type Token } from '../../../core/token.ts'
import { appendEvent } from '../log/log.ts'
import { openSwaps } from '../store/openIds.ts'
import type { SwapTable, Tables } from '../store/tables.ts'
import { readPlan } from '../store/text.ts'

/** Entries that move balances. */
const moving = ['SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'APPROVED']

type Look = {
  readonly chainId: number
  readonly wallet: Address
  /** What the wallet holds at `block`. */
  readonly balances: readonly Amount[]
  readonly block: number
  readonly at: number
}

/**
 * Compares what a wallet holds with what it held before and what its swaps moved since. Returns what is missing.
 *
 * Says nothing while a swap is under way, or where the look is at an older block than the last swap. What is there on
 * top was paid in: it is noted, and counts from now on.
 */
export async function balanceLedger(
  db: Kysely<Tables>,
  { chainId, wallet, balances, block, at }: Look,
): Promise<readonly Amount[]> {
  if ((await openSwaps(db)).length > 0) return []
  return db.transaction().execute(async (trx) => {
    if ((await openSwaps(trx)).length > 0) return []
    const known = await trx
      .selectFrom('baseline')
      .selectAll()
      .where('chain_id', '=', chainId)
      .where('wallet', '=', wallet.toLowerCase())
      .execute()
    const newest = await trx
      .selectFrom('event')
      .select(({ fn }) => fn.max('seq').as('seq'))
      .executeTakeFirstOrThrow()
    const seq = newest.seq ?? 0
    const { moves, lastBlock } = await movesSince(trx, {
      wallet,
      seq: Math.min(seq, ...known.map((row) => row.seq)),
    })
    if (block < lastBlock) return []

    const missing: Amount[] = []
    const rebased: { token: string; wei: bigint }[] = []
    for (const { token, wei } of balances) {
      const name = token.address.toLowerCase()
      const base = known.find((row) => row.token === name)
      const expected =
        base === undefined ? wei : BigInt(base.wei) + sumOf(moves, { token: name, after: base.seq })
      if (wei < expected) missing.push({ token, wei: expected - wei })
      if (base === undefined || BigInt(base.wei) !== wei) rebased.push({ token: name, wei })
      if (wei > expected) {
        const facts = { token: token.symbol, address: token.address, wei: wei - expected, block }
        await appendEvent(trx, { swapId: `wallet ${wallet}`, at, type: 'PAID_IN', facts })
      }
    }
    // The old figures stay until a person has looked: what is missing goes on missing.
    if (missing.length > 0 || (rebased.length === 0 && moves.length === 0)) return missing
    for (const { token, wei } of balances.map((one) => ({
      token: one.token.address.toLowerCase(),
      wei: one.wei.toString(),
    })))
      await trx
        .insertInto('baseline')
        .values({ chain_id: chainId, wallet: wallet.toLowerCase(), token, wei, seq, at })
        .onConflict((conflict) =>
          conflict.columns(['chain_id', 'wallet', 'token']).doUpdateSet({ wei, seq, at }),
        )
        .execute()
    return []
  })
}

type LedgerMove = { readonly seq: number; readonly token: string; readonly wei: bigint }

const sumOf = (moves: readonly LedgerMove[], { token, after }: { token: string; after: number }) =>
  moves.reduce((sum, move) => (move.token === token && move.seq > after ? sum + move.wei : sum), 0n)

/** What the log says left and arrived after an entry. */
async function movesSince(
  trx: Transaction<Tables>,
  { wallet, seq }: { wallet: Address; seq: number },
) {
  const entries = await trx
    .selectFrom('event')
    .select(['seq', 'swap_id', 'facts'])
    .where('seq', '>', seq)
    .where('type', 'in', moving)
    .execute()
  const rows: (Pick<SwapTable, 'plan' | 'included_block'> & { seq: number; facts: string })[] = []
  for (const { swap_id, ...entry } of entries) {
    const swap = await trx
      .selectFrom('swap')
      .select(['wallet', 'plan', 'included_block'])
      .where('id', '=', swap_id)
      .executeTakeFirst()
    if (swap?.wallet === wallet.toLowerCase()) rows.push({ ...entry, ...swap })
  }
  const moves = rows.flatMap((row): LedgerMove[] => {
    const { sold, received, gas_paid } = JSON.parse(row.facts)
    const { intent, recipient } = readPlan(row.plan)
    const move = (token: { address: Address }, wei: bigint): LedgerMove => ({
      seq: row.seq,
      token: token.address.toLowerCase(),
      wei,
    })
    return [
      ...(gas_paid === undefined ? [] : [move({ address: nativeAddress }, -BigInt(gas_paid))]),
      ...(sold === undefined ? [] : [move(intent.sell.token, -BigInt(sold))]),
      ...(received === undefined || !sameAddress(recipient, wallet)
        ? []
        : [move(intent.buy, BigInt(received))]),
    ]
  })
  const blocks = rows.map(({ included_block, facts }) =>
    Math.max(included_block ?? 0, JSON.parse(facts).block ?? 0),
  )
  return { moves, lastBlock: Math.max(0, ...blocks) }
}

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
