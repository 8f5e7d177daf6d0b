import type { Kysely } from 'kysely'
import { permit2Address } from '../../../chain/settlement/permit2.ts'
import type { BookedAllowance } from '../../books.ts'
import { isFinal } from '../../state.ts'
import { idPages } from '../store/idPages.ts'
import type { PermitKind, Tables } from '../store/tables.ts'

/** The newest permits of one token that can still matter: the others are dead by their deadline. */
const recentMax = 200

type TokenKey = { readonly chain_id: number; readonly wallet: string; readonly token: string }

/** The newest permits that a token takes itself, the newest first. */
export async function permitsOf(db: Kysely<Tables>, { chain_id, wallet, token }: TokenKey) {
  const rows = await db
    .selectFrom('permit')
    .innerJoin('swap', 'swap.id', 'permit.swap_id')
    .select(['permit.spender', 'permit.wei', 'permit.nonce', 'permit.deadline', 'permit.sent'])
    .select('swap.state')
    .where('permit.chain_id', '=', chain_id)
    .where('permit.wallet', '=', wallet)
    .where('permit.token', '=', token)
    .where('permit.kind', '=', 'TOKEN')
    .orderBy('permit.created_at', 'desc')
    .limit(recentMax)
    .execute()
  return rows.map(({ spender, wei, nonce, deadline, sent, state }) => ({
    ...{ spender, deadline, wei: BigInt(wei), nonce: BigInt(nonce) },
    isUsed: sent === 1 && state === 'SETTLED',
    isOpen: !isFinal(state),
  }))
}

/**
 * What a spender may have been let take by permits that no settled swap used: anybody who saw one could give it to the token.
 * Their swaps died, or are under way and may have used theirs up.
 */
export async function possiblyPermitted(
  db: Kysely<Tables>,
  { spender, ...key }: TokenKey & { readonly spender: string },
): Promise<BookedAllowance['permitted']> {
  const all = await permitsOf(db, key)
  const last = all.find(({ isUsed }) => isUsed)?.nonce ?? -1n
  const unused = all.filter((one) => one.spender === spender && one.nonce > last)
  return unused.map(({ wei, isOpen }) => ({ wei, isOpen }))
}

/** Who was given permits of which tokens, in lower case, whatever became of them. */
export function permittedPairs(
  db: Kysely<Tables>,
  { chain_id, wallet }: Omit<TokenKey, 'token'>,
): Promise<readonly { readonly token: string; readonly spender: string }[]> {
  return db
    .selectFrom('permit')
    .select(['token', 'spender'])
    .distinct()
    .where('chain_id', '=', chain_id)
    .where('wallet', '=', wallet)
    .where('kind', '=', 'TOKEN')
    .execute()
}

/** Swaps among these whose bytes brought a permit along, and which kind. */
export async function sentPermits(
  db: Kysely<Tables>,
  swapIds: readonly string[],
): Promise<ReadonlyMap<string, PermitKind>> {
  const pages = idPages(swapIds).map((ids) =>
    db
      .selectFrom('permit')
      .select(['swap_id', 'kind'])
      .where('swap_id', 'in', ids)
      .where('sent', '=', 1)
      .execute(),
  )
  return new Map((await Promise.all(pages)).flat().map(({ swap_id, kind }) => [swap_id, kind]))
}

/** Whose allowance a swap uses, in lower case: that of Permit2 where it brought a transfer of it, else its router's. */
export const spenderBy = (kind: PermitKind | undefined, router: string): string =>
  kind === 'PERMIT2' ? permit2Address.toLowerCase() : router
