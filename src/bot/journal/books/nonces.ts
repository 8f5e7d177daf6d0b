import { type Kysely, sql } from 'kysely'
import type { Address } from '../../../core/token.ts'
import type { Adoption, BooksScope } from '../../books.ts'
import { readFacts } from '../log/facts.ts'
import { openSwaps } from '../store/openIds.ts'
import type { Tables } from '../store/tables.ts'

/** The routers that quotes of a chain ever called, whoever is configured now. */
export async function routers(
  db: Kysely<Tables>,
  { chainId }: BooksScope,
): Promise<readonly Address[]> {
  const rows = await db
    .selectFrom('quote')
    .select('router')
    .distinct()
    .where('chain_id', '=', chainId)
    .execute()
  return rows.map(({ router }) => router as Address)
}

/** From which nonce on a wallet is ours, and which of its nonces a person released since. */
export async function adoption(
  db: Kysely<Tables>,
  { chainId, wallet }: BooksScope,
): Promise<Adoption> {
  const address = wallet.toLowerCase()
  const everywhere = await db
    .selectFrom('wallet')
    .select(['chain_id', 'next_nonce', 'adopted_nonce'])
    .where('address', '=', address)
    .execute()
  const known = everywhere.find((row) => row.chain_id === chainId)
  const isAlone = everywhere.every((row) => row === known)
  const events = await db
    .selectFrom('event')
    .select(['at', 'facts'])
    .where('swap_id', 'in', [`wallet ${wallet}`, `wallet ${address}`])
    // In the words of the index over these alone: a wallet has other entries as well.
    .where(sql<boolean>`type IN ('BROKEN', 'RELEASED')`)
    .where('type', '=', 'RELEASED')
    .orderBy('seq')
    .execute()
  const first = await db
    .selectFrom('attempt')
    .select('nonce')
    .where('chain_id', '=', chainId)
    .where('wallet', '=', address)
    .orderBy('nonce')
    .limit(1)
    .executeTakeFirst()
  // Wallets taken in before that was written down begin with their first attempt.
  const nonce = known?.adopted_nonce ?? first?.nonce ?? known?.next_nonce

  const releases: Adoption['releases'][number][] = []
  for (const { at, facts } of events) {
    const { chainId: of, from: first, nonceOfChain, reason } = readFacts('walletReleased', facts)
    // An older entry names no chain. Among several it counts where the wallet came as far, as a release itself brings it:
    // beyond that it would explain nonces that somebody else may still use.
    const isMeant = isAlone || nonceOfChain <= (known?.next_nonce ?? -1)
    if (of === undefined ? !isMeant : of !== chainId) continue
    const before = await db
      .selectFrom('attempt')
      .select('nonce')
      .where('chain_id', '=', chainId)
      .where('wallet', '=', address)
      .where('created_at', '<=', at)
      .orderBy('created_at', 'desc')
      .limit(attemptsMax)
      .execute()
    const given = Math.max(-1, ...before.map((one) => one.nonce))
    const from = first ?? Math.max(nonce ?? 0, given + 1, releases.at(-1)?.to ?? 0)
    releases.push({ from, to: nonceOfChain, at, reason })
  }
  return { nonce, nextNonce: known?.next_nonce, releases }
}

/** Attempts looked at before a release: nonces rise with time, but for those that a reorganisation gave back. */
const attemptsMax = 200

/** Nonces of a range that the wallet has signed bytes for, for any swap and however old. */
export async function bookedNonces(
  db: Kysely<Tables>,
  { chainId, wallet, from, to }: BooksScope & { from: number; to: number },
): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('attempt')
    .select('nonce')
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .where('nonce', '>=', from)
    .where('nonce', '<', to)
    .execute()
  return new Set(rows.map(({ nonce }) => nonce))
}

/** Nonces of swaps and approvals that are not decided, with the hashes of all bytes for each. */
export async function openNonces(
  db: Kysely<Tables>,
  { chainId, wallet }: BooksScope,
): Promise<readonly { readonly nonce: number; readonly hashes: readonly string[] }[]> {
  const ids = await openSwaps(db)
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('attempt')
    .select(['nonce', 'hash'])
    .where('swap_id', 'in', ids)
    .where('chain_id', '=', chainId)
    .where('wallet', '=', wallet.toLowerCase())
    .where('closed_at_block', 'is', null)
    .execute()
  return [...Map.groupBy(rows, ({ nonce }) => nonce)].map(([nonce, same]) => ({
    nonce,
    hashes: same.map(({ hash }) => hash),
  }))
}
