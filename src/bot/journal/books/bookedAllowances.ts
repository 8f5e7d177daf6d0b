import { type Kysely, sql } from 'kysely'
import { assert } from '../../../core/assert.ts'
import type { Address } from '../../../core/token.ts'
import type { BookedAllowance, BooksScope } from '../../books.ts'
import { isFinal, liveStates } from '../../state.ts'
import { readFacts } from '../log/facts.ts'
import { openIds } from '../store/openIds.ts'
import type { Tables } from '../store/tables.ts'
import { readPlan } from '../store/text.ts'
import { approvalIn } from '../wallet/allowances.ts'
import { permittedPairs, possiblyPermitted, sentPermits, spenderBy } from '../wallet/permits.ts'

/**
 * Amounts each router may take of every token ever approved to it, by the journal alone: the last approval that took
 * effect, less what swaps after it spent. Two values where a transaction is under way, or where a permit was not used.
 */
export async function bookedAllowances(
  db: Kysely<Tables>,
  scope: BooksScope,
): Promise<readonly BookedAllowance[]> {
  const { chainId, wallet } = scope
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
    const approvals = await approvalsOf(db, { ...scope, token })
    // The router may have been another one before: what it was left with is still its.
    for (const spender of new Set(approvals.map((one) => one.spender)))
      found.push(
        await allowanceOf(db, {
          ...scope,
          token,
          approvals: approvals.filter((one) => one.spender === spender),
        }),
      )
  }
  return [...found, ...(await permittedOnly(db, scope, found))]
}

/** Those that no approval and only a permit may have set: its swap died, and anybody who saw it could give it to the token. */
async function permittedOnly(
  db: Kysely<Tables>,
  { chainId, wallet }: BooksScope,
  approved: readonly BookedAllowance[],
): Promise<readonly BookedAllowance[]> {
  const of = { chain_id: chainId, wallet: wallet.toLowerCase() }
  const found: BookedAllowance[] = []
  for (const { token, spender } of await permittedPairs(db, of)) {
    const isApproved = approved.some(
      (one) => one.token.address.toLowerCase() === token && one.spender === spender,
    )
    const permitted = isApproved ? [] : await possiblyPermitted(db, { ...of, token, spender })
    if (permitted.length === 0) continue
    const { swap_id: swapId, plan } = await db
      .selectFrom('permit')
      .innerJoin('swap', 'swap.id', 'permit.swap_id')
      .select(['permit.swap_id', 'swap.plan'])
      .where('permit.chain_id', '=', chainId)
      .where('permit.wallet', '=', of.wallet)
      .where('permit.token', '=', token)
      .where('permit.spender', '=', spender)
      .where('permit.kind', '=', 'TOKEN')
      .orderBy('permit.created_at', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    found.push({
      token: readPlan(plan).intent.sell.token,
      spender: spender as Address,
      ...{ wei: [0n], isSet: false, permitted },
      swapId,
    })
  }
  return found
}

type Of = BooksScope & { readonly token: string }
type Approval = Awaited<ReturnType<typeof approvalsOf>>[number]

async function allowanceOf(
  db: Kysely<Tables>,
  { chainId, wallet, token, approvals }: Of & { approvals: readonly Approval[] },
): Promise<BookedAllowance> {
  const [newest] = approvals
  assert(newest !== undefined, 'a spender is known by its approvals')
  const effective = approvals.find(({ isOpen }) => !isOpen)
  const open = approvals.find(({ isOpen }) => isOpen)
  const { spender } = newest
  const sold = await db
    .selectFrom('swap')
    .innerJoin('quote', 'quote.swap_id', 'swap.id')
    .select(['swap.id', 'swap.state', 'swap.sold', 'swap.amount_in', 'quote.router'])
    .where('swap.chain_id', '=', chainId)
    .where('swap.wallet', '=', wallet.toLowerCase())
    .where('swap.sell_token', '=', token)
    .where('swap.state', 'in', ['SETTLED', ...liveStates])
    .where('swap.nonce', '>', effective?.nonce ?? -1)
    .execute()
  const permitted = await sentPermits(
    db,
    sold.map(({ id }) => id),
  )
  const sales = sold.filter((one) => spenderBy(permitted.get(one.id), one.router) === spender)
  const settled = sales.filter(({ state }) => isFinal(state))
  const spent = settled.reduce((sum, { sold }) => sum + BigInt(sold ?? 0), 0n)
  // A token's permit takes the place of what stood before it, and its swap uses it up.
  const left = settled.some(({ id }) => permitted.get(id) === 'TOKEN')
    ? 0n
    : less(effective?.wei ?? 0n, spent)
  const possible = { chain_id: chainId, wallet: wallet.toLowerCase(), token, spender }
  const live = sales.find(({ state }) => !isFinal(state))
  return {
    token: readPlan(newest.plan).intent.sell.token,
    spender,
    wei: [
      left,
      ...(open === undefined ? [] : [open.wei]),
      ...(live === undefined ? [] : [less(left, BigInt(live.amount_in))]),
    ],
    isSet: effective !== undefined,
    permitted: await possiblyPermitted(db, possible),
    swapId: live?.id ?? (effective ?? newest).swapId,
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
    const call = approvalIn(transaction)
    if (call === undefined || at === 0 || failed.has(nonce)) return []
    return [{ ...call, nonce, plan, swapId: swap_id, isOpen: at === null }]
  })
}

