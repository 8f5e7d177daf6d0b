import { type Kysely, sql } from 'kysely'
import type { Address } from '../../core/token.ts'
import type { BookedAllowance, BooksScope } from '../books.ts'
import { liveStates } from '../state.ts'
import { approvalIn } from './approvalIn.ts'
import { openIds } from './openIds.ts'
import { readPlan } from './planText.ts'
import type { Tables } from './tables.ts'

/**
 * What each router may take of every token as the journal keeps count of it, approval by approval and swap by swap:
 * {@link bookedAllowances} without reading every approval there ever was. Two values where a transaction is under way.
 */
export async function recordedAllowances(
  db: Kysely<Tables>,
  scope: BooksScope,
): Promise<readonly BookedAllowance[]> {
  const { chainId, wallet } = scope
  const rows = await db
    .selectFrom('allowance')
    .innerJoin('swap', 'swap.id', 'allowance.swap_id')
    .select(['allowance.token', 'allowance.spender', 'allowance.wei', 'allowance.swap_id'])
    .select('swap.plan')
    .where('allowance.chain_id', '=', chainId)
    .where('allowance.wallet', '=', wallet.toLowerCase())
    .execute()
  if (rows.length === 0) return []
  const [approvals, sales] = [await openApprovals(db, scope), await liveSales(db, scope)]
  return rows.map(({ token, spender, wei: text, swap_id, plan }) => {
    const wei = BigInt(text)
    const approved = approvals.filter((one) => one.token === token && one.spender === spender)
    const live = sales.find((one) => one.token === token && one.spender === spender)
    return {
      token: readPlan(plan).intent.sell.token,
      spender: spender as Address,
      wei: [
        wei,
        ...approved.map((one) => one.wei),
        ...(live === undefined ? [] : [less(wei, live.wei)]),
      ],
      swapId: live?.swapId ?? swap_id,
    }
  })
}

const less = (from: bigint, what: bigint) => (what > from ? 0n : from - what)

/** What approvals under way would set. */
async function openApprovals(db: Kysely<Tables>, { chainId, wallet }: BooksScope) {
  const rows = await db
    .selectFrom('attempt')
    .select(['transaction', 'chain_id', 'wallet'])
    // In the words of the index over these alone: with a wallet beside, it is everything that one ever signed.
    .where(sql<boolean>`kind = 'APPROVE'`)
    .where('closed_at_block', 'is', null)
    .execute()
  return rows
    .filter((row) => row.chain_id === chainId && row.wallet === wallet.toLowerCase())
    .flatMap(({ transaction }) => approvalIn(transaction) ?? [])
}

/** What swaps whose bytes may still be mined would use. */
async function liveSales(db: Kysely<Tables>, { chainId, wallet }: BooksScope) {
  const open = await openIds(db)
  if (open.length === 0) return []
  const rows = await db
    .selectFrom('swap')
    .innerJoin('quote', 'quote.swap_id', 'swap.id')
    .select(['swap.id', 'swap.sell_token', 'swap.amount_in', 'quote.router'])
    .where('swap.id', 'in', open)
    .where('swap.state', 'in', [...liveStates])
    .where('swap.chain_id', '=', chainId)
    .where('swap.wallet', '=', wallet.toLowerCase())
    .execute()
  return rows.map((row) => ({
    swapId: row.id,
    token: row.sell_token,
    spender: row.router,
    wei: BigInt(row.amount_in),
  }))
}
