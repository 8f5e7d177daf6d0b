import type { Kysely, Transaction } from 'kysely'
import type { Amount } from '../../../core/amount.ts'
import { wholeBps } from '../../../core/bps.ts'
import { type Rounding, roundingOf } from '../../../core/rounding.ts'
import { hourMs } from '../../../core/spans.ts'
import { type Address, sameAddress, type Token } from '../../../core/token.ts'
import { readFacts } from '../log/facts.ts'
import { appendEvent } from '../log/log.ts'
import { openSwaps } from '../store/openIds.ts'
import type { Tables } from '../store/tables.ts'
import { lastValuation } from '../valuations/valuations.ts'
import { type Move, movesOf, swapsOf } from './moves.ts'
import { newestBlock } from './newestBlock.ts'

/** Entries that move balances. */
const moving = ['SETTLED', 'REVERTED', 'EXPIRED_DEAD', 'APPROVED']

type Look = {
  readonly chainId: number
  readonly wallet: Address
  /** The wallet's balances at `block`. */
  readonly balances: readonly Amount[]
  readonly block: number
  /** How far each transfer of a token may be off by its own rounding. */
  readonly rounding?: Rounding
  readonly at: number
}

/**
 * Compares what a wallet holds with what it held before and what its swaps moved since. Returns what is missing.
 *
 * Reports nothing while a swap is under way, or where the look is at an older block than the last swap or the last look
 * that showed a surplus. A surplus was paid in: it is noted, and counts from now on. What a balance earns with each block
 * is noted together, once an hour.
 */
export async function balanceLedger(
  db: Kysely<Tables>,
  { chainId, wallet, balances, block, rounding, at }: Look,
): Promise<readonly Amount[]> {
  if ((await openSwaps(db)).length > 0) return []
  return db.transaction().execute(async (trx) => {
    if ((await openSwaps(trx)).length > 0) return []
    const rows = await trx
      .selectFrom('baseline')
      .selectAll()
      .where('chain_id', '=', chainId)
      .where('wallet', '=', wallet.toLowerCase())
      .execute()
    // That of a token which the configuration does not have any more stays where it is, and is not read from again.
    const known = rows.filter((row) =>
      balances.some(({ token }) => sameAddress(token.address, row.token)),
    )
    const newest = await trx
      .selectFrom('event')
      .select(({ fn }) => fn.max('seq').as('seq'))
      .executeTakeFirstOrThrow()
    const seq = newest.seq ?? 0
    const moves = await movesSince(trx, {
      ...{ chainId, wallet },
      seq: Math.min(seq, ...known.map((row) => row.seq)),
    })
    if (block < (await newestBlock(trx, { chainId, wallet }))) return []
    if (block < (await newestPaidIn(trx, { chainId, wallet }))) return []

    const missing: Amount[] = []
    const paidIn: { readonly token: Token; readonly wei: bigint }[] = []
    const rebased: Amount[] = []
    let isChanged = moves.length > 0
    for (const { token, wei } of balances) {
      const name = token.address.toLowerCase()
      const base = known.find((row) => row.token === name)
      const expected =
        base === undefined ? wei : BigInt(base.wei) + sumOf(moves, { token: name, after: base.seq })
      const slack =
        roundingOf(rounding, token) *
        BigInt(base === undefined ? 0 : countOf(moves, { token: name, after: base.seq }))
      if (wei + slack < expected) missing.push({ token, wei: expected - wei })
      const isYoung = base !== undefined && at >= base.at && at - base.at < hourMs
      if (isYoung && wei > expected && (wei - expected) * wholeBps <= wei) continue
      isChanged ||= base === undefined || BigInt(base.wei) !== wei
      rebased.push({ token, wei })
      if (wei > expected) paidIn.push({ token, wei: wei - expected })
    }
    // The old figures stay until a person has looked: what is missing goes on missing, and a surplus is noted then.
    if (missing.length > 0 || !isChanged) return missing
    for (const { token, wei } of paidIn) {
      const facts = { chainId, token: token.symbol, address: token.address, wei, block }
      await appendEvent(trx, { of: `wallet ${wallet}`, at, type: 'PAID_IN', facts })
    }
    for (const { token, wei } of rebased.map((one) => ({
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

/**
 * The tokens that are known to be on a chain, by address in lower case: of balances on record, of settled swaps, and of the
 * last valuation. A release forgets the balances, and a token that stopped to answer is none that never did.
 */
export async function seenTokens(
  db: Kysely<Tables>,
  { chainId, wallet }: { readonly chainId: number; readonly wallet: Address },
): Promise<readonly string[]> {
  const balances = await db
    .selectFrom('baseline')
    .select('token')
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .execute()
  // A row for each strategy and pair, of every wallet: whoever swapped a token, it is there.
  const pairs = await db.selectFrom('strategy_total').selectAll().execute()
  const swapped = pairs.flatMap((pair) =>
    pair.chain_id === chainId ? [pair.sell_token, pair.buy_token] : [],
  )
  const { holdings = [] } = (await lastValuation(db, { chainId, wallet })) ?? {}
  const valued = holdings.map(({ held }) => held.token.address.toLowerCase())
  return [...new Set([...balances.map(({ token }) => token), ...swapped, ...valued])]
}

const countOf = (moves: readonly Move[], { token, after }: { token: string; after: number }) =>
  moves.filter(({ address, seq }) => sameAddress(address, token) && seq > after).length

const sumOf = (moves: readonly Move[], { token, after }: { token: string; after: number }) =>
  moves.reduce(
    (sum, move) => (sameAddress(move.address, token) && move.seq > after ? sum + move.wei : sum),
    0n,
  )

/** The amounts that left and arrived on a chain after an entry, by the log. */
async function movesSince(
  trx: Transaction<Tables>,
  { chainId, wallet, seq }: { chainId: number; wallet: Address; seq: number },
) {
  const entries = await trx
    .selectFrom('event')
    .select(['seq', 'swap_id', 'at', 'type', 'facts'])
    .where('seq', '>', seq)
    .where('type', 'in', moving)
    .execute()
  const swaps = await swapsOf(trx, entries)
  const own = entries.flatMap((entry) => {
    const swap = swaps.get(entry.swap_id)
    return swap?.chain_id === chainId && swap.wallet === wallet.toLowerCase()
      ? [{ entry, swap }]
      : []
  })
  return own.flatMap(({ entry, swap }) => movesOf(entry, swap))
}

/** Payments that are looked through for the last one of a chain: those of others are from before it was configured. */
const paymentsMax = 100

/** Block of the look that showed the last surplus on a chain; 0 before the first. */
async function newestPaidIn(
  trx: Transaction<Tables>,
  { chainId, wallet }: { chainId: number; wallet: Address },
): Promise<number> {
  const payments = await trx
    .selectFrom('event')
    .select('facts')
    .where('swap_id', '=', `wallet ${wallet}`)
    .where('type', '=', 'PAID_IN')
    .orderBy('seq', 'desc')
    .limit(paymentsMax)
    .execute()
  const last = payments
    .map(({ facts }) => readFacts('moves', facts))
    .find((one) => one.chainId === undefined || one.chainId === chainId)
  return last?.block ?? 0
}