/** Approvals of one token looked at, newest first: of each spender only the last one that took effect counts. */
const recentMax = 200

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
  const read = events.map(({ facts }) => readFacts('approved', facts))
  return new Set(read.filter(({ success }) => !success).map(({ hash }) => hash))
}

/**
 * Amounts each router may take of every token by the journal's own count, approval by approval and swap by swap: {@link
 * bookedAllowances} without reading every approval there ever was. Two values where a transaction is under way.
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
  const [approvals, sales] = [await openApprovals(db, scope), await liveSales(db, scope)]
  // The first approval of a token for a spender has no row before it is mined and deep.
  const first = approvals.map((one) => ({ ...one, wei: '0' }))
  const pairs = new Map([...first, ...rows].map((one) => [`${one.token} ${one.spender}`, one]))
  const found = [...pairs.values()].map(async ({ token, spender, wei: text, swap_id, plan }) => {
    const wei = BigInt(text)
    const key = { chain_id: chainId, wallet: wallet.toLowerCase(), token, spender }
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
      isSet: rows.some((row) => row.token === token && row.spender === spender),
      permitted: await possiblyPermitted(db, key),
      swapId: live?.swapId ?? swap_id,
    }
  })
  const approved = await Promise.all(found)
  return [...approved, ...(await permittedOnly(db, scope, approved))]
}

/** Allowances that approvals under way would set. */
async function openApprovals(db: Kysely<Tables>, { chainId, wallet }: BooksScope) {
  const rows = await db
    .selectFrom('attempt')
    .innerJoin('swap', 'swap.id', 'attempt.swap_id')
    .select([
      'attempt.transaction',
      'attempt.chain_id',
      'attempt.wallet',
      'attempt.swap_id',
      'swap.plan',
    ])
    // In the words of the index over these alone: with a wallet beside, it is everything that one ever signed.
    .where(sql<boolean>`attempt.kind = 'APPROVE'`)
    .where('attempt.closed_at_block', 'is', null)
    .execute()
  return rows
    .filter((row) => row.chain_id === chainId && row.wallet === wallet.toLowerCase())
    .flatMap(({ transaction, swap_id, plan }) => {
      const approval = approvalIn(transaction)
      return approval === undefined ? [] : { ...approval, swap_id, plan }
    })
}

/** Amounts that swaps whose bytes may still be mined would use. */
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
  const permitted = await sentPermits(
    db,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    swapId: row.id,
    token: row.sell_token,
    spender: spenderBy(permitted.get(row.id), row.router),
    wei: BigInt(row.amount_in),
  }))
}
