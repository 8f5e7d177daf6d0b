import type { Kysely } from 'kysely'
import { decodeFunctionData, parseAbi, toFunctionSelector } from 'viem'
import { z } from 'zod'
import type { Hex } from '../../chain/calls/fields.ts'
import type { BookedAllowance, BooksScope } from '../books.ts'
import { isFinal, liveStates } from '../state.ts'
import { readPlan } from './planText.ts'
import type { Tables } from './tables.ts'

/**
 * What the router may take of every token that was ever approved to it, by the journal alone: the last approval that
 * took effect, less what swaps after it spent. Two values where a transaction is under way.
 */
export async function bookedAllowances(
  db: Kysely<Tables>,
  { chainId, wallet }: BooksScope,
): Promise<readonly BookedAllowance[]> {
  const tokens = await db
    .selectFrom('attempt')
    .innerJoin('swap', 'swap.id', 'attempt.swap_id')
    .select('swap.sell_token')
    .distinct()
    .where('attempt.kind', '=', 'APPROVE')
    .where('attempt.chain_id', '=', chainId)
    .where('attempt.wallet', '=', wallet.toLowerCase())
    .execute()
  const found: BookedAllowance[] = []
  for (const { sell_token: token } of tokens) {
    const one = await allowanceOf(db, { chainId, wallet, token })
    if (one !== undefined) found.push(one)
  }
  return found
}

type Of = Omit<BooksScope, 'since'> & { readonly token: string }

async function allowanceOf(db: Kysely<Tables>, of: Of): Promise<BookedAllowance | undefined> {
  const approvals = await approvalsOf(db, of)
  const effective = approvals.find(({ isOpen }) => !isOpen)
  const open = approvals.find(({ isOpen }) => isOpen)
  const newest = effective ?? open
  if (newest === undefined) return undefined
  const sales = await db
    .selectFrom('swap')
    .select(['id', 'state', 'sold', 'amount_in'])
    .where('chain_id', '=', of.chainId)
    .where('wallet', '=', of.wallet.toLowerCase())
    .where('sell_token', '=', of.token)
    .where('state', 'in', ['SETTLED', ...liveStates])
    .where('nonce', '>', effective?.nonce ?? -1)
    .execute()
  const spent = sales
    .filter(({ state }) => isFinal(state))
    .reduce((sum, { sold }) => sum + BigInt(sold ?? 0), 0n)
  const left = less(effective?.wei ?? 0n, spent)
  const live = sales.find(({ state }) => !isFinal(state))
  return {
    token: readPlan(newest.plan).intent.sell.token,
    wei: [
      left,
      ...(open === undefined ? [] : [open.wei]),
      ...(live === undefined ? [] : [less(left, BigInt(live.amount_in))]),
    ],
    swapId: live?.id ?? newest.swapId,
  }
}

const less = (from: bigint, what: bigint) => (what > from ? 0n : from - what)

/** The newest approvals of a token; one that reverted, or whose nonce was taken, set nothing. */
async function approvalsOf(db: Kysely<Tables>, { chainId, wallet, token }: Of) {
  const rows = await db
    .selectFrom('attempt')
    .innerJoin('swap', 'swap.id', 'attempt.swap_id')
    .select(['attempt.hash', 'attempt.nonce', 'attempt.transaction', 'attempt.swap_id'])
    .select(['attempt.closed_at_block', 'swap.plan'])
    .where('attempt.kind', '=', 'APPROVE')
    .where('attempt.chain_id', '=', chainId)
    .where('attempt.wallet', '=', wallet.toLowerCase())
    .where('swap.sell_token', '=', token)
    .orderBy('attempt.nonce', 'desc')
    .orderBy('attempt.created_at', 'desc')
    .limit(recentMax)
    .execute()
  const reverted = await revertedAmong(
    db,
    rows.map(({ swap_id }) => swap_id),
  )
  // Of several bids for one nonce only the mined one has a receipt; none of the others took effect either.
  const failed = new Set(rows.flatMap(({ hash, nonce }) => (reverted.has(hash) ? nonce : [])))
  return rows.flatMap(({ nonce, transaction, swap_id, closed_at_block: at, plan }) => {
    const wei = amountOf(transaction)
    if (wei === undefined || at === 0 || failed.has(nonce)) return []
    return [{ nonce, plan, swapId: swap_id, wei, isOpen: at === null }]
  })
}

/** Approvals of one token looked at, newest first: of those that took effect only the last one counts. */
const recentMax = 20

const transactionText = z.object({ data: z.string().transform((text) => text as Hex) })

const approve = parseAbi(['function approve(address spender, uint256 amount)'])
const selector = toFunctionSelector(approve[0])

/** Undefined for what is no approval at all. */
function amountOf(transaction: string): bigint | undefined {
  const { data } = transactionText.parse(JSON.parse(transaction))
  return data.startsWith(selector) ? decodeFunctionData({ abi: approve, data }).args[1] : undefined
}

const told = z.object({ hash: z.string(), success: z.boolean() })

async function revertedAmong(
  db: Kysely<Tables>,
  swapIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (swapIds.length === 0) return new Set()
  const events = await db
    .selectFrom('event')
    .select('facts')
    .where('swap_id', 'in', [...swapIds])
    .where('type', '=', 'APPROVED')
    .execute()
  const read = events.map(({ facts }) => told.parse(JSON.parse(facts)))
  return new Set(read.filter(({ success }) => !success).map(({ hash }) => hash))
}
